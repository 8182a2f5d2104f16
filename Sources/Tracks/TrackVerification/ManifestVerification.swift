package import DataModel
internal import FeedFiles
internal import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase
package import Verification

/// Proves that a library has the rows that a manifest lists, and no others.
///
/// The rows are read again by readers of this module, and in the order of their keys, so that memory does not grow with
/// them. docs/cluster.md has the format.
package struct ManifestVerification {
  private let manifestPath: String
  private let model: ManagedObjectModel
  private let store: StoreReader
  /// Which of how many libraries this is, among which the tracks were divided; from 0 on.
  package var part = (number: 0, count: 1)
  package var isCancelled: () -> Bool = { false }

  package init(manifestPath: String, _ model: ManagedObjectModel, store: StoreReader) {
    (self.manifestPath, self.model, self.store) = (manifestPath, model, store)
  }

  /// Compares the library with the rows.
  ///
  /// - Returns: What the library had to have; `nil` if its rows cannot be compared, which is a difference.
  package func run(_ log: DifferenceLog) throws -> RequiredCounts? {
    try store.compared(with: store, isCancelled) {
      try ManifestComparison(self, manifestPath, model, store, log).run()
    } damaged: { message in
      try log.add(.damage) { $0.found = message }
    }
  }
}

/// One comparison of a library with the rows of a manifest.
private final class ManifestComparison {
  private let verification: ManifestVerification
  private let manifest: AssemblyManifest
  private let side: StoreSide
  private let names: LinkNames
  private let log: DifferenceLog
  private var counts = RequiredCounts()
  /// The keys of the tracks that belong here: those from the first on, and before the second.
  private var range = (from: Int64.min, to: Int64?.none)

  init(
    _ verification: ManifestVerification, _ path: String, _ model: ManagedObjectModel, _ store: StoreReader,
    _ log: DifferenceLog
  ) throws {
    let schema = try StoreSchema(model, introspecting: store)
    guard let names = LinkNames(schema) else { throw MigrationError(.migrationRequired, path: store.file.path) }
    (self.verification, self.names, self.log) = (verification, names, log)
    manifest = try AssemblyManifest(path: path)
    side = StoreSide(reader: store, schema: schema)
  }

  func run() throws -> RequiredCounts? {
    let check = StoreCheck(old: side, new: side, log: log)
    let hasTables = try check.checkSchema(besides: [])
    guard try check.checkIntegrity(), hasTables else { return nil }
    try check.checkPrimaryKeys()
    if let uuid = manifest.uuid, verification.part.count == 1, side.reader.metadata.uuid != uuid.uppercased() {
      try log.add(.metadata) { ($0.property, $0.expected, $0.found) = ("Z_UUID", uuid, side.reader.metadata.uuid) }
    }
    try checkTracks()
    try checkArtistsAndLinks()
    return counts
  }

  private func rows(_ table: String, _ columns: [String], order: [String]) throws -> SortedRows {
    let names = columns.map(\.quotedIdentifier).joined(separator: ", ")
    let order = order.map(\.quotedIdentifier).joined(separator: ", ")
    return SortedRows(
      try side.connection.prepare("SELECT \(names) FROM \(table.quotedIdentifier) ORDER BY \(order)"))
  }

  private func reader(of run: AssemblyManifest.Run) throws -> ManifestLines {
    let files = try run.files.map { file in
      (path: try file.resolved(besides: manifest.path), sha256: file.sha256)
    }
    return ManifestLines(files, verification.isCancelled)
  }

  private func column(_ name: String, of entity: String) -> String {
    side.schema.column(forProperty: name, ofEntityNamed: entity)?.name ?? name
  }

  // MARK: - Tracks

