/// The artists in a track's JSON.
struct ExpectedDocument {
  /// An artist as a track names it.
  struct Mention {
    let name: [UInt8]
    var id: [UInt8]?
    var imageURL: [UInt8]?
    /// Whether the name is the track's `artistName`.
    var isFallback = false
  }

  var mentions: [Mention] = []
  /// Why there are no mentions.
  var reason: String?
  /// The byte offset at which a document becomes unreadable.
  var byteOffset: Int?
  var namelessCount = 0
  var duplicateKeyCount = 0
  /// The number of ids and images that are too long to be kept.
  var longValueCount = 0

  var isUnreadable: Bool { reason?.hasPrefix("json_") == true }

  /// Reads the JSON, which may be `nil`.
  init(_ json: [UInt8]?) {
    guard let json else {
      reason = "no_json"
      return
    }
    do throws(PlainJSON.Fault) {
      read(try PlainJSONReader.read(json))
    } catch {
      reason = error.code
      if isUnreadable { byteOffset = error.offset }
    }
  }

  private mutating func read(_ document: PlainJSON) {
    guard case .object(let members) = document else {
      reason = "not_an_object"
      return
    }
    duplicateKeyCount += Self.repetitions(of: ["artists"], in: members)
    switch document["artists"] {
    case nil: reason = "no_artists"
    case .null?: reason = "null_artists"
    case .boolean?, .number?, .string?: reason = "artists_not_an_array"
    case .array(let elements)?:
      for element in elements { addArtist(element) }
      if mentions.isEmpty { reason = elements.isEmpty ? "empty_artists" : "no_usable_artist" }
    case .some(let artist):
      addArtist(artist)
      if mentions.isEmpty { reason = "no_usable_artist" }
    }
  }

  private mutating func addArtist(_ artist: PlainJSON) {
    var mention: Mention?
    switch artist {
    case .string(let name): mention = Mention(name: name)
    case .object(let members):
      duplicateKeyCount += Self.repetitions(of: ["id", "name", "imageURL"], in: members)
      mention = artist["name"]?.bytes.map {
        Mention(name: $0, id: kept(artist["id"]), imageURL: kept(artist["imageURL"]))
      }
    default: break
    }
    if let mention, !mention.name.isEmpty { mentions.append(mention) } else { namelessCount += 1 }
  }

  /// Texts of this length in random documents contain no escapes.
  private mutating func kept(_ value: PlainJSON?) -> [UInt8]? {
    guard let bytes = value?.bytes, bytes.count > 1 << 20 else { return value?.bytes }
    longValueCount += 1
    return nil
  }

  private static func repetitions(of keys: [String], in members: [(key: [UInt8], value: PlainJSON)]) -> Int {
    keys.map { key in max(0, members.count { $0.key == Array(key.utf8) } - 1) }.reduce(0, +)
  }
}
