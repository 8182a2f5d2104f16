internal import JSONPresets
internal import JSONStream
package import Migration
package import MigrationDiagnostics

/// Reads the JSON of tracks.
///
/// Touches nothing but the row, so any number of them can work at the same time.
package struct TrackPreparer: RowPreparer {
  /// The attributes that are read, in the order of the columns.
  static let attributes = ["json", "artistName"]

  private let identity: ArtistIdentity
  private let visitor: ArtistMentionVisitor
  private let parser: JSONStreamParser
  private let envelopes: EnvelopeSearch

  init(_ trie: PresetTrie, options: TrackMigrationOptions) {
    identity = options.identity
    visitor = ArtistMentionVisitor(trie, options: options)
    parser = JSONStreamParser(visitor: visitor)
    envelopes = EnvelopeSearch(trie)
  }

  /// Reads one track.
  package mutating func prepare(_ row: SourceRow) throws(MigrationError) {
    let bytesStart = visitor.batch.bytes.count
    let mentionsStart = visitor.batch.mentions.count
    visitor.begin()
    var reason: FallbackReason?
    var byteOffset: Int?
    if row.isNull(0) {
      reason = .noJSON
    } else if let error = try parse(row) {
      reason = FallbackReason(error.code)
      byteOffset = error.byteOffset
    } else {
      visitor.finish()
      if visitor.mayBeEnvelope, let inside = try trackInside(row) { visitor.take(inside) }
      if visitor.batch.mentions.count == mentionsStart { reason = visitor.outcome.problem }
    }
    if reason != nil {
      // Mentions from a document that turned out to be broken are dropped.
      visitor.batch.removeAll(fromMention: mentionsStart, byte: bytesStart)
      try appendArtistName(of: row)
    }
    if let preset = visitor.preset { visitor.batch.count(preset) }
    visitor.batch.tracks.append(
      TrackBatch.Track(
        primaryKey: row.primaryKey, mentionsEnd: visitor.batch.mentions.count, fallback: reason, byteOffset: byteOffset,
        oddities: TrackBatch.Oddities(visitor.outcome, hasArtists: reason == nil)))
  }

  /// The size of the texts that were read since the last call of `takeBatch`.
  package var byteCount: Int { visitor.batch.bytes.count }

  /// Hands out what was read since the last call.
  package mutating func takeBatch() -> TrackBatch {
    defer {
      // The next one will be about as large.
      let last = visitor.batch
      visitor.batch = TrackBatch()
      visitor.batch.bytes = ByteArena(capacity: max(last.bytes.count, 1 << 12))
      visitor.batch.mentions.reserveCapacity(last.mentions.count)
      visitor.batch.hashes.reserveCapacity(last.hashes.count)
      visitor.batch.tracks.reserveCapacity(last.tracks.count)
    }
    return visitor.batch
  }

  /// Reads the document: all at once, or in pieces if it is very large.
  private func parse(_ row: SourceRow) throws(MigrationError) -> JSONStreamError? {
    let whole = try row.withWholeText(0) { text throws(MigrationError) -> JSONStreamError? in
      do throws(JSONStreamError) {
        try parser.parse(text)
        return nil
      } catch {
        return error
      }
    }
    if let whole { return whole }

    var failure: JSONStreamError?
    parser.begin()
    try row.forEachPiece(of: 0) { piece throws(MigrationError) in
      guard failure == nil else { return }
      do throws(JSONStreamError) { try parser.append(piece) } catch { failure = error }
    }
    if failure == nil {
      do throws(JSONStreamError) { try parser.finish() } catch { failure = error }
    }
    return failure
  }

  /// The only track inside of a document that is none itself.
  private func trackInside(_ row: SourceRow) throws(MigrationError) -> EnvelopeSearch.Candidate? {
    try envelopes.track(visitor.batch.bytes) { read throws(MigrationError) in
      try row.forEachPiece(of: 0) { piece throws(MigrationError) in read(piece) }
    }
  }

  private func appendArtistName(of row: SourceRow) throws(MigrationError) {
    visitor.batch.bytes.append(UInt8(0))
    let start = visitor.batch.bytes.count
    try row.forEachPiece(of: 1) { visitor.batch.bytes.append($0) }
    let count = visitor.batch.bytes.count - start
    guard count > 0 else { return }
    visitor.batch.append(
      TrackBatch.Mention(name: TrackBatch.Text(start: start, count: count), isFallback: true), identity)
    visitor.decideArtistName()
  }
}

