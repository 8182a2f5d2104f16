internal import JSONPresets
internal import Migration
internal import MigrationDiagnostics
internal import PersistentStore

/// Creates each artist once.
///
/// Artists are found through the lookup table "artists" in the manager's `userInfo`. The first mention of an artist in
/// JSON provides its name, id and image. A missing id or image comes from the first later mention that has one.
/// Differences between mentions are counted.
final class ArtistRegistry {
  let identity: ArtistIdentity
  let artists: LookupTable
  /// The ids of mentions (with identity `id`, the names), each with the first artist that had it.
  @exclusivity(unchecked) private var rivals = ArtistRivals()
  private let rivalReader: RivalReader
  /// The first rivals of artists that other code has created, by the artists' indexes in the lookup table.
  private var foreignRivals: [Int: String] = [:]
  /// The primary keys of artists.
  let keys: PrimaryKeys
  private let inserter: InstanceInserter
  private let updater: InstanceUpdater
  private let idUpdater: InstanceUpdater
  private let imageUpdater: InstanceUpdater
  /// The result of reading ahead, kept so that the reads are not optimised away.
  private var preparation: UInt64 = 0
  /// By the artists' indexes in the lookup table.
  // Read and changed a dozen times for each mention, one field at a time: checks for overlaps would take longer.
  @exclusivity(unchecked) private var details: [ArtistDetails] = []
  /// Documents that could be read, and those of them with an unknown shape.
  var documentCounts = (read: 0, otherShape: 0)
  /// The counts of what was found at paths that a person has chosen.
  var tally = PathSurvey.Tally()
  /// The artists' indexes in the lookup table; `nil` until an artist is replaced.
  private var places: [Int64: Int]?
  /// The decisions that were carried out.
  var decisions: Set<Int> = []
  /// The number of artists created since the last count.
  private var createdCount = 0

  /// The keys of the artists that came without one.
  private(set) var given = AscendingKeys()

  private static let key = "Policies.ArtistRegistry"
  /// The value of a key that means no artist any more.
  private static let nobody: Int64 = 0

  /// The registry of a migration, created on first use.
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
    let store = manager.destinationStore
    keys = store.primaryKeys(forEntityNamed: "Artist")
    inserter = try store.inserter(forEntityNamed: "Artist", properties: ["id", "imageURL", "name"])
    updater = try store.updater(forEntityNamed: "Artist", properties: ["id", "imageURL"])
    idUpdater = try store.updater(forEntityNamed: "Artist", properties: ["id"])
    imageUpdater = try store.updater(forEntityNamed: "Artist", properties: ["imageURL"])
    rivalReader = try RivalReader(manager, identity: identity)
  }

  /// Returns the number of artists created since the last call.
  func takeCreatedCount() -> Int {
    defer { createdCount = 0 }
    return createdCount
  }

  /// Loads what is known of some artists into the processor's cache.
  func prepare(forHashes hashes: [UInt64]) {
    var sum: UInt64 = 0
    for place in artists.prepare(forHashes: hashes) where place < details.count { sum &+= details[place].rival }
    preparation = sum
  }

  /// Returns the primary key of the artist that a track mentions.
  func artist(
    for mention: TrackBatch.Mention, hash: UInt64, in batch: TrackBatch, _ manager: MigrationManager
  ) throws(MigrationError) -> Int64 {
    let key = batch.text(mention.key)
    guard let place = place(ofKey: key, hash: hash) else { return try create(mention, hash, in: batch, manager) }
    let artist = artists.value(at: place)
    fillDetails(to: place)
    if !mention.isFallback {
      if !details[place].flags.isDisjoint(with: [.isNameOnly, .lacksID, .lacksImage]) {
        try complete(artist, at: place, with: mention, in: batch, manager)
      }
      compareImage(of: mention, in: batch, at: place, manager)
    }
    try compareRival(of: mention, in: batch, at: place, manager)
    return artist
  }

  /// Creates the artist that a mention means, with the next primary key or a given one.
  func create(
    _ mention: TrackBatch.Mention, _ hash: UInt64, in batch: TrackBatch, _ manager: MigrationManager,
    as key: Int64? = nil
  ) throws(MigrationError) -> Int64 {
    let artist = if let key { key } else { given.note(try keys.next()) }
    try inserter.insert(
      primaryKey: artist, texts: batch.text(mention.id), batch.text(mention.imageURL), batch.text(mention.name))
    createdCount += 1
    try adopt(artist, for: mention, hash: hash, in: batch, manager)
    return artist
  }

  /// Takes an artist that has been written as the one that a mention means.
  func adopt(
    _ artist: Int64, for mention: TrackBatch.Mention, hash: UInt64, in batch: TrackBatch, _ manager: MigrationManager
  ) throws(MigrationError) {
    let key = batch.text(mention.key)
    // Of several artists of one name, the first is the one that is meant. An artist without a name cannot be meant.
    guard key.count > 0, place(ofKey: key, hash: hash) == nil else { return }
    let place = artists.insert(artist, forKey: key, hash: hash)
    artists.setValue(artist, at: place)
    places?[artist] = place
    fillDetails(to: place)
    details[place] = ArtistDetails()
    if mention.isFallback { details[place].flags.insert(.isNameOnly) } else { noteDetails(of: mention, at: place) }
    try compareRival(of: mention, in: batch, at: place, manager)
  }

  /// Makes details for all artists up to an index; other code may have added to the table too.
  private func fillDetails(to place: Int) {
    while details.count <= place {
      if details.count == LookupTable.manyCount { details.reserveCapacity(LookupTable.reservedCount) }
      details.append(ArtistDetails(flags: .isForeign))
    }
  }

  /// The index of an artist in the lookup table; `nil` if no artist is meant by a key, or none any more.
  func place(ofKey key: UnsafeRawBufferPointer, hash: UInt64) -> Int? {
    artists.index(forKey: key, hash: hash).flatMap { artists.value(at: $0) == Self.nobody ? nil : $0 }
  }

  /// Takes an artist, whose row has been replaced, as the one that a mention means, and no longer as what it was.
  func readopt(
    _ artist: Int64, for mention: TrackBatch.Mention, hash: UInt64, in batch: TrackBatch, _ manager: MigrationManager
  ) throws(MigrationError) {
    if places == nil {
      places = Dictionary(
        (0..<artists.count).map { (artists.value(at: $0), $0) }, uniquingKeysWith: { first, _ in first })
    }
    if let place = places?.removeValue(forKey: artist) {
      artists.setValue(Self.nobody, at: place)
      rivals.keep(details[place].rival, of: place)
      details[place] = ArtistDetails()
    }
    try adopt(artist, for: mention, hash: hash, in: batch, manager)
  }

  /// Gives an artist the details that earlier mentions lacked.
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

