internal import DataModel
package import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import TrackVerification

/// Assembles stores from sorted rows of tracks, artists and links: the last of three steps, after ``TrackExtract`` and
/// what a cluster makes of its lines.
///
/// The rows are only streamed, so memory depends neither on their number nor on that of the artists. The stores appear
/// when they are complete, and the manifest's files have been found to be what it says.
package struct StoreAssembly {
  /// The manifest.
  package let manifestPath: String
  /// The store, or the beginning of the names of several.
  package let path: String
  /// The number of stores; `nil` for one that has just the name of ``path``.
  package var storeCount: Int?
  /// Asked now and then whether to stop.
  package var isCancelled: () -> Bool = { false }
  /// Called now and then with the number of rows that were read, and of all.
  package var onProgress: ((_ completedCount: Int, _ totalCount: Int) -> Void)?

  /// Prepares an assembly.
  package init(manifestPath: String, path: String) { (self.manifestPath, self.path) = (manifestPath, path) }

  /// A store that was assembled.
  package struct Store: Sendable {
    package let path: String
    package fileprivate(set) var trackCount = 0
    package fileprivate(set) var artistCount = 0
    package fileprivate(set) var linkCount = 0
    /// Whether an earlier run of the same manifest had made it.
    package fileprivate(set) var wasThere = false
  }

  /// The paths of the stores.
  package var paths: [String] {
    guard let storeCount else { return [path] }
    let isStore = path.hasSuffix(".sqlite")
    let stem = isStore ? String(path.dropLast(".sqlite".count)) : path
    func padded(_ number: Int) -> String { String(repeating: "0", count: max(0, 5 - "\(number)".count)) + "\(number)" }
    return (0..<storeCount).map { "\(stem)-\(padded($0))-of-\(padded(storeCount))\(isStore ? ".sqlite" : "")" }
  }

  /// Assembles the stores.
  ///
  /// Stores that are there with the same bytes stay, so that a killed run can be repeated.
  ///
  /// - Throws: `MigrationError`, and nothing is left behind: with `outputExists` if there is another file of a store's name,
  ///   with `unusableManifest` if a file of the manifest is not what it says, or the rows contradict each other.
  package func run() throws(MigrationError) -> [Store] {
    let manifest = try AssemblyManifest(path: manifestPath)
    var files: [NewStoreFile] = []
    var published: [NewStoreFile] = []
    do throws(MigrationError) {
      let access = NewFileAccess(from: [manifestPath] + manifest.filePaths)
      for path in paths {
        files.append(try NewStoreFile(path: path, access: access, acceptsResult: true))
      }
      var stores = try build(manifest, files)
      for file in files { try file.prepare() }
      // Before any gets its name, so that a refusal changes nothing.
      for (index, file) in files.enumerated() { stores[index].wasThere = try file.isAlreadyThere() }
      for (file, store) in zip(files, stores) {
        guard !store.wasThere else {
          file.staging.discard()
          continue
        }
        try file.move()
        published.append(file)
      }
      for file in files { try file.confirm() }
      return stores
    } catch let doubt where doubt.code == .notSynchronized {
      // All are there.
      throw doubt
    } catch {
      for file in published { FileSystem.remove(file.target) }
      var failure = error
      for file in files {
        let isItsOwn = error.subject.path.map { FileSystem.areSame($0, file.stagedPath) } ?? false
        let other = file.discard(after: error)
        if isItsOwn { failure = other }
      }
      throw failure
    }
  }

  private func build(_ manifest: AssemblyManifest, _ files: [NewStoreFile]) throws(MigrationError) -> [Store] {
    let model = TrackModelVersion.current.model
    let schema = StoreSchema(model)
    // The rows of several stores come in turns, and all caches together are as large as that of one.
    let cacheKiB = max(1024, 16 * 1024 / files.count)
    let parts = try files.map { file throws(MigrationError) in
      try StorePart(file, try StoreWriter(path: file.stagedPath, schema: schema, layout: .coreData), cacheKiB: cacheKiB)
    }
    let assembly = StorePartition(parts, trackCount: manifest.tracks.count)
    let total = manifest.tracks.count + manifest.artists.count + manifest.links.count
    var completed = 0
    func advance() {
      completed += 1
      if completed.isMultiple(of: 1024) { onProgress?(completed, total) }
    }
    func reader(_ run: AssemblyManifest.Run, _ fields: [StaticString]) -> RunReader {
      RunReader(run, fields: fields, manifestPath: manifestPath, isCancelled: isCancelled)
    }

    let tracks = reader(manifest.tracks, ["key", "title", "imageURL", "secondsSince2001", "kind"])
    while try tracks.next() {
      try assembly.addTrack(tracks)
      advance()
    }
    let artists = reader(manifest.artists, ["key", "id", "imageURL", "name"])
    let links = reader(manifest.links, ["artist", "track"])
    while try links.next() {
      try assembly.addLink(links, artists)
      advance()
    }
    while try artists.next() { try assembly.addArtist(artists) }
    onProgress?(total, total)
    for part in parts {
      let uuid = parts.count == 1 ? manifest.uuid : nil
      try part.finish(
        .new(for: model, uuid: uuid?.uppercased() ?? part.digest.uuid), modelCache: try? model.modelCache())
      if let link = try part.danglingLink() {
        throw MigrationError(
          .unusableManifest, path: manifestPath,
          detail: "artist \(link.artist) has track \(link.track), which the tracks lack")
      }
    }
    return parts.map(\.store)
  }
}

