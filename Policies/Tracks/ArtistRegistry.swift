internal import Migration
internal import MigrationDiagnostics
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
    guard let place = artists.index(forKey: key, hash: hash) else {
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

// What mentions of one artist say differently.
extension ArtistRegistry {
  /// Remembers what the first mention in JSON has, and what it lacks.
  private func noteDetails(of mention: TrackBatch.Mention, at place: Int) {
    if mention.id.count <= 0 { details[place].flags.insert(.lacksID) }
    if mention.imageURL.count <= 0 {
      details[place].flags.insert(.lacksImage)
    } else {
      details[place].flags.insert(.hasImage)
      details[place].imageHash = mention.imageHash
    }
  }

  /// Counts an artist, once, that a later mention gives what the first lacks.
  private func countLateDetails(
    _ mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int, _ manager: MigrationManager
  ) {
    guard !details[place].flags.contains(.isCompletedLate) else { return }
    details[place].flags.insert(.isCompletedLate)
    manager.statistics.count(TrackCounter.lateDetails)
    manager.statistics.addExample(
      "\(batch.string(mention.name)): \(batch.string(mention.id)) \(batch.string(mention.imageURL))",
      to: TrackCounter.lateDetails)
  }

  /// Counts an artist, once, when a mention has another image than an earlier one.
  private func compareImage(
    of mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int, _ manager: MigrationManager
  ) {
    guard mention.imageURL.count > 0 else { return }
    let known = details[place]
    guard known.flags.contains(.hasImage) else {
      details[place].flags.insert(.hasImage)
      details[place].imageHash = mention.imageHash
      return
    }
    guard known.imageHash != mention.imageHash, !known.flags.contains(.isInImageConflict) else { return }
    details[place].flags.insert(.isInImageConflict)
    manager.statistics.count(TrackCounter.imageConflicts)
    manager.statistics.addExample(
      "\(batch.string(mention.name)): \(batch.string(mention.imageURL))", to: TrackCounter.imageConflicts)
  }

  /// Counts an artist, once, when a mention has another id (or, with identity `id`, another name) than an earlier one.
  private func compareRival(
    of mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int, _ manager: MigrationManager
  ) {
    let rival = identity == .name ? mention.id : mention.name
    guard rival.count > 0 else { return }
    let text = batch.text(rival)
    let known = Int(details[place].rival)
    if known >= 0, rivals.withKey(at: known, { $0.isEqual(to: text) }) { return }
    let found = noteRival(text, of: mention, in: batch, at: place, manager)
    // A first mention without an id contradicts nobody; later ones may contradict each other.
    guard known >= 0 else { return details[place].rival = Int32(truncatingIfNeeded: found) }
    guard !details[place].flags.contains(.isInConflict) else { return }
    details[place].flags.insert(.isInConflict)
    let counter = identity == .name ? TrackCounter.nameConflicts : TrackCounter.idConflicts
    manager.statistics.count(counter)
    let subject = batch.string(identity == .name ? mention.name : mention.id)
    manager.statistics.addExample(
      "\(subject): \(rivals.string(at: known)), \(batch.string(rival))", to: counter)
  }

  /// Remembers who had an id (or, with identity `id`, a name) first, and counts it, once, when others have it too.
  ///
  /// - Returns: Its place among all of them.
  private func noteRival(
    _ text: UnsafeRawBufferPointer, of mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int,
    _ manager: MigrationManager
  ) -> Int {
    let hash = LookupTable.hash(text)
    guard let known = rivals.index(forKey: text, hash: hash) else {
      return rivals.insert(Int64(place), forKey: text, hash: hash)
    }
    let owner = Int(rivals.value(at: known))
    guard owner != place, sharedRivals.insert(known).inserted else { return known }
    if identity == .name {
      manager.statistics.count(TrackCounter.idConflicts)
      manager.statistics.addExample(
        "\(batch.string(mention.id)): \(artists.string(at: owner)), \(batch.string(mention.name))",
        to: TrackCounter.idConflicts)
    } else {
      manager.statistics.count(TrackCounter.nameConflicts)
      manager.statistics.addExample(batch.string(mention.name), to: TrackCounter.nameConflicts)
    }
    return known
  }
}

extension LookupTable {
  /// A key as text, for the few that a person reads.
  fileprivate func string(at place: Int) -> String { withKey(at: place) { $0.excerpt } }
}

/// What is remembered of an artist besides its key, to complete it and to tell what later mentions say differently.
///
/// There is one for each artist, in one array: a look at it costs less than a set's or dictionary's.
struct ArtistDetails {
  struct Flags: OptionSet {
    let rawValue: UInt8

    /// It is known by the `artistName` of a track only: the next mention in JSON gives it id and image.
    static let isNameOnly = Flags(rawValue: 1)
    /// No mention in JSON has given it an id yet.
    static let lacksID = Flags(rawValue: 2)
    /// No mention in JSON has given it an image yet.
    static let lacksImage = Flags(rawValue: 4)
    /// A mention has had an image, whose hash is known.
    static let hasImage = Flags(rawValue: 8)
    /// Later mentions contradict the first, which has been counted.
    static let isInConflict = Flags(rawValue: 16)
    /// Later mentions have another image, which has been counted.
    static let isInImageConflict = Flags(rawValue: 32)
    /// A later mention has given what the first lacks, which has been counted.
    static let isCompletedLate = Flags(rawValue: 64)
  }

  var flags: Flags = []
  /// What of a mention must agree, which is the id or the name, whichever does not identify the artist: its place in
  /// the registry's table of these; negative where no mention has said it yet.
  var rival: Int32 = -1
  /// The hash of the image: the text itself may be large, and is only compared.
  var imageHash: UInt64 = 0
}

/// What makes two mentions the same artist.
public enum ArtistIdentity: String, Sendable, Hashable, CaseIterable {
  /// The exact name, byte for byte. The first mention that has an id gives it to the artist; an image likewise.
  case name
  /// The id where there is one, otherwise the exact name.
  case id
}

/// The artists of one track: few, nearly always.
struct ArtistSet {
  private var few: [Int64] = []
  /// All of them, where there are many.
  private var many: Set<Int64> = []

  private static let fewCount = 16

  var isEmpty: Bool { few.isEmpty }

  mutating func removeAll() {
    few.removeAll(keepingCapacity: true)
    if !many.isEmpty { many.removeAll() }
  }

  /// Adds an artist, and tells whether it is new.
  mutating func insert(_ artist: Int64) -> Bool {
    if few.count < Self.fewCount {
      guard !few.contains(artist) else { return false }
      few.append(artist)
      return true
    }
    if many.isEmpty { many = Set(few) }
    return many.insert(artist).inserted
  }
}