  private func checkTracks() throws {
    let columns = RequiredTrack.properties.map { column($0, of: "Track") }
    let found = try rows(names.tracks, ["Z_PK"] + columns, order: ["Z_PK"])
    let (number, count) = verification.part
    let trackCount = manifest.tracks.count
    let ranks = (trackCount * number / count)..<(trackCount * (number + 1) / count)
    let lines = try reader(of: manifest.tracks)
    while try lines.next() {
      try lines.requireKind("track")
      let key = try lines.key("key")
      if lines.count - 1 == ranks.lowerBound { range.from = key }
      if lines.count - 1 == ranks.upperBound { range.to = key }
      guard ranks.contains(lines.count - 1) else { continue }
      counts.tracks += 1
      try skip(found, to: [key], .extraRow, "Track")
      guard try found.key == [key] else {
        try log.add(.missingRow) { ($0.entity, $0.row) = ("Track", key) }
        continue
      }
      let track = RequiredTrack(
        title: try lines.text("title"), imageURL: try lines.text("imageURL"),
        lastPlayedAt: try lines.seconds("secondsSince2001"))
      try log.compare(found.row, with: track)
      try found.advance()
    }
    try skip(found, to: nil, .extraRow, "Track")
  }

  /// Reports the rows before a key, which nothing requires.
  private func skip(_ found: SortedRows, to key: [Int64]?, _ kind: Difference.Kind, _ entity: String) throws {
    while let extra = try found.key, key.map({ extra.lexicographicallyPrecedes($0) }) ?? true {
      if kind == .extraLink {
        try log.addExtraLink(ofTrack: extra[1], toArtist: extra[0])
      } else {
        try log.add(kind) { ($0.entity, $0.row) = (entity, extra[0]) }
      }
      try found.advance()
    }
  }

  // MARK: - Artists and links

  private func checkArtistsAndLinks() throws {
    let details = RequiredArtist.properties.map { column($0, of: "Artist") }
    let foundArtists = try rows(names.artists, ["Z_PK"] + details, order: ["Z_PK"])
    let foundLinks = try rows(names.table, [names.artist, names.track], order: [names.artist, names.track])
    foundLinks.keyCount = 2
    let lines = try reader(of: manifest.artists)
    let links = try reader(of: manifest.links)
    var link = try nextLink(links)
    while try lines.next() {
      let key = try lines.key("key")
      var isNeeded = verification.part.count == 1
      while let (artist, track) = link, artist <= key {
        if artist < key { throw links.error("artist \(artist) is missing in the artists") }
        isNeeded = true
        counts.links += 1
        try skip(foundLinks, to: [artist, track], .extraLink, "Track")
        if try foundLinks.key == [artist, track] {
          try foundLinks.advance()
        } else {
          try log.addMissingLink(ofTrack: track, toArtist: artist)
        }
        link = try nextLink(links)
      }
      guard isNeeded else { continue }
      counts.artists += 1
      try skip(foundArtists, to: [key], .extraArtist, "Artist")
      let artist = RequiredArtist(
        name: try lines.text("name"), id: try lines.text("id"), imageURL: try lines.text("imageURL"))
      guard try foundArtists.key == [key] else {
        try log.addMissing(artist, key)
        continue
      }
      try log.compare(foundArtists.row, with: artist)
      try foundArtists.advance()
    }
    if let link { throw links.error("artist \(link.artist) is missing in the artists") }
    try skip(foundArtists, to: nil, .extraArtist, "Artist")
    try skip(foundLinks, to: nil, .extraLink, "Track")
  }

  /// The next link of a track that belongs here.
  private func nextLink(_ links: ManifestLines) throws -> (artist: Int64, track: Int64)? {
    while try links.next() {
      let (artist, track) = (try links.key("artist"), try links.key("track"))
      // What comes before the first track is the business of the first library.
      if track >= range.from || verification.part.number == 0, range.to.map({ track < $0 }) ?? true {
        return (artist, track)
      }
    }
    return nil
  }
}

/// Rows of a table in the order of their keys, which are its first columns.
private final class SortedRows {
  let row: Statement
  var keyCount = 1
  private var hasBegun = false
  private var isThere = false

  init(_ row: Statement) { self.row = row }

  /// The key of the current row; `nil` at the end.
  var key: [Int64]? {
    get throws {
      if !hasBegun { try advance() }
      return isThere ? (0..<keyCount).map { row.integer($0) } : nil
    }
  }

