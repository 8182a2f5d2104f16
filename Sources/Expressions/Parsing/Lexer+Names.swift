extension Lexer {
  /// A name at the current place, or `nil` if there is none.
  mutating func name() -> String? {
    let start = position
    while let (scalar, length) = scalar(),
      position == start ? Self.isNameStart(scalar) : Self.isNamePart(scalar)
    {
      position += length
    }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// The name after a sign such as `$`.
  mutating func prefixedName() throws(FormatError) -> String {
    let start = position
    position += 1
    guard let name = name() else { throw error(.missingName, at: start) }
    return name
  }

  /// A keyword, a key, or a selector when colons follow.
  mutating func word(_ name: String) -> Token.Kind {
    guard byte(0) == UInt8(ascii: ":") else {
      return Keyword(word: name).map { .keyword($0, name) } ?? .key(name)
    }
    var selector = name
    while byte(0) == UInt8(ascii: ":") {
      position += 1
      selector += ":" + (selectorPart() ?? "")
    }
    return .selector(selector)
  }

  /// Whether text is a name that needs no quoting, such as Core Data wants for the keys of a model.
  static func isName(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, isNameStart(first) else { return false }
    return text.unicodeScalars.dropFirst().allSatisfy(isNamePart)
  }

  /// A name only if a colon follows: in `count:x` the `x` is no part of the selector.
  private mutating func selectorPart() -> String? {
    let start = position
    guard let name = name(), byte(0) == UInt8(ascii: ":") else {
      position = start
      return nil
    }
    return name
  }

  private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || (scalar.isASCII ? isLetter(scalar) : scalar.properties.isXIDStart)
  }

  private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    isNameStart(scalar)
      || (scalar.isASCII ? ("0"..."9").contains(scalar) || scalar == "$" : scalar.properties.isXIDContinue)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }

  /// The scalar at the current place and how many bytes it has.
  ///
  /// The bytes come from a `String`, so they are UTF-8.
  private func scalar() -> (Unicode.Scalar, Int)? {
    guard let first = byte(0) else { return nil }
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    var iterator = bytes[position..<min(position + 4, bytes.count)].makeIterator()
    var decoder = UTF8()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
    return (scalar, scalar.utf8.count)
  }
}
