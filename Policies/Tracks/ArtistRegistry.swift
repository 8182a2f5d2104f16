internal import Diagnostics
internal import Migration
internal import PersistentStore

/// Creates each artist once.
///
/// Artists are found through the lookup table "artists" in the manager's `userInfo`. The first mention of an artist in
/// JSON gives it its name, id and image; an id or image that it lacks comes from the first later mention that has one.
/// What mentions say differently is counted.
final class ArtistRegistry {
  let identity: ArtistIdentity
  let artists: LookupTable
  /// The ids that mentions have had, or with identity `id` the names: of each, which artist had it first.
  let rivals = LookupTable()
  /// The places in that table of those that several artists have, which have been counted.
  var sharedRivals: Set<Int> = []
  private let store: DestinationStore
  private let inserter: InstanceInserter
  private let updater: InstanceUpdater
  private let idUpdater: InstanceUpdater
  private let imageUpdater: InstanceUpdater
  /// By the places of the artists in the lookup table.
  var details: [ArtistDetails] = []
  /// Documents that could be read, and those of them that have another shape than the one that is known.
  var documentCounts = (read: 0, otherShape: 0)
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
    idUpdater = try store.updater(forEntityNamed: "Artist", properties: ["id"])
    imageUpdater = try store.updater(forEntityNamed: "Artist", properties: ["imageURL"])
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
    if !mention.isFallback {
      if !details[place].flags.isDisjoint(with: [.isNameOnly, .lacksID, .lacksImage]) {
        try complete(artist, at: place, with: mention, in: batch, manager)
      }
      compareImage(of: mention, in: batch, at: place, manager)
    }
    compareRival(of: mention, in: batch, at: place, manager)
    return artist
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
    compareRival(of: mention, in: batch, at: place, manager)
    return artist
  }

  /// Gives an artist what no mention before has given it.
  private func complete(
    _ artist: Int64, at place: Int, with mention: TrackBatch.Mention, in batch: TrackBatch,
    _ manager: MigrationManager
  ) throws(MigrationError) {
    if details[place].flags.contains(.isNameOnly) {
      details[place].flags.remove(.isNameOnly)
      noteDetails(of: mention, at: place)
      return try updater.update(primaryKey: artist, texts: batch.text(mention.id), batch.text(mention.imageURL))
    }
    let givesID = mention.id.count > 0 && details[place].flags.contains(.lacksID)
    let givesImage = mention.imageURL.count > 0 && details[place].flags.contains(.lacksImage)
    guard givesID || givesImage else { return }
    if givesID {
      details[place].flags.remove(.lacksID)
      try idUpdater.update(primaryKey: artist, texts: batch.text(mention.id))
    }
    if givesImage {
      details[place].flags.remove(.lacksImage)
      try imageUpdater.update(primaryKey: artist, texts: batch.text(mention.imageURL))
    }
    countLateDetails(mention, in: batch, at: place, manager)
  }
}