  func advance() throws {
    hasBegun = true
    isThere = try row.step()
  }
}

/// The lines of one kind, from one file after the other.
private final class ManifestLines {
  private let files: [(path: String, sha256: String)]
  private let isCancelled: () -> Bool
  private var place = 0
  private var reader: LineReader?
  private(set) var count = 0
  private var line = DocumentReader(keys: ManifestLines.keys, textLimit: .max)

  /// The members of all kinds of lines.
  private static let keys = ["kind", "key", "title", "imageURL", "secondsSince2001", "name", "id", "artist", "track"]

  init(_ files: [(path: String, sha256: String)], _ isCancelled: @escaping () -> Bool) {
    (self.files, self.isCancelled) = (files, isCancelled)
  }

  /// Moves to the next line.
  ///
  /// - Returns: Whether there is one.
  func next() throws -> Bool {
    while true {
      if let bytes = try reader?.next() {
        count += 1
        if count.isMultiple(of: 1024), isCancelled() {
          throw MigrationError(.interrupted, path: files[place - 1].path)
        }
        line.begin()
        bytes.withUnsafeBytes { line.read($0) }
        guard line.finish() == .readable, line.tree.nodes.first?.kind == .object else {
          throw error("it is not a JSON object")
        }
        if let key = line.tree.repeatedMember { throw error("it has '\(Self.keys[key.number])' twice") }
        return true
      }
      guard place < files.count else { return false }
      let file = files[place]
      place += 1
      guard try FileSystem.sha256(of: file.path).elementsEqual(Self.bytes(file.sha256)) else {
        throw MigrationError(
          .unusableManifest, path: file.path, detail: "its sha256 is not that of the manifest: it was changed")
      }
      reader = try LineReader(
        FeedSource(path: file.path, format: .ndjson), advice: "Name the manifest beside its files.", isFile: true,
        isCancelled: isCancelled)
    }
  }

  private func node(_ name: String) -> Int? {
    guard let key = Self.keys.firstIndex(of: name), let node = line.tree.member(key, of: 0) else { return nil }
    return line.tree.nodes[node].kind == .null ? nil : node
  }

  /// Checks that the line is of a kind, if it names one.
  func requireKind(_ kind: String) throws {
    guard let node = node("kind") else { return }
    guard line.tree.nodes[node].kind == .text, line.tree.bytes[line.tree.nodes[node].text].elementsEqual(kind.utf8)
    else { throw error("its 'kind' is not '\(kind)'") }
  }

  func key(_ name: String) throws -> Int64 {
    guard let node = node(name), line.tree.nodes[node].kind == .number,
      let number = Int64(line.tree.string(line.tree.nodes[node].text))
    else { throw error("'\(name)' is not an integer") }
    guard number > 0 else { throw error("'\(name)' is \(number), and a key must be greater than 0") }
    return number
  }

  func text(_ name: String) throws -> [UInt8]? {
    guard let node = node(name) else { return nil }
    guard line.tree.nodes[node].kind == .text else { throw error("'\(name)' is not a text") }
    return Array(line.tree.bytes[line.tree.nodes[node].text])
  }

  /// Seconds since 2001; an infinite number of them is a text.
  func seconds(_ name: String) throws -> Double? {
    guard let node = node(name) else { return nil }
    let kind = line.tree.nodes[node].kind
    let seconds =
      kind == .number || kind == .text ? Double(line.tree.string(line.tree.nodes[node].text)) : nil
    guard let seconds, seconds.isFinite == (kind == .number), !seconds.isNaN else {
      throw error("'\(name)' is not a number")
    }
    return seconds
  }

  func error(_ detail: String) -> MigrationError {
    MigrationError(
      .unusableManifest, path: files[max(place - 1, 0)].path,
      detail: "line \(reader?.number ?? 0): \(detail)")
  }

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    stride(from: 0, to: hexadecimal.utf8.count - 1, by: 2).map { start in
      UInt8(hexadecimal.dropFirst(start).prefix(2), radix: 16) ?? 0
    }
  }
}