// Differences between mentions of one artist.
extension ArtistRegistry {
  /// Records what the first mention in JSON has and lacks.
  private func noteDetails(of mention: TrackBatch.Mention, at place: Int) {
    if mention.id.count <= 0 { details[place].flags.insert(.lacksID) }
    if mention.imageURL.count <= 0 {
      details[place].flags.insert(.lacksImage)
    } else {
      details[place].flags.insert(.hasImage)
      details[place].setImage(mention.imageHash)
    }
  }

  /// Counts an artist once if a later mention provides what the first one lacks.
  private func countLateDetails(
    _ mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int, _ manager: MigrationManager
  ) {
    guard !details[place].flags.contains(.isCompletedLate) else { return }
    details[place].flags.insert(.isCompletedLate)
    manager.statistics.count(
      .lateDetails,
      example: "\(batch.string(mention.name)): \(batch.string(mention.id)) \(batch.string(mention.imageURL))")
  }

  /// Counts an artist once if a mention has a different image from an earlier one.
  private func compareImage(
    of mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int, _ manager: MigrationManager
  ) {
    guard mention.imageURL.count > 0 else { return }
    let known = details[place]
    guard known.flags.contains(.hasImage) else {
      details[place].flags.insert(.hasImage)
      details[place].setImage(mention.imageHash)
      return
    }
    guard !known.hasImage(mention.imageHash), !known.flags.contains(.isInImageConflict) else { return }
    details[place].flags.insert(.isInImageConflict)
    manager.statistics.count(
      .imageConflicts, example: "\(batch.string(mention.name)): \(batch.string(mention.imageURL))")
  }

  /// Counts an artist once if a mention has a different id (with identity `id`, a different name) from an earlier one of
  /// the same service.
  private func compareRival(
    of mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int, _ manager: MigrationManager
  ) throws(MigrationError) {
    guard mention.rival.isPresent else { return }
    let rival = ArtistRivals.hash(batch.text(mention.rival))
    let first = details[place].rival
    if first == rival { return }
    try noteOwner(of: rival, mention, in: batch, at: place, manager)
    // A first mention without an id contradicts nothing; later mentions may contradict each other.
    guard first != 0 else {
      details[place].rival = rival
      if details[place].flags.contains(.isForeign) {
        foreignRivals[place] = UnsafeRawBufferPointer(rebasing: batch.text(mention.rival).dropFirst()).excerpt
      }
      return
    }
    guard first & 0xFF == rival & 0xFF, !details[place].flags.contains(.isInConflict) else { return }
    details[place].flags.insert(.isInConflict)
    let subject = batch.string(identity == .name ? mention.name : mention.id)
    let other = batch.string(identity == .name ? mention.id : mention.name)
    let stored = try rivalReader.withText(ofArtist: artists.value(at: place)) { $0.excerpt }
    let known = foreignRivals[place] ?? stored
    manager.statistics.count(
      identity == .name ? .nameConflicts : .idConflicts, example: "\(subject): \(known), \(other)")
  }

