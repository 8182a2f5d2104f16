/// The beginning of a note that becomes the caption of its picture.
///
/// A caption has at most 80 UTF-16 units, as `NSString` counts. Where the 80th unit is the first half of a surrogate
/// pair, the whole pair is left out and the caption has 79. Letters that are composed of several scalars may be cut, as
/// `substring(to:)` does. Shorter notes are taken whole, and a note without a body gives an empty caption.
enum Caption {
  static let limit = 80

  static func of(_ body: String?) -> String {
    var caption = String.UnicodeScalarView()
    var length = 0
    for scalar in (body ?? "").unicodeScalars {
      length += UTF16.width(scalar)
      guard length <= limit else { break }
      caption.append(scalar)
    }
    return String(caption)
  }
}
