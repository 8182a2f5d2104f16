package import JSONPresets
internal import Migration
internal import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase
package import TerminalOutput

/// Writes what a shard of tracks says, line by line, so that a cluster can put the shards of a library together.
///
/// Each line is an object whose `kind` is `track`, `mention` (of an artist by a track), `reject` or, in the last line,
/// `summary`; see docs/cluster.md. What a line or row means is decided by the code of an import or a migration.
package final class TrackExtractor {
  /// The counts of an extraction, as its last line reports them.
  package struct Summary: Sendable {
    package fileprivate(set) var trackCount = 0
    package fileprivate(set) var mentionCount = 0
    package fileprivate(set) var rejectCount = 0
    /// In a sentence, what was read of the feed and what was not, where that is not plain.
    package var feedNote: String?
    /// In sentences, what chosen paths did not find, and what artists lose for it.
    package fileprivate(set) var pathFindings: [String] = []
    /// The number of times that are not dates, and the first line with one.
    package var unreadTimes: (count: Int, example: String)? { statistics.unreadTimes }
    /// In a sentence, the looks of the JSON if more than half of it has an unknown shape.
    package var unmatchedJSON: String? { statistics.unmatchedJSON }
    /// The likely places of artists in JSON of an unknown shape.
    package var suggestedPresets: [Preset] { statistics.suggestedPresets ?? [] }
    /// What a migration and an import count too.
    fileprivate var statistics = MigrationStatistics()
    fileprivate var repairedTexts = 0
    /// The number of uses of each decision, by its place.
    fileprivate var decisions: [Int: Int] = [:]
  }

  package private(set) var summary = Summary()
  private let options: TrackMigrationOptions
  private let output: any TextOutput
  private let isCancelled: () -> Bool
  private var line: [UInt8] = []
  private lazy var rejects = RejectsFile(kind: "reject") { [unowned self] in rejected += $0 }
  private var rejected: [UInt8] = []
  /// The survey of chosen paths and of the first documents.
  private var survey: PathSurvey?
  private var tally = PathSurvey.Tally()
  /// The choices among documents with artists and without.
  private var choices = (found: SpreadChoice(), missed: SpreadChoice())
  private var unmatched = UnmatchedDocuments()
  private var untaken = UntakenDetails()
  /// The services' names by the number of their namespace.
  private var services: [UInt8: String] = [:]

  /// Prepares to write to a stream.
  package init(_ options: TrackMigrationOptions, to output: any TextOutput, isCancelled: @escaping () -> Bool) {
    (self.options, self.output, self.isCancelled) = (options, output, isCancelled)
    survey = PathSurvey(options.json)
  }

  // MARK: - Feeds

  /// Writes the tracks of a feed.
  ///
  /// - Parameter firstKey: The key of the first track without one; each of the others gets the next.
  package func extract(
    _ feed: any TrackFeed, titlePath: JSONPath?, playedPath: JSONPath?, firstKey: Int64
  ) throws {
    let trie = FeedLineReader.makeTrie(options, titlePath: titlePath, playedPath: playedPath)
    let reader = FeedLineReader(options, trie)
    survey = PathSurvey(options.json, titlePath: titlePath, playedPath: playedPath)
    learnServices(trie)
    // None once the greatest key is taken.
    var nextKey: Int64? = firstKey
    while let line = try feed.nextLine() {
      if feed.lineNumber.isMultiple(of: 256) { try requireNoEnd(feed.name) }
      do {
        let track = try reader.read(line)
        guard !track.isOnlyArtist else { throw FeedLineReader.Rejection(.artistWithoutTrack) }
        guard let key = track.key ?? nextKey else { throw noKeysLeft(line: feed.lineNumber, of: feed.name) }
        nextKey = key < .max ? nextKey.map { max($0, key + 1) } : nil
        let batch = reader.batch
        try write(key, (bytes(track.title, batch), bytes(track.imageURL, batch), track.lastPlayedAt))
        try write(mentionsIn: batch, 0..<batch.mentions.count, ofTrack: key)
        count(batch, trie, track.oddities, track.fallback)
        tally.add(track)
        untaken.add(track) { line }
        if track.hasUnreadTime { summary.statistics.count(.unreadTimes, example: "line \(feed.lineNumber)") }
        unmatched.add(track.fallback, "line \(feed.lineNumber)") {
          UnmatchedDocuments.document(ofLine: Array(line))
        }
        try look(at: batch.mentions, track.fallback) { isMissed in
          if line.count <= PathSurvey.sizeLimit { survey?.read(line: Array(line), isMissed: isMissed) }
        }
        if let preset = reader.preset {
          summary.statistics.count(Facts.Group.presets.counter(trie.entries[preset].preset.name))
        }
        if let reason = track.rejectReason { try reject(line, feed.lineNumber, reason, track.byteOffset) }
      } catch let rejection as FeedLineReader.Rejection {
        try reject(line, feed.lineNumber, rejection.reason, rejection.byteOffset)
      }
    }
    try finish(feed.name)
  }

  private func noKeysLeft(line: Int, of feed: String) -> MigrationError {
    var error = MigrationError(
      .unusableFeed, path: feed, detail: "line \(line) has no key, and no key is left after \(Int64.max)")
    error.advice = "Give every line a 'key', or no line the greatest one."
    return error
  }

  /// The document of a track, or its beginning if it is too long to be surveyed.
  private func document(of row: SourceRow) throws -> [UInt8] {
    var document: [UInt8] = []
    try row.forEachPiece(of: 0) { if document.count <= PathSurvey.sizeLimit { document += $0 } }
    return document
  }

  private func bytes(_ text: TrackBatch.Text, _ batch: TrackBatch) -> ArraySlice<UInt8>? {
    text.isPresent ? Array(batch.text(text))[...] : nil
  }

  private func reject(_ line: UnsafeRawBufferPointer, _ number: Int, _ reason: String, _ byteOffset: Int?) throws {
    try rejects.add(line: number, reason: reason, byteOffset: byteOffset, raw: line)
    try writeRejects()
  }

  // MARK: - Stores

  /// Writes the tracks of a library that has not been migrated.
  package func extract(_ store: StoreReader, _ schema: StoreSchema) throws {
    try store.checkingPages(for: .tables) { try extractRows(store, schema) }
    try finish(store.file.path)
  }

  private func extractRows(_ store: StoreReader, _ schema: StoreSchema) throws {
    let path = store.file.path
    let trie = PresetTrie.of(options.json)
    learnServices(trie)
    let details = ["title", "imageURL", "lastPlayedAt"].map {
      schema.column(forProperty: $0, ofEntityNamed: "Track")?.name.quotedIdentifier ?? "NULL"
    }
    let table = schema.table(forEntityNamed: "Track")?.name.quotedIdentifier ?? "NULL"
    let rows = try SourceRows(of: "Track", attributes: TrackPreparer.attributes, in: store, schema)
    let values = try store.connection.prepare(
      "SELECT Z_PK, \(details.joined(separator: ", ")) FROM \(table) ORDER BY Z_PK")
    var preparer = TrackPreparer(trie, options: options)
    while let row = try rows.next() {
      if summary.trackCount.isMultiple(of: 256) { try requireNoEnd(path) }
      // Both read in the same order, so that they differ only if a program has written in between.
      guard try values.step(), values.integer(0) == row.primaryKey else {
        throw MigrationError(.changedMeanwhile, path: path)
      }
      guard row.primaryKey > 0 else {
        var error = MigrationError(
          .migrationFailed, MigrationError.Subject(path: path, entity: "Track", row: row.primaryKey),
          detail: "its key is below 1, and no library can be assembled of it")
        error.advice = "Migrate the library on one machine instead, with: \(.migrate(path))"
        throw error
      }
      try preparer.prepare(row)
      let batch = preparer.takeBatch()
      let title = text(values, 1)
      let date: Double? = values.isNull(3) ? nil : values.real(3)
      try write(row.primaryKey, (title.map { $0[...] }, text(values, 2).map { $0[...] }, date))
      try write(mentionsIn: batch, 0..<batch.mentions.count, ofTrack: row.primaryKey)
      guard let track = batch.tracks.first else { continue }
      count(batch, trie, track.oddities, track.fallback)
      try unmatched.add(track.fallback, "track \(row.primaryKey)") { try document(of: row) }
      try look(at: batch.mentions, track.fallback) { isMissed in
        let document = try document(of: row)
        if document.count <= PathSurvey.sizeLimit { survey?.read(document, isMissed: isMissed) }
      }
      guard let reason = track.rejectReason else { continue }
      let facts = RejectsFile.Facts(
        primaryKey: row.primaryKey, title: title.map { String(decoding: $0, as: UTF8.self) }, reason: reason,
        byteOffset: track.byteOffset)
      try rows.reject(facts, attribute: "json", to: rejects)
      try writeRejects()
    }
  }

  private func text(_ row: Statement, _ column: Int32) -> [UInt8]? {
    if row.invalidText(Int(column)) != nil { summary.repairedTexts += 1 }
    return row.text(Int(column)).map { Array($0.utf8) }
  }

  // MARK: - Lines

  private func learnServices(_ trie: PresetTrie) {
    for entry in trie.entries where services[entry.reading.namespace] == nil {
      services[entry.reading.namespace] = entry.preset.namespace
    }
  }

  private func write(
    _ key: Int64, _ values: (title: ArraySlice<UInt8>?, imageURL: ArraySlice<UInt8>?, lastPlayedAt: Double?)
  ) throws {
    summary.trackCount += 1
    begin("track")
    add("key", "\(key)")
    add("title", values.title)
    add("imageURL", values.imageURL)
    if let date = values.lastPlayedAt { add("secondsSince2001", date.isFinite ? "\(date)" : "\"\(date)\"") }
    try end()
  }

  private func write(mentionsIn batch: TrackBatch, _ places: Range<Int>, ofTrack key: Int64) throws {
    for place in places {
      let mention = batch.mentions[place]
      summary.mentionCount += 1
      begin("mention")
      add("track", "\(key)")
      add("position", "\(place - places.lowerBound)")
      add("artist", identity(of: mention, in: batch)[...])
      add("name", valid(batch.text(mention.name), mention.name))
      add("id", valid(batch.text(mention.id), mention.id))
      add("imageURL", valid(batch.text(mention.imageURL), mention.imageURL))
      add("credited", valid(batch.text(mention.credited), mention.credited))
      if let role = mention.role { add("role", "\"\(role.rawValue)\"") }
      if mention.isFallback { add("fallback", "true") }
      try end()
    }
  }

  /// Returns the identity of an artist: its name, or the service and the id.
  private func identity(of mention: TrackBatch.Mention, in batch: TrackBatch) -> [UInt8] {
    let key = batch.text(mention.key)
    switch options.identity {
    case .name: return valid(key, mention.key).map(Array.init) ?? []
    case .id:
      let kind = key.first.flatMap { $0 == 0 ? nil : services[$0 - 1] }.map { "id:\($0):" } ?? "name:"
      return Array(kind.utf8) + (valid(UnsafeRawBufferPointer(rebasing: key.dropFirst()), mention.key) ?? [])
    }
  }

  /// A text whose bytes JSON can hold.
  private func valid(_ bytes: UnsafeRawBufferPointer, _ text: TrackBatch.Text) -> ArraySlice<UInt8>? {
    guard text.isPresent else { return nil }
    // Only an artistName can be broken: JSON that is not UTF-8 was not read.
    guard String(validating: bytes, as: UTF8.self) != nil else {
      summary.repairedTexts += 1
      return Array(String(decoding: bytes, as: UTF8.self).utf8)[...]
    }
    return Array(bytes)[...]
  }

  private func begin(_ kind: String) {
    line.removeAll(keepingCapacity: true)
    line += "{\"kind\":\"\(kind)\"".utf8
  }

  private func add(_ name: String, _ json: String) { line += ",\"\(name)\":\(json)".utf8 }

  private func add(_ name: String, _ text: ArraySlice<UInt8>?) {
    guard let text else { return }
    line += ",\"\(name)\":\"".utf8
    text.withUnsafeBytes { JSONText.append(utf8: $0, to: &line) }
    line.append(UInt8(ascii: "\""))
  }

  private func end() throws {
    line += "}\n".utf8
    try output.write(utf8: line)
  }

  private func writeRejects() throws {
    try rejects.finish()
    try output.write(utf8: rejected)
    rejected.removeAll(keepingCapacity: true)
    summary.rejectCount += 1
  }

  private func requireNoEnd(_ path: String) throws(MigrationError) {
    if isCancelled() { throw MigrationError(.interrupted, path: path) }
  }

  // MARK: - Summary

  /// Counts what chosen paths find, and lets some documents be surveyed.
  private func look(
    at mentions: [TrackBatch.Mention], _ fallback: FallbackReason?, _ read: (_ isMissed: Bool) throws -> Void
  ) throws {
    guard survey != nil else { return }
    let missed = tally.missedCount
    tally.add(mentions, fallback: fallback)
    let isMissed = tally.missedCount > missed
    if isMissed ? choices.missed.takesNext() : choices.found.takesNext() { try read(isMissed) }
  }

  private func count(
    _ batch: TrackBatch, _ trie: PresetTrie, _ oddities: TrackBatch.Oddities, _ fallback: FallbackReason?
  ) {
    batch.count(in: &summary.statistics, trie, options)
    _ = summary.statistics.count(oddities, after: fallback, hasArtists: !batch.mentions.isEmpty)
    for (place, count) in batch.decisionCounts.enumerated() where count > 0 {
      summary.decisions[place, default: 0] += count
    }
  }

  private func finish(_ input: String) throws {
    summary.pathFindings = (survey?.findings(tally).all ?? []) + untaken.findings(options.json)
    unmatched.count(in: &summary.statistics)
    var facts = Facts(summary.statistics, options, isShard: true)
    // Each decision is counted by itself, so that it is known of all shards together whether it was carried out.
    facts.groups[.decisions] = nil
    let object = JSONObject { object in
      object.add("kind", .string("summary"))
      object.add("input", .string(input))
      object.add("identity", .string(options.identity.rawValue))
      object.add("tracks_count", FieldValue(summary.trackCount))
      object.add("mentions_count", FieldValue(summary.mentionCount))
      object.add("rejects_count", FieldValue(summary.rejectCount))
      object.add(facts)
      object.add(
        "decisions_count_by_line",
        object: .counts(Dictionary(uniqueKeysWithValues: summary.decisions.map { ("\($0.key + 1)", $0.value) })))
      object.add("repaired_texts_count", FieldValue(summary.repairedTexts))
      object.add("tool_version", .string(toolVersion))
    }
    try output.writeLine(object.text)
    try output.flush()
  }
}
