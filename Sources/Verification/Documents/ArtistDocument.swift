// Hot: every byte of every document passes through here. It therefore loops over bytes, with indices that cannot
// overflow because they are below the length of a buffer.

/// Reads the artists from a track's document: `{"artists":[{"id":…,"name":…,"imageURL":…}, …]}`.
///
/// It shares nothing with the reader of the migration: neither the parser, nor a library, nor the approach. It is a
/// single automaton over bytes according to RFC 8259. Before a value is read, its key or array determines its role. The
/// document may come in pieces; values that are not needed are not kept.
///
/// The rules are those of the migration. A single artist needs no array, and an element may be just the name. Of two equal
/// keys the first counts, whatever its value. A number is taken as written. Text of more than 1 MiB is ignored.
struct ArtistDocument {
  /// The result of reading a document.
  enum Outcome {
    case readable
    /// It has only whitespace.
    case blank
    case unreadable
  }

  /// Why a readable document mentions no artists.
  enum Shape: String {
    case notAnObject = "not_an_object"
    case noArtists = "no_artists"
    case nullArtists = "null_artists"
    case emptyArtists = "empty_artists"
    case artistsNotAnArray = "artists_not_an_array"
  }

  /// The meaning of a value.
  enum Role: UInt8 { case document, artists, element, id, name, imageURL, nothing }

  /// The kind of array or object around a value.
  enum Level: UInt8 { case document, artists, artist, object, array }

  /// What may come next.
  enum Place: UInt8 {
    case mark, value, elementOrEnd, keyOrEnd, key, colon, commaOrEnd, end
    case string, escape, digits, secondBackslash, secondU, continuation
    case minus, zero, integer, point, fraction, exponent, sign, power
    case literal
    case broken
  }

  /// The maximum length of text and numbers, as written.
  static let textLimit = 1 << 20
  /// The maximum depth of a document.
  private static let depthLimit = 1_000_000

  var mentions = ArtistMentions()
  var place = Place.value
  var role = Role.document
  var levels: [Level] = []
  /// The artist that is being read.
  var mention = ArtistMentions.Mention()
  /// The keys read so far, one bit for each role.
  var seenKeys: UInt8 = 0
  var hasSeenArtists = false
  private(set) var shape = Shape.notAnObject
  /// The number of repeated keys of which only the first counts.
  private(set) var duplicateKeyCount = 0

  /// Whether the string that is being read is a key.
  var isKey = false
  /// Whether the text that is being read is kept.
  var isKept = false
  /// Where it begins in its buffer.
  var textStart = 0
  /// The length of the token, as written.
  var tokenLength = 0
  var keyBytes: [UInt8] = []

  /// The digits of an escape: their value so far, how many are left, and the first half of a surrogate pair.
  var unit: UInt32 = 0
  var digitCount = 0
  var firstHalf: UInt32?
  /// The number of remaining bytes of a character, and the valid range of the next one.
  var continuationCount = 0
  var continuationRange: ClosedRange<UInt8> = 0x80...0xbf
  /// The rest of a literal.
  var literal: ArraySlice<UInt8> = []
  /// The number of bytes of a byte-order mark read so far.
  var markLength = 0
  private var isBlank = true

  /// Begins a document.
  mutating func begin() {
    mentions.removeAll()
    place = .mark
    role = .document
    levels.removeAll(keepingCapacity: true)
    hasSeenArtists = false
    shape = .notAnObject
    duplicateKeyCount = 0
    markLength = 0
    isBlank = true
    firstHalf = nil
  }

  /// Reads a piece.
  mutating func read(_ bytes: UnsafeRawBufferPointer) {
    var index = 0
    while index < bytes.count {
      switch place {
      case .string: readString(bytes, &index)
      case .broken: return
      case .minus, .zero, .integer, .point, .fraction, .exponent, .sign, .power:
        if !readNumber(bytes[index]) { endNumber() } else { index &+= 1 }
      case .mark: readMark(bytes[index], &index)
      default:
        readByte(bytes[index])
        index &+= 1
      }
    }
  }

  /// Ends the document.
  ///
  /// An unreadable document mentions no artists.
  mutating func finish() -> Outcome {
    switch place {
    case .zero, .integer, .fraction, .power: endNumber()
    case .mark where markLength > 0: place = .broken
    default: break
    }
    if place == .end { return .readable }
    let outcome: Outcome = isBlank && place != .broken ? .blank : .unreadable
    mentions.removeAll()
    return outcome
  }

  private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// Skips a byte-order mark.
  private mutating func readMark(_ byte: UInt8, _ index: inout Int) {
    if markLength < Self.mark.count, byte == Self.mark[markLength] {
      markLength += 1
      index += 1
      if markLength == Self.mark.count { place = .value }
    } else {
      place = markLength == 0 ? .value : .broken
    }
  }

