/// Ranges of text in the order of its Unicode scalars, which is that of SQLite's BINARY.
enum TextRange {
  /// The first text after all those that begin in some way, or `nil` if there is none.
  static func end(ofTextBeginningWith start: String) -> String? {
    var scalars = Array(start.unicodeScalars)
    while let last = scalars.popLast() {
      // U+D800 to U+DFFF are no scalars.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      var end = String.UnicodeScalarView(scalars)
      end.append(scalar)
      return String(end)
    }
    return nil
  }
}
