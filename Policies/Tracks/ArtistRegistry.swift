internal import Diagnostics
internal import Migration
internal import PersistentStore

/// Creates each artist once.
///
/// Artists are found through the lookup table "artists" in the manager's `userInfo`. The first mention of an artist in
/// JSON gives it its name, id and image; what later mentions say differently is counted.
final class ArtistRegistry {
  let identity: ArtistIdentity
  private let artists: LookupTable
  /// With identity `id`: which artist had a name first, to tell when a name stands for several.
  let names = LookupTable()
  private let store: DestinationStore
  private let inserter: InstanceInserter
  private let updater: InstanceUpdater
  /// Artists that are known by the `artistName` of a track only: the next mention in JSON gives them id and image.
  private var nameOnlyArtists: Set<Int64> = []
  /// Artists whose first mention in JSON has no id or no image.
  var artistsWithoutID: Set<Int64> = []
  var artistsWithoutImage: Set<Int64> = []
  /// Per artist: what of a mention must agree, which is the id or the name, whichever does not identify it.
  var rivals: [UInt8] = []
  var rivalRanges: [Int64: Range<Int>] = [:]
  var conflicts: Set<Int64> = []
  /// The first artists of the names that stand for several.
  var sharedNames: Set<Int64> = []
  /// The number of artists that were created since they were last counted.
  private var createdCount = 0
  private var key: [UInt8] = []

  private static let key = "Policies.ArtistRegistry"

  /// The registry of a migration, which is made on first use.
  static func shared(by manager: MigrationManager, identity: ArtistIdentity) throws(MigrationError) -> ArtistRegistry {
    if let registry = manager.userInfo[key] as? ArtistRegistry { return registry }
    let registry = try ArtistRegistry(manager, identity: identity)
    manager.userInfo[key] = registry
    return registry
  }

  /// Ends the sharing.
  static func release(by manager: MigrationManager) { manager.userInfo[key] = nil }

  private init(_ manager: MigrationManager, identity: ArtistIdentity) throws(MigrationError) {
    self.identity = identity
    artists = manager.lookup(withKey: "artists")
    store = manager.destinationStore
    inserter = try store.inserter(forEntityNamed: "Artist", properties: ["id", "imageURL", "name"])
    updater = try store.updater(forEntityNamed: "Artist", properties: ["id", "imageURL"])
  }

  /// The number of artists that were created since the last call.
  func takeCreatedCount() -> Int {
    defer { createdCount = 0 }
    return createdCount
  }

  /// The primary key of the artist that a track mentions.
  func artist(
    for mention: TrackBatch.Mention, in batch: TrackBatch, statistics: inout MigrationStatistics
  ) throws(MigrationError) -> Int64 {
    let rival = identity == .name || mention.id.count <= 0 ? mention.id : mention.name
    let (artist, isNew) = try withKey(of: mention, in: batch) { key throws(MigrationError) in
      try artists.value(forKey: key) { () throws(MigrationError) in try create(mention, rival, in: batch) }
    }
    if !mention.isFallback, !isNew {
      if nameOnlyArtists.remove(artist) != nil {
        try complete(artist, with: mention, in: batch)
      } else {
        countLateDetails(mention, in: batch, artist: artist, &statistics)
      }
    }
    if isNew {
      if identity == .id { countSharedName(mention, in: batch, artist: artist, &statistics) }
    } else if rival.count > 0 {
      compare(rival, mention, in: batch, artist: artist, &statistics)
    }
    return artist
  }

  private func withKey<Result>(
    of mention: TrackBatch.Mention, in batch: TrackBatch,
    _ body: (UnsafeRawBufferPointer) throws(MigrationError) -> Result
  ) throws(MigrationError) -> Result {
    guard identity == .id else { return try batch.withBytes(of: mention.name, body) }
    // Ids and names share one table; the first byte tells them apart.
    let isID = mention.id.count > 0
    key.removeAll(keepingCapacity: true)
    key.append(isID ? 1 : 0)
    batch.withBytes(of: isID ? mention.id : mention.name) { key.append(contentsOf: $0) }
    return try key.withUnsafeBufferPointer { bytes throws(MigrationError) in try body(UnsafeRawBufferPointer(bytes)) }
  }

  private func create(
    _ mention: TrackBatch.Mention, _ rival: TrackBatch.Text, in batch: TrackBatch
  ) throws(MigrationError) -> Int64 {
    let artist = try store.nextPrimaryKey(forEntityNamed: "Artist")
    try batch.withBytes(of: mention.id) { id throws(MigrationError) in
      try batch.withBytes(of: mention.imageURL) { imageURL throws(MigrationError) in
        try batch.withBytes(of: mention.name) { name throws(MigrationError) in
          try inserter.insert(primaryKey: artist, texts: id, imageURL, name)
        }
      }
    }
    createdCount += 1
    if mention.isFallback { nameOnlyArtists.insert(artist) } else { noteDetails(of: mention, artist) }
    if rival.count > 0 { keep(rival, in: batch, artist: artist) }
    return artist
  }

  private func complete(
    _ artist: Int64, with mention: TrackBatch.Mention, in batch: TrackBatch
  ) throws(MigrationError) {
    noteDetails(of: mention, artist)
    try batch.withBytes(of: mention.id) { id throws(MigrationError) in
      try batch.withBytes(of: mention.imageURL) { imageURL throws(MigrationError) in
        try updater.update(primaryKey: artist, texts: id, imageURL)
      }
    }
  }
}