/// Distributes rows among stores.
///
/// Each store has the tracks of a range of keys, with their links and artists. What belongs to no track goes to the first.
private final class StorePartition {
  private let parts: [StorePart]
  private let trackCount: Int
  /// The first keys of the parts but the first.
  private var starts: [Int64] = []
  private var current = 0
  private var lastTrack: Int64?
  private var lastLink: (artist: Int64, track: Int64)?
  private var artist: (key: Int64, texts: [[UInt8]?])?

  init(_ parts: [StorePart], trackCount: Int) { (self.parts, self.trackCount) = (parts, trackCount) }

  func addTrack(_ row: RunReader) throws(MigrationError) {
    try row.requireKind("track", 4)
    let key = try row.key(0)
    if let lastTrack, key <= lastTrack { throw row.error(inLine: "track \(key) comes after track \(lastTrack)") }
    lastTrack = key
    // The first part whose share is not full.
    while current < parts.count - 1, row.count > trackCount * (current + 1) / parts.count {
      current += 1
      starts.append(key)
    }
    try parts[current].addTrack(key, try row.text(1), try row.text(2), try row.seconds(3))
  }

  /// Adds a link, and before it the artists up to its own.
  func addLink(_ row: RunReader, _ artists: RunReader) throws(MigrationError) {
    let link = (artist: try row.key(0), track: try row.key(1))
    if let lastLink, link <= lastLink {
      throw row.error(
        inLine: "artist \(link.artist) and track \(link.track) come after \(lastLink.artist) and \(lastLink.track)")
    }
    lastLink = link
    while artist.map({ $0.key < link.artist }) ?? true, try artists.next() { try addArtist(artists) }
    guard let artist, artist.key == link.artist else {
      throw row.error(inLine: "artist \(link.artist) is missing in the artists")
    }
    let part = parts[place(of: link.track)]
    try part.addArtist(artist.key, artist.texts)
    try part.addLink(link.artist, link.track)
  }

  /// Takes the next artist, which stores get with its first link.
  func addArtist(_ row: RunReader) throws(MigrationError) {
    let key = try row.key(0)
    if let artist {
      guard key > artist.key else { throw row.error(inLine: "artist \(key) comes after artist \(artist.key)") }
    }
    artist = (key, [try row.text(1), try row.text(2), try row.text(3)])
    guard let artist, artist.texts[2] != nil else { throw row.error(inLine: "artist \(key) has no name") }
    if parts.count == 1 { try parts[0].addArtist(artist.key, artist.texts) }
  }

