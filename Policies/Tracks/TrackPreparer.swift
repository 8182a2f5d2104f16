public import Diagnostics
internal import JSONStream
public import Migration

/// Reads the JSON of tracks.
///
/// Touches nothing but the row, so any number of them can work at the same time.
public struct TrackPreparer: RowPreparer {
  /// The attributes that are read, in the order of the columns.
  static let attributes = ["json", "artistName"]

  private let identity: ArtistIdentity
  private let visitor: ArtistMentionVisitor
  private let parser: JSONStreamParser

  init(identity: ArtistIdentity) {
    self.identity = identity
    visitor = ArtistMentionVisitor(identity: identity)
    parser = JSONStreamParser(visitor: visitor)
  }

  /// Reads one track.
  public mutating func prepare(_ row: SourceRow) throws(MigrationError) {
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
    } else if visitor.batch.mentions.count == mentionsStart {
      reason = visitor.problem
    }
    if reason != nil {
      // What a document said before it turned out to be broken does not count.
      visitor.batch.removeAll(fromMention: mentionsStart, byte: bytesStart)
      try appendArtistName(of: row)
    }
    visitor.batch.tracks.append(
      TrackBatch.Track(
        primaryKey: row.primaryKey, mentionsEnd: visitor.batch.mentions.count, fallback: reason, byteOffset: byteOffset,
        namelessArtistCount: reason?.isUnreadable == true ? 0 : visitor.namelessArtistCount,
        duplicateKeyCount: reason?.isUnreadable == true ? 0 : visitor.duplicateKeyCount,
        longValueCount: reason == nil ? visitor.longValueCount : 0))
  }

  /// The size of the texts that were read since the last call of `takeBatch`.
  public var byteCount: Int { visitor.batch.bytes.count }

  /// Hands out what was read since the last call.
  public mutating func takeBatch() -> TrackBatch {
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

  /// Reads the document: at once, or piece by piece where it is very large.
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

  private func appendArtistName(of row: SourceRow) throws(MigrationError) {
    let start = visitor.batch.bytes.count
    try row.forEachPiece(of: 1) { visitor.batch.bytes.append($0) }
    let count = visitor.batch.bytes.count - start
    guard count > 0 else { return }
    visitor.batch.append(
      TrackBatch.Mention(name: TrackBatch.Text(start: start, count: count), isFallback: true), identity)
  }
}