/// The artists mentioned in the JSON of a run of tracks.
///
/// Texts are ranges of one buffer rather than strings: most are only looked up and thrown away.
package struct TrackBatch: Sendable {
  /// A range of the buffer, or nothing.
  struct Text: Sendable {
    var start: Int
    /// The number of bytes; negative if there is no text.
    var count: Int

    static let none = Text(start: 0, count: -1)
    /// Text that is too long to keep.
    static let tooLong = Text(start: 0, count: -2)

    var isPresent: Bool { count >= 0 }
    var isTooLong: Bool { count == -2 }
    /// Whether there was a value, kept or not.
    var isSettled: Bool { count != -1 }
  }

  /// An artist as mentioned by one track.
  struct Mention: Sendable {
    var name = Text.none
    var id = Text.none
    var imageURL = Text.none
    /// The name as this track credits it, if the document says so.
    var credited = Text.none
    /// The artist's primary key, if the document was exported from a library.
    var primaryKey = Text.none
    /// The artist's part in the track, if the document gives it.
    var role: ArtistRole?
    /// The hash of the image, if there is one.
    var imageHash: UInt64 = 0
    /// The key by which the artist is looked up.
    var key = Text.none
    /// The other identifier with its service, for finding conflicts: the id where names identify artists, else the name.
    var rival = Text.none
    /// Whether this is the track's `artistName` instead of an artist in its JSON.
    var isFallback = false
  }

  /// One track.
  struct Track: Sendable {
    let primaryKey: Int64
    /// The end of this track's mentions; they begin where the previous track's end.
    let mentionsEnd: Int
    /// The reason for the only mention being the track's `artistName`, if it is.
    let fallback: FallbackReason?
    /// The offset at which reading the JSON failed.
    let byteOffset: Int?
    let oddities: Oddities

    /// The reason for keeping the document: the new library does not fully represent it.
    var rejectReason: String? { oddities.rejectReason(after: fallback) }
  }

  var bytes = ByteArena()
  var mentions: [Mention] = []
  /// The hashes of the mentions' keys.
  var hashes: [UInt64] = []
  var tracks: [Track] = []
  /// The number of documents that match each preset.
  private(set) var presetCounts: [Int] = []
  /// The number of mentions with each role.
  var roleCounts: [ArtistRole: Int] = [:]
  /// The number of joined names that were split.
  var splitNameCount = 0
  /// The number of uses of each decision.
  private(set) var decisionCounts: [Int] = []

  /// Counts a document that matches a preset.
  mutating func count(_ preset: Int) {
    while presetCounts.count <= preset { presetCounts.append(0) }
    presetCounts[preset] += 1
  }

  /// Counts a decision that was carried out.
  mutating func count(decision: Int, by count: Int = 1) {
    while decisionCounts.count <= decision { decisionCounts.append(0) }
    decisionCounts[decision] += count
  }

  /// Adds text.
  func append(_ text: String) -> Text {
    var text = text
    return text.withUTF8 { Text(start: bytes.appendMarked(UnsafeRawBufferPointer($0)), count: $0.count) }
  }

  /// Adds an artist; ids of different namespaces are different ids.
  mutating func append(_ mention: Mention, _ identity: ArtistIdentity, namespace: UInt8 = 0) {
    if let role = mention.role { roleCounts[role, default: 0] += 1 }
    add(mention, identity, namespace: namespace)
  }

  /// Adds an artist whose role has been counted.
  @inline(__always)
  mutating func add(_ mention: Mention, _ identity: ArtistIdentity, namespace: UInt8) {
    var mention = mention
    if mention.imageURL.count > 0 { mention.imageHash = LookupTable.hash(text(mention.imageURL)) }
    let hasID = mention.id.count > 0
    // An artist of a library may have no name.
    let name = mention.name.isPresent ? mention.name : append("")
    switch identity {
    case .name:
      mention.key = name
      if hasID { mention.rival = marked(mention.id, 1 + namespace) }
    case .id:
      // Ids and names share one table; the first byte distinguishes them, and the ids of each service. What has neither
      // is like nothing else.
      mention.key = hasID ? marked(mention.id, 1 + namespace) : name.count > 0 ? marked(name, 0) : name
      if hasID { mention.rival = marked(name, 1 + namespace) }
    }
    mentions.append(mention)
    hashes.append(LookupTable.hash(text(mention.key)))
  }

  /// A text with a byte before it.
  private func marked(_ text: Text, _ byte: UInt8) -> Text {
    bytes.mark(text.start, byte)
    return Text(start: text.start - 1, count: text.count + 1)
  }

  /// Removes everything but the texts, and keeps the room for more.
  mutating func removeAll() {
    // To remove nothing from a list takes longer than to see that it is empty.
    if !mentions.isEmpty {
      mentions.removeAll(keepingCapacity: true)
      hashes.removeAll(keepingCapacity: true)
    }
    if !tracks.isEmpty { tracks.removeAll(keepingCapacity: true) }
    if !presetCounts.isEmpty { presetCounts.removeAll(keepingCapacity: true) }
    if !roleCounts.isEmpty { roleCounts.removeAll(keepingCapacity: true) }
    if !decisionCounts.isEmpty { decisionCounts.removeAll(keepingCapacity: true) }
    splitNameCount = 0
  }

  /// Removes the mentions since one of them, and returns them; their texts stay.
  mutating func takeMentions(from start: Int) -> [Mention] {
    defer {
      mentions.removeSubrange(start...)
      hashes.removeSubrange(start...)
    }
    return Array(mentions[start...])
  }

  /// Removes everything added since a mention and a byte.
  mutating func removeAll(fromMention mention: Int, byte: Int) {
    mentions.removeSubrange(mention...)
    hashes.removeSubrange(mention...)
    bytes.removeAll(from: byte)
  }

  /// The bytes of a text, valid as long as the batch exists; a buffer without a base address means no text.
  func text(_ text: Text) -> UnsafeRawBufferPointer {
    guard text.isPresent else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return bytes[text.start..<(text.start + text.count)]
  }

  /// A text as a string, for the few that are shown to a person.
  func string(_ text: Text) -> String { self.text(text).excerpt }
}