  private mutating func readByte(_ byte: UInt8) {
    switch place {
    case .escape, .digits, .secondBackslash, .secondU, .continuation: return readInString(byte)
    case .literal: return readLiteral(byte)
    default: break
    }
    if byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { return }
    isBlank = false
    switch (place, byte) {
    case (.elementOrEnd, UInt8(ascii: "]")), (.keyOrEnd, UInt8(ascii: "}")): endLevel(byte)
    case (.commaOrEnd, UInt8(ascii: "]")), (.commaOrEnd, UInt8(ascii: "}")): endLevel(byte)
    case (.commaOrEnd, UInt8(ascii: ",")): continueLevel()
    case (.colon, UInt8(ascii: ":")): place = .value
    case (.key, UInt8(ascii: "\"")), (.keyOrEnd, UInt8(ascii: "\"")): beginKey()
    case (.value, _), (.elementOrEnd, _): beginValue(byte)
    default: place = .broken
    }
  }

  private mutating func readLiteral(_ byte: UInt8) {
    guard literal.first == byte else { return place = .broken }
    literal = literal.dropFirst()
    if literal.isEmpty { endLiteral() }
  }
}

extension ArtistDocument {
  private static let literals: [UInt8: ArraySlice<UInt8>] = [
    UInt8(ascii: "t"): ArraySlice("rue".utf8), UInt8(ascii: "f"): ArraySlice("alse".utf8),
    UInt8(ascii: "n"): ArraySlice("ull".utf8),
  ]

  private mutating func beginValue(_ byte: UInt8) {
    if role == .document || role == .artists { noteShape(byte) }
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

  private mutating func noteShape(_ byte: UInt8) {
    switch (role, byte) {
    case (.document, UInt8(ascii: "{")): shape = .noArtists
    case (.document, _), (_, UInt8(ascii: "{")): break
    case (_, UInt8(ascii: "[")): shape = .emptyArtists
    case (_, UInt8(ascii: "n")): shape = .nullArtists
    default: shape = .artistsNotAnArray
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

  private mutating func endLevel(_ byte: UInt8) {
    let isArray = levels.last == .artists || levels.last == .array
    guard isArray == (byte == UInt8(ascii: "]")), let level = levels.popLast() else { return place = .broken }
    if level == .artist { mentions.add(mention) }
    endValue()
  }

  private mutating func continueLevel() {
    switch levels.last {
    case .artists: (place, role) = (.value, .element)
    case .array: (place, role) = (.value, .nothing)
    default: place = .key
    }
  }

  private mutating func beginKey() {
    isKey = true
    beginText(isKept: levels.last == .document || levels.last == .artist)
    place = .string
  }

  /// Sets the role of the value that follows a key.
  mutating func endKey() {
    place = .colon
    role = .nothing
    guard isKept else { return }
    if levels.last == .document {
      guard keyBytes.elementsEqual("artists".utf8) else { return }
      guard !hasSeenArtists else { return duplicateKeyCount += 1 }
      hasSeenArtists = true
      role = .artists
    } else {
      let field: Role =
        keyBytes.elementsEqual("name".utf8)
        ? .name
        : keyBytes.elementsEqual("id".utf8) ? .id : keyBytes.elementsEqual("imageURL".utf8) ? .imageURL : .nothing
      let bit: UInt8 = 1 << field.rawValue
      if seenKeys & bit == 0 { role = field } else if field != .nothing { duplicateKeyCount += 1 }
      seenKeys |= bit
    }
  }

  private mutating func endLiteral() {
    if role == .element { mentions.addNameless() }
    endValue()
  }

  /// Takes complete text or a complete number.
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

/// The artists that a document mentions, in order.
///
/// Text is kept as ranges of one buffer, because most of it is only compared.
struct ArtistMentions {
  /// One artist.
  struct Mention {
    var name: Range<Int>?
    var id: Range<Int>?
    var imageURL: Range<Int>?
    /// The number of its ids and images that are too long.
    var longCount = 0
  }

  /// The mentions with a name.
  private(set) var named: [Mention] = []
  /// The number of mentions without a name.
  private(set) var namelessCount = 0
  /// The number of ids and images of mentions with a name that are too long.
  private(set) var longCount = 0
  /// The bytes of all text.
  var bytes: [UInt8] = []

  mutating func removeAll() {
    named.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    namelessCount = 0
    longCount = 0
  }

  /// Adds a mention; one without a name is only counted.
  mutating func add(_ mention: Mention) {
    guard mention.name?.isEmpty == false else { return namelessCount += 1 }
    named.append(mention)
    longCount += mention.longCount
  }

  /// Counts an element that is not an artist.
  mutating func addNameless() { namelessCount += 1 }
}
