extension ArtistDocument {
  private static let literals: [UInt8: ArraySlice<UInt8>] = [
    UInt8(ascii: "t"): ArraySlice("rue".utf8), UInt8(ascii: "f"): ArraySlice("alse".utf8),
    UInt8(ascii: "n"): ArraySlice("ull".utf8),
  ]

  mutating func beginValue(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{"): beginObject()
    case UInt8(ascii: "["): beginArray()
    case UInt8(ascii: "\""):
      isKey = false
      beginText(isKept: role == .element || isField)
      place = .string
    case UInt8(ascii: "-"): beginNumber(byte, .minus)
    case UInt8(ascii: "0"): beginNumber(byte, .zero)
    case UInt8(ascii: "1")...UInt8(ascii: "9"): beginNumber(byte, .integer)
    default:
      guard let rest = Self.literals[byte] else { return place = .broken }
      literal = rest
      place = .literal
    }
  }

  /// Whether the value is one of the three texts of an artist.
  var isField: Bool {
    switch role {
    case .id, .name, .imageURL: true
    default: false
    }
  }

  private mutating func beginObject() {
    switch role {
    case .document: push(.document)
    case .artists, .element:
      mention = ArtistMentions.Mention()
      seenKeys = 0
      push(.artist)
    default: push(.object)
    }
    if place != .broken { place = .keyOrEnd }
  }

  private mutating func beginArray() {
    if role == .element { mentions.addNameless() }
    push(role == .artists ? .artists : .array)
    guard place != .broken else { return }
    place = .elementOrEnd
    role = levels.last == .artists ? .element : .nothing
  }

  private mutating func push(_ level: Level) {
    guard levels.count < Self.depthLimit else { return place = .broken }
    levels.append(level)
  }

  mutating func endLevel(_ byte: UInt8) {
    let isArray = levels.last == .artists || levels.last == .array
    guard isArray == (byte == UInt8(ascii: "]")), let level = levels.popLast() else { return place = .broken }
    if level == .artist { mentions.add(mention) }
    endValue()
  }

  mutating func continueLevel() {
    switch levels.last {
    case .artists: (place, role) = (.value, .element)
    case .array: (place, role) = (.value, .nothing)
    default: place = .key
    }
  }

  mutating func beginKey() {
    isKey = true
    beginText(isKept: levels.last == .document || levels.last == .artist)
    place = .string
  }

  /// Gives the value that follows a key its role.
  mutating func endKey() {
    place = .colon
    role = .nothing
    guard isKept else { return }
    if levels.last == .document {
      guard keyBytes.elementsEqual("artists".utf8), !hasSeenArtists else { return }
      hasSeenArtists = true
      role = .artists
    } else {
      let field: Role =
        keyBytes.elementsEqual("name".utf8)
        ? .name
        : keyBytes.elementsEqual("id".utf8) ? .id : keyBytes.elementsEqual("imageURL".utf8) ? .imageURL : .nothing
      let bit: UInt8 = 1 << field.rawValue
      if seenKeys & bit == 0 { role = field }
      seenKeys |= bit
    }
  }

  mutating func endLiteral() {
    if role == .element { mentions.addNameless() }
    endValue()
  }

  /// Takes a text or number that has ended.
  mutating func endText(isNumber: Bool) {
    let text = isKept ? textStart..<mentions.bytes.count : nil
    switch role {
    case .element:
      if isNumber { mentions.addNameless() } else { mentions.add(ArtistMentions.Mention(name: text)) }
    case .id: mention.id = text
    case .name: mention.name = text
    case .imageURL: mention.imageURL = text
    case .document, .artists, .nothing: break
    }
    endValue()
  }

  private mutating func endValue() {
    place = levels.isEmpty ? .end : .commaOrEnd
  }
}