/// A reason why a track's artists could not be read from its JSON, so that its `artistName` was used instead.
///
/// The raw values are stable: they stand in statistics and in the rejects file.
package enum FallbackReason: String, Sendable, Hashable, CaseIterable {
  /// The track has no JSON.
  case noJSON = "no_json"
  /// The JSON is empty or blank.
  case emptyJSON = "empty_json"
  /// The document is not an object.
  case notAnObject = "not_an_object"
  /// The document matches no preset, or its preset finds nothing where artists should be.
  case noArtists = "no_artists"
  /// The document is the answer for something else than one track, such as an album.
  case otherAnswer = "other_answer"
  case nullArtists = "null_artists"
  case emptyArtists = "empty_artists"
  /// `artists` is neither an array nor an object.
  case artistsNotAnArray = "artists_not_an_array"
  /// No element of `artists` has a name.
  case noUsableArtist = "no_usable_artist"
  /// All artists have roles that are not wanted.
  case otherRoles = "other_roles"
  /// Decisions say to ignore all artists.
  case ignoredArtists = "ignored_artists"

  // The document cannot be read; its raw text goes to the rejects file.
  case syntax = "json_syntax"
  case truncated = "json_truncated"
  case trailingBytes = "json_trailing_bytes"
  case invalidUTF8 = "json_invalid_utf8"
  case loneSurrogate = "json_lone_surrogate"
  case tooDeep = "json_too_deep"
  case tooLong = "json_too_long"

  /// The counter of the tracks with this reason, in `MigrationStatistics`.
  package var counter: String { Facts.Group.fallbacks.counter(rawValue) }

  /// Whether the document could not be read at all.
  package var isUnreadable: Bool {
    switch self {
    case .syntax, .truncated, .trailingBytes, .invalidUTF8, .loneSurrogate, .tooDeep, .tooLong: true
    case .noJSON, .emptyJSON, .notAnObject, .noArtists, .otherAnswer, .nullArtists, .emptyArtists, .artistsNotAnArray,
      .noUsableArtist, .otherRoles, .ignoredArtists:
      false
    }
  }

  /// Whether the document could be read but has an unknown shape.
  ///
  /// What says by itself that there are not artists, with `null` or an empty array, has not.
  package var isOtherShape: Bool {
    switch self {
    case .notAnObject, .noArtists, .otherAnswer, .artistsNotAnArray, .noUsableArtist: true
    case .noJSON, .emptyJSON, .nullArtists, .emptyArtists, .otherRoles, .ignoredArtists, .syntax, .truncated,
      .trailingBytes, .invalidUTF8, .loneSurrogate, .tooDeep, .tooLong:
      false
    }
  }

  /// A few words for a person.
  package var summary: String {
    switch self {
    case .noJSON: "no JSON"
    case .emptyJSON: "empty JSON"
    case .notAnObject: "JSON is not an object"
    case .noArtists: "no artists found in the JSON"
    case .otherAnswer: "JSON about an album, a list or an error, not one track"
    case .nullArtists: "\"artists\" is null"
    case .emptyArtists: "\"artists\" is empty"
    case .artistsNotAnArray: "\"artists\" is not an array"
    case .noUsableArtist: "no artist with a name"
    case .otherRoles: "no artist with the wanted role"
    case .ignoredArtists: "all artists ignored by decisions"
    case .syntax: "broken JSON"
    case .truncated: "JSON ends too early"
    case .trailingBytes: "something after the JSON"
    case .invalidUTF8: "JSON is not valid UTF-8"
    case .loneSurrogate: "half a surrogate pair in the JSON"
    case .tooDeep: "JSON nests too deep"
    case .tooLong: "a number in the JSON is too long"
    }
  }

  init(_ code: JSONStreamError.Code) {
    self =
      switch code {
      case .empty: .emptyJSON
      case .truncated: .truncated
      case .trailingBytes: .trailingBytes
      case .invalidUTF8: .invalidUTF8
      case .loneSurrogate: .loneSurrogate
      case .tooDeep: .tooDeep
      case .tooLong: .tooLong
      case .syntax: .syntax
      }
  }
}

extension FallbackReason? {
  /// Whether there is readable JSON, if this is the reason for doing without its artists.
  var hasReadDocument: Bool {
    switch self {
    case .noJSON, .emptyJSON: false
    case let reason?: !reason.isUnreadable
    case nil: true
    }
  }
}