  /// Records which artist had an id (with identity `id`, a name) first, and counts it once if others have it too.
  private func noteOwner(
    of rival: UInt64, _ mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int, _ manager: MigrationManager
  ) throws(MigrationError) {
    let text = UnsafeRawBufferPointer(rebasing: batch.text(mention.rival).dropFirst())
    // Two texts may have the same hash.
    func isRival(_ place: Int) throws(MigrationError) -> Bool {
      try rivalReader.withText(ofArtist: artists.value(at: place)) { $0.isEqual(to: text) }
    }
    let owner = try rivals.owner(of: rival, { details[$0].rival }, isRival)
    guard let owner else {
      let isStored = details[place].rival == 0 && !details[place].flags.contains(.isForeign)
      return rivals.own(rival, place, isStored: isStored) { details[$0].rival }
    }
    guard owner != place, rivals.share(rival) else { return }
    if identity == .name {
      manager.statistics.count(
        .idConflicts,
        example: "\(batch.string(mention.id)): \(artists.string(at: owner)), \(batch.string(mention.name))")
    } else {
      manager.statistics.count(.nameConflicts, example: batch.string(mention.name))
    }
  }
}

extension LookupTable {
  /// A key as text, for the few that are shown to a person.
  fileprivate func string(at place: Int) -> String { withKey(at: place) { $0.excerpt } }
}

/// The data kept for an artist besides its key, to complete it and to report differences in later mentions.
///
/// There is one per artist, in a single array: a lookup costs less than in a set or dictionary.
struct ArtistDetails {
  struct Flags: OptionSet {
    let rawValue: UInt8

    /// It is known only from the `artistName` of a track: the next mention in JSON provides its id and image.
    static let isNameOnly = Flags(rawValue: 1)
    /// No mention in JSON has provided an id yet.
    static let lacksID = Flags(rawValue: 2)
    /// No mention in JSON has provided an image yet.
    static let lacksImage = Flags(rawValue: 4)
    /// A mention had an image, whose hash is known.
    static let hasImage = Flags(rawValue: 8)
    /// Later mentions contradict the first one; already counted.
    static let isInConflict = Flags(rawValue: 16)
    /// Later mentions have a different image; already counted.
    static let isInImageConflict = Flags(rawValue: 32)
    /// A later mention provided what the first one lacks; already counted.
    static let isCompletedLate = Flags(rawValue: 64)
    /// Other code has created it, and its row need not have what mentions say.
    static let isForeign = Flags(rawValue: 128)
  }

  /// The hash of the part of a mention that must agree, the id or the name, whichever does not identify the artist; 0 if
  /// no mention has provided it yet.
  var rival: UInt64 = 0
  /// The flags, and above them the hash of the image.
  private var imageAndFlags: UInt64

  init(flags: Flags = []) { imageAndFlags = UInt64(flags.rawValue) }

  var flags: Flags {
    get { Flags(rawValue: UInt8(truncatingIfNeeded: imageAndFlags)) }
    set { imageAndFlags = imageAndFlags & ~0xFF | UInt64(newValue.rawValue) }
  }

  /// Keeps the hash of the image: the text itself may be large, and is only compared.
  mutating func setImage(_ hash: UInt64) { imageAndFlags = hash & ~0xFF | imageAndFlags & 0xFF }

  /// Whether an image has the hash that is kept, as far as 56 of its bits say it.
  func hasImage(_ hash: UInt64) -> Bool { (imageAndFlags ^ hash) & ~0xFF == 0 }
}

/// The detail by which two mentions are the same artist.
public enum ArtistIdentity: String, Sendable, Hashable, CaseIterable {
  /// The exact name, byte for byte. The first mention with an id provides the artist's id; likewise for the image.
  case name
  /// The id if there is one, or else the exact name.
  case id
}

/// The artists of one track, which are nearly always few.
struct ArtistSet {
  /// All of them, in the order in which they were added.
  private(set) var members: [Int64] = []
  /// The same, if they are many.
  private var many: Set<Int64> = []

  private static let fewCount = 16

  var isEmpty: Bool { members.isEmpty }

  mutating func removeAll() {
    members.removeAll(keepingCapacity: true)
    if !many.isEmpty { many.removeAll() }
  }

  /// Adds an artist, and returns whether it is new.
  @discardableResult
  mutating func insert(_ artist: Int64) -> Bool {
    if members.count < Self.fewCount {
      guard !members.contains(artist) else { return false }
    } else {
      if many.isEmpty { many = Set(members) }
      guard many.insert(artist).inserted else { return false }
    }
    members.append(artist)
    return true
  }
}