  /// The number of starts that are not after a key.
  private func place(of track: Int64) -> Int {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= track { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// One of the stores, while it is written.
private final class StorePart {
  private(set) var store: StoreAssembly.Store
  private let file: NewStoreFile
  private let writer: StoreWriter
  private let trackColumn, artistColumn, join, tracks: String
  /// The digest of the rows, however the manifest's files divide and spell them.
  private(set) var digest = RowDigest()
  private var insertedArtist: Int64?
  // They must be released before the store is closed.
  private var trackInserter, artistInserter: InstanceInserter?
  private var linkInserter: Statement?

  init(_ file: NewStoreFile, _ writer: StoreWriter, cacheKiB: Int) throws(MigrationError) {
    (self.file, self.writer) = (file, writer)
    store = StoreAssembly.Store(path: file.path)
    guard let links = writer.schema.layouts.links(ofRelationship: "artists", ofEntityNamed: "Track"),
      let table = writer.schema.table(forEntityNamed: "Track")
    else { throw MigrationError(.migrationFailed, path: file.path, detail: "it has no artists") }
    (trackColumn, artistColumn) = (links.sourceColumn.quotedIdentifier, links.destinationColumn.quotedIdentifier)
    (join, tracks) = (links.table.name.quotedIdentifier, table.name.quotedIdentifier)
    trackInserter = try writer.inserter(forEntityNamed: "Track", properties: ["title", "imageURL", "lastPlayedAt"])
    artistInserter = try writer.inserter(forEntityNamed: "Artist", properties: ["id", "imageURL", "name"])
    linkInserter = try reporting(path: file.path) {
      try writer.connection.execute("PRAGMA main.cache_size = -\(cacheKiB)")
      return try writer.connection.prepare("INSERT INTO \(join) (\(artistColumn), \(trackColumn)) VALUES (?, ?)")
    }
  }

  func addTrack(
    _ key: Int64, _ title: [UInt8]?, _ imageURL: [UInt8]?, _ lastPlayedAt: Double?
  ) throws(MigrationError) {
    digest.add([key, lastPlayedAt.map { Int64(bitPattern: $0.bitPattern) } ?? -1], [title, imageURL])
    try trackInserter?.insert(
      primaryKey: key, values: [value(title), value(imageURL), lastPlayedAt.map { .real($0) } ?? .null])
    store.trackCount += 1
  }

  /// Adds an artist, unless it was the last one.
  func addArtist(_ key: Int64, _ texts: [[UInt8]?]) throws(MigrationError) {
    guard insertedArtist != key else { return }
    insertedArtist = key
    digest.add([key], texts)
    try artistInserter?.insert(primaryKey: key, values: texts.map(value))
    store.artistCount += 1
  }

  private func value(_ text: [UInt8]?) -> ColumnValue {
    text.map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null
  }

  func addLink(_ artist: Int64, _ track: Int64) throws(MigrationError) {
    store.linkCount += 1
    digest.add([artist, track], [])
    do {
      try linkInserter?.bind(artist, at: 1)
      try linkInserter?.bind(track, at: 2)
      try linkInserter?.run()
    } catch {
      throw MigrationError(error, path: file.path)
    }
  }

  func finish(_ metadata: StoreMetadata, modelCache: [UInt8]?) throws(MigrationError) {
    (trackInserter, artistInserter, linkInserter) = (nil, nil, nil)
    try writer.finish(metadata: metadata, modelCache: modelCache)
  }

  /// A link to a track that is not there.
  func danglingLink() throws(MigrationError) -> (artist: Int64, track: Int64)? {
    try reporting(path: file.path) {
      let connection = try Connection(path: file.stagedPath, access: .readOnly)
      defer { try? connection.close() }
      // In the order of the tracks, which an index has, so that both are read from start to end.
      let statement = try connection.prepare(
        """
        SELECT \(artistColumn), \(trackColumn) FROM \(join) WHERE \(trackColumn) NOT IN (SELECT Z_PK FROM \(tracks)) \
        ORDER BY \(trackColumn), \(artistColumn) LIMIT 1
        """)
      return try statement.step() ? (statement.integer(0), statement.integer(1)) : nil
    }
  }
}

/// A digest of rows in their order.
struct RowDigest {
  private var sha256 = Digest.SHA256()

  /// Adds a row.
  mutating func add(_ integers: [Int64], _ texts: [[UInt8]?]) {
    // A count before each text, so that no two rows have the same bytes.
    (integers + texts.map { Int64($0?.count ?? -1) }).withUnsafeBytes { sha256.add($0) }
    for case let text? in texts { text.withUnsafeBytes { sha256.add($0) } }
  }

  /// A UUID that follows from the rows.
  var uuid: String { Digest.uuid(sha256.digest) }
}
