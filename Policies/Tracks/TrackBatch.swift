internal import Migration

/// What the JSON of a run of tracks says about their artists.
///
/// Texts are ranges of one buffer rather than strings: most are only looked up and thrown away.
public struct TrackBatch: Sendable {
  /// A range of the buffer, or nothing.
  struct Text: Sendable {
    var start: Int
    /// The number of bytes; negative when there is no text.
    var count: Int

    static let none = Text(start: 0, count: -1)

    var isPresent: Bool { count >= 0 }
  }

  /// An artist as one track names it.
  struct Mention: Sendable {
    var name = Text.none
    var id = Text.none
    var imageURL = Text.none
    /// The hash of the image, where there is one.
    var imageHash: UInt64 = 0
    /// What the artist is looked up by.
    var key = Text.none
    /// Whether this is the track's `artistName` instead of an artist in its JSON.
    var isFallback = false
  }

  /// One track.
  struct Track: Sendable {
    let primaryKey: Int64
    /// The end of this track's mentions; they begin where those of the track before end.
    let mentionsEnd: Int
    /// Why the only mention, if there is one, is the track's `artistName`.
    let fallback: FallbackReason?
    /// Where the JSON could not be read on.
    let byteOffset: Int?
    /// The elements of `artists` that have no name.
    let namelessArtistCount: Int
    /// The keys that occur twice where only one can count; the first does.
    let duplicateKeyCount: Int
    /// The ids and images that are too long to be kept.
    let longValueCount: Int

    /// Whether there is JSON that could be read.
    var hasReadDocument: Bool {
      switch fallback {
      case .noJSON, .emptyJSON: false
      case let reason?: !reason.isUnreadable
      case nil: true
      }
    }
  }

  var bytes = ByteArena()
  var mentions: [Mention] = []
  /// The hashes of the mentions' keys.
  var hashes: [UInt64] = []
  var tracks: [Track] = []

  /// Adds an artist.
  mutating func append(_ mention: Mention, _ identity: ArtistIdentity) {
    var mention = mention
    if mention.imageURL.count > 0 { mention.imageHash = LookupTable.hash(text(mention.imageURL)) }
    mention.key = mention.name
    if identity == .id {
      // Ids and names share one table; the first byte tells them apart.
      let isID = mention.id.count > 0
      let text = isID ? mention.id : mention.name
      mention.key = Text(start: bytes.count, count: text.count + 1)
      bytes.append(isID ? 1 : 0)
      bytes.appendCopy(of: text.start..<(text.start + text.count))
    }
    mentions.append(mention)
    hashes.append(LookupTable.hash(text(mention.key)))
  }

  /// Takes back what was added from a mention and a byte on.
  mutating func removeAll(fromMention mention: Int, byte: Int) {
    mentions.removeSubrange(mention...)
    hashes.removeSubrange(mention...)
    bytes.removeAll(from: byte)
  }

  /// The bytes of a text, for as long as the batch is there; a buffer without base address is nothing.
  func text(_ text: Text) -> UnsafeRawBufferPointer {
    guard text.isPresent else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return bytes[text.start..<(text.start + text.count)]
  }

  /// A text as a string, for the few that a person reads.
  func string(_ text: Text) -> String { self.text(text).excerpt }
}
