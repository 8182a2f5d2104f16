internal import Diagnostics
internal import Migration
internal import PersistentStore

/// Creates each artist once.
///
/// Artists are found through the lookup table "artists" in the manager's `userInfo`. The first mention of an artist in
/// JSON gives it its name, id and image; what later mentions say differently is counted.
final class ArtistRegistry {
  let identity: ArtistIdentity
  let artists: LookupTable
  /// With identity `id`: which artist had a name first, to tell when a name stands for several.
  let names = LookupTable()
  private let store: DestinationStore
  private let inserter: InstanceInserter
  private let updater: InstanceUpdater
  /// By the places of the artists in the lookup table.
  var details: [ArtistDetails] = []
  var rivals: [UInt8] = []
  /// The number of artists that were created since they were last counted.
  private var createdCount = 0

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
    for mention: TrackBatch.Mention, hash: UInt64, in batch: TrackBatch, _ manager: MigrationManager
  ) throws(MigrationError) -> Int64 {
    let key = batch.text(mention.key)
    guard let place = artists.place(forKey: key, hash: hash) else {
      return try create(mention, key, hash, in: batch, manager)
    }
    let artist = artists.value(at: place)
    // Somebody else may have added to the table, too.
    while details.count <= place { details.append(ArtistDetails()) }
    let known = details[place]
    if !mention.isFallback, !known.flags.isDisjoint(with: [.isNameOnly, .lacksID, .lacksImage]) {
      if known.flags.contains(.isNameOnly) {
        try complete(artist, at: place, with: mention, in: batch)
      } else {
        countLateDetails(mention, in: batch, at: place, manager)
      }
    }
    let rival = rival(of: mention)
    if rival.count > 0, !known.flags.contains(.isInConflict) { compare(rival, mention, in: batch, at: place, manager) }
    return artist
  }

  /// What of a mention must agree with others of the same artist.
  private func rival(of mention: TrackBatch.Mention) -> TrackBatch.Text {
    identity == .name || mention.id.count <= 0 ? mention.id : mention.name
  }

  private func create(
    _ mention: TrackBatch.Mention, _ key: UnsafeRawBufferPointer, _ hash: UInt64, in batch: TrackBatch,
    _ manager: MigrationManager
  ) throws(MigrationError) -> Int64 {
    let artist = try store.nextPrimaryKey(forEntityNamed: "Artist")
    try inserter.insert(
      primaryKey: artist, texts: batch.text(mention.id), batch.text(mention.imageURL), batch.text(mention.name))
    createdCount += 1
    let place = artists.insert(artist, forKey: key, hash: hash)
    while details.count <= place { details.append(ArtistDetails()) }
    if mention.isFallback { details[place].flags.insert(.isNameOnly) } else { noteDetails(of: mention, at: place) }
    let rival = rival(of: mention)
    if rival.count > 0 { keep(rival, in: batch, at: place) }
    if identity == .id { countSharedName(mention, in: batch, at: place, manager) }
    return artist
  }

  private func complete(
    _ artist: Int64, at place: Int, with mention: TrackBatch.Mention, in batch: TrackBatch
  ) throws(MigrationError) {
    details[place].flags.remove(.isNameOnly)
    noteDetails(of: mention, at: place)
    try updater.update(primaryKey: artist, texts: batch.text(mention.id), batch.text(mention.imageURL))
  }
}
