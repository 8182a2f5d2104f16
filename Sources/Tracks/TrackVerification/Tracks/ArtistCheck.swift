internal import DataModel
internal import JSONPresets
internal import PersistentStore
internal import SQLiteDatabase
internal import Verification

/// Checks which artists the new library has, and their attributes.
///
/// An artist gets the id of its first mention in a document that has one, and its image in the same way. An artist that
/// only `artistName` mentions has neither.
struct ArtistCheck {
  private let names: LinkNames
  private let side: StoreSide
  private let identifiesByID: Bool
  private let log: DifferenceLog
  private let rows: ArtistRows
  /// Returns text as the store would; `nil` if the store keeps every byte.
  private let roundTrip: Statement?
  private var table: ArtistTable
  /// The keys of artists that are missing, by their places.
  private var missingKeys: [Int: [UInt8]] = [:]
  private var key: [UInt8] = []
  /// The number of artists that any track has mentioned.
  private(set) var mentionedCount = 0
  /// The contradictions between mentions.
  private(set) var contradictions = Facts()
  /// The first rivals that are not what the artist's row has, by the artists' places.
  ///
  /// An artist's rivals are the ids of its mentions, or their names if ids identify artists, each with its service before it.
  private var strayRivals: [Int: [UInt8]] = [:]
  /// The artists that were the first to have a rival that is not the first of theirs, and whether others have it too.
  private var otherOwners: [[UInt8]: (place: Int, isShared: Bool)] = [:]
  /// The hashes of the first images, which may be large, that are not what the artist's row has.
  private var strayImages: [Int: UInt64] = [:]
  /// The artists of mentions that have been compared.
  private var known = KnownMentions(capacity: 0)

  init(
    _ names: LinkNames, _ side: StoreSide, identifiesByID: Bool, _ hash: @escaping (ArraySlice<UInt8>) -> UInt32,
    log: DifferenceLog
  ) throws {
    self.names = names
    self.side = side
    self.identifiesByID = identifiesByID
    self.log = log
    rows = ArtistRows(
      try side.connection.prepare(
        "SELECT \(Self.columns(names)) FROM \(names.artists.quotedIdentifier) WHERE Z_PK = ?"))
    table = ArtistTable(capacity: Int(try side.count(names.artists)), hash: hash)
    roundTrip = side.isUTF16 ? try side.connection.prepare("SELECT ?") : nil
    try readArtists()
    known = KnownMentions(capacity: table.entries.count)
  }

  private static func columns(_ names: LinkNames) -> String {
    (["Z_PK"] + [names.name, names.id, names.imageURL].map(\.quotedIdentifier)).joined(separator: ", ")
  }

  /// Reads the identities of the artists in the new library.
  private mutating func readArtists() throws {
    let artists = try side.connection.prepare(
      "SELECT \(Self.columns(names)) FROM \(names.artists.quotedIdentifier) ORDER BY Z_PK")
    while try artists.step() {
      readKey(of: artists)
      let primaryKey = artists.integer(0)
      // Artists of several services may have the same id; they follow each other as they are mentioned first.
      while key[0] > 0, key[0] < .max, try knownPlace() != nil { key[0] += 1 }
      guard let place = try knownPlace() else {
        _ = table.add(key, primaryKey: primaryKey)
        continue
      }
      try log.add(.duplicateArtist) {
        ($0.entity, $0.row) = ("Artist", primaryKey)
        $0.found = StoredValue.quoted(key.dropFirst())
        $0.detail = "the same as artist \(table.entries[place].primaryKey ?? 0)"
      }
    }
  }

  /// Makes the key of the artist in a row.
  private mutating func readKey(of artist: Statement) {
    let hasID = identifiesByID && artist.withText(2) { ($0?.count ?? 0) > 0 }
    artist.withText(hasID ? 2 : 1) { makeKey(hasID, $0) }
  }

  /// Makes a key: ids and names share one table and differ in the first byte.
  private mutating func makeKey(_ hasID: Bool, _ text: UnsafeRawBufferPointer?) {
    key.removeAll(keepingCapacity: true)
    key.append(hasID ? 1 : 0)
    if let text { key.append(contentsOf: text) }
  }

  /// The place of the artist with the current key, if it is known.
  private func knownPlace() throws -> Int? { try table.place(of: key) { try hasKey($0) } }

  /// Whether the artist at a place has the current key.
  private func hasKey(_ place: Int) throws -> Bool {
    guard table.entries[place].service == key[0] else { return false }
    guard let row = table.entries[place].primaryKey else { return missingKeys[place] == key }
    return try rows.withText(keyColumn(of: place), of: row) { text, _ in
      key.withUnsafeBytes { key in
        StoredValue.areEqual(
          text ?? UnsafeRawBufferPointer(start: nil, count: 0), UnsafeRawBufferPointer(rebasing: key[1...]))
      }
    }
  }

  /// Where the row of an artist has what identifies it.
  private func keyColumn(of place: Int) -> ArtistRows.Column { table.entries[place].service > 0 ? .id : .name }

  /// What identifies the artist at a place.
  private func identity(at place: Int) throws -> ArraySlice<UInt8> {
    guard let row = table.entries[place].primaryKey else { return missingKeys[place]?.dropFirst() ?? [] }
    return try rows.text(keyColumn(of: place), of: row)[...]
  }

  /// Finds the artists of mentions that have been compared before.
  ///
  /// Nearly every mention equals one before it, and adds nothing to what that has said. All of a batch are looked up at
  /// once, so that the processor need not wait for each.
  func findKnown(_ fingerprints: [UInt64], _ artists: inout [ArtistPlace?]) {
    artists.removeAll(keepingCapacity: true)
    for fingerprint in fingerprints { artists.append(known[fingerprint].map(artist)) }
  }

  /// The place of the artist that a document mentions.
  mutating func place(
    of mention: ArtistMentions.Mention, _ fingerprint: UInt64, in text: [UInt8]
  ) throws -> ArtistPlace {
    if let place = known[fingerprint] { return artist(at: place) }
    let hasID = identifiesByID && mention.id?.isEmpty == false
    let place = try compared(mention, hasID, in: text)
    known.insert(place, fingerprint)
    return artist(at: place)
  }

  private func artist(at place: Int) -> ArtistPlace { ArtistPlace(key: table.entries[place].primaryKey, place: place) }

  /// Notes that the new library has a link to an artist.
  mutating func noteLink(to artist: ArtistPlace) { table.entries[artist.place].flags.insert(.isLinked) }

  /// Compares a mention with its artist, and with the mentions before it.
  private mutating func compared(_ mention: ArtistMentions.Mention, _ hasID: Bool, in text: [UInt8]) throws -> Int {
    let identity = try (hasID ? mention.id : mention.name).map { try stored(text[$0]) } ?? []
    identity.withUnsafeBytes { makeKey(hasID, $0) }
    if hasID { try chooseService(mention.namespace) }
    let place = try place(of: hasID ? mention.name.map { text[$0] } : nil, mention.namespace)
    try compare(place, with: mention, in: text)
    try noteImage(of: mention, in: text, place)
    if mention.id?.isEmpty == false, let rival = identifiesByID ? mention.name : mention.id {
      try noteRival(
        [UInt8(truncatingIfNeeded: mention.namespace)] + text[rival], of: mention, in: text, place)
    }
    return place
  }

  /// Gives the current key the number of a service among those with the same id.
  private mutating func chooseService(_ namespace: Int) throws {
    while key[0] < .max, let place = try knownPlace() {
      guard table.entries[place].flags.contains(.hasNamespace) else { return setNamespace(namespace, of: place) }
      guard table.entries[place].namespace != UInt16(truncatingIfNeeded: namespace) else { return }
      key[0] += 1
    }
  }

  private mutating func setNamespace(_ namespace: Int, of place: Int) {
    table.entries[place].namespace = UInt16(truncatingIfNeeded: namespace)
    table.entries[place].flags.insert(.hasNamespace)
  }

  /// The place of an artist that a track names only in `artistName`.
  mutating func place(ofName name: ArraySlice<UInt8>) throws -> ArtistPlace {
    try stored(name).withUnsafeBytes { makeKey(false, $0) }
    let place = try place(of: nil)
    return artist(at: place)
  }

  /// The place of the artist with the current key; reports a missing artist.
  private mutating func place(of name: ArraySlice<UInt8>?, _ namespace: Int? = nil) throws -> Int {
    let place: Int
    if let known = try knownPlace() {
      place = known
    } else {
      place = table.add(key, primaryKey: nil)
      missingKeys[place] = key
      if let namespace { setNamespace(namespace, of: place) }
      try log.add(.missingArtist) {
        $0.entity = "Artist"
        $0.expected = StoredValue.quoted(name ?? key.dropFirst())
        if name != nil { $0.detail = "id \(StoredValue.quoted(key.dropFirst()))" }
      }
    }
    if table.entries[place].flags.insert(.isMentioned).inserted { mentionedCount += 1 }
    return place
  }

  /// Text as the store returns it.
  private func stored(_ text: ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
    guard let roundTrip else { return text }
    return try text.withUnsafeBytes { bytes in
      // A buffer without an address would be NULL.
      guard bytes.baseAddress != nil else { return text }
      try roundTrip.bindBorrowed(text: bytes, at: 1)
      defer { roundTrip.reset() }
      return try roundTrip.step() ? roundTrip.withText(0) { $0.map { Array($0)[...] } ?? [] } : text
    }
  }

  /// Compares an artist with what a mention is the first to say: everything, or what earlier mentions lack.
  private mutating func compare(_ place: Int, with mention: ArtistMentions.Mention, in text: [UInt8]) throws {
    let known = table.entries[place]
    let isFirst = !known.flags.contains(.isInDocument)
    guard isFirst || known.id != .settled || known.imageURL != .settled else { return }
    table.entries[place].flags.insert(.isInDocument)
    let id = Self.detail(mention.id, known.id, isFirst: isFirst)
    let imageURL = Self.detail(mention.imageURL, known.imageURL, isFirst: isFirst)
    (table.entries[place].id, table.entries[place].imageURL) = (id, imageURL)
    let givesID = known.id != .settled && id == .settled
    let givesImage = known.imageURL != .settled && imageURL == .settled
    if !isFirst, givesID || givesImage, table.entries[place].flags.insert(.isCompletedLate).inserted {
      let parts = [mention.name, mention.id, mention.imageURL].map { ArtistMentions.excerpt($0, of: text) }
      contradictions.count(.lateDetails, example: "\(parts[0]): \(parts[1]) \(parts[2])")
    }
    guard let primaryKey = known.primaryKey else { return }
    for (isGiven, column, property, range) in [
      (isFirst, ArtistRows.Column.name, "name", mention.name), (givesID, .id, "id", mention.id),
      (givesImage, .imageURL, "imageURL", mention.imageURL),
    ] where isGiven {
      let expected = try range.map { try stored(text[$0]) }
      let isEqual = try rows.withText(column, of: primaryKey) { found, isText in
        guard let found, let expected else { return found == nil && expected == nil }
        return isText && expected.withUnsafeBytes { StoredValue.areEqual(found, $0) }
      }
      guard !isEqual, let row = try rows.row(primaryKey) else { continue }
      try report(property, primaryKey, expected, row, column.rawValue)
    }
  }

  /// The state of an id or image after this mention.
  private static func detail(
    _ text: Range<Int>?, _ known: ArtistTable.Detail, isFirst: Bool
  ) -> ArtistTable.Detail {
    guard let text, known != .settled else { return known }
    return !text.isEmpty ? .settled : isFirst ? .empty : known
  }

  private func compare(
    _ property: String, _ primaryKey: Int64, _ text: ArraySlice<UInt8>?, _ row: Statement, _ place: Int
  ) throws {
    let expected = try text.map { try stored($0) }
    let type = row.storageClass(place)
    let isEqual = row.withText(place) { found in
      guard let found, let expected else { return found == nil && expected == nil }
      return type == .text && expected.withUnsafeBytes { StoredValue.areEqual(found, $0) }
    }
    if !isEqual { try report(property, primaryKey, expected, row, place) }
  }

  private func report(
    _ property: String, _ primaryKey: Int64, _ expected: ArraySlice<UInt8>?, _ row: Statement, _ place: Int
  ) throws {
    try log.add(.value) {
      ($0.entity, $0.row, $0.property) = ("Artist", primaryKey, property)
      ($0.expected, $0.found) = (expected.map { StoredValue.quoted($0) }, StoredValue.text(row, place))
      $0.detail = row.withText(place) { found in
        found.flatMap { found in expected.map { StoredValue.difference($0, found) } }
      }
    }
  }

  /// Counts each artist with two different images once.
  private mutating func noteImage(of mention: ArtistMentions.Mention, in text: [UInt8], _ place: Int) throws {
    guard let image = mention.imageURL, !image.isEmpty else { return }
    let flags = table.entries[place].flags
    guard !flags.contains(.hasSeveralImages) else { return }
    let isStored = try table.entries[place].primaryKey.map { try rows.has(text[image], in: .imageURL, of: $0) } ?? false
    guard flags.contains(.hasImage) else {
      table.entries[place].flags.formUnion(isStored ? [.hasImage, .imageIsStored] : .hasImage)
      if !isStored { strayImages[place] = Self.hash(text[image]) }
      return
    }
    guard flags.contains(.imageIsStored) ? !isStored : strayImages[place] != Self.hash(text[image]) else { return }
    table.entries[place].flags.insert(.hasSeveralImages)
    let name = ArtistMentions.excerpt(mention.name, of: text)
    contradictions.count(.imageConflicts, example: "\(name): \(ArtistMentions.excerpt(image, of: text))")
  }

  private static func hash(_ text: ArraySlice<UInt8>) -> UInt64 {
    var hash = KeyedHash()
    text.withUnsafeBytes { hash.combine($0) }
    return hash.value
  }

  // MARK: - Rivals

  /// Counts each artist with a second id once, and each id with a second artist; if ids identify artists, the same for
  /// names.
  private mutating func noteRival(
    _ rival: [UInt8], of mention: ArtistMentions.Mention, in text: [UInt8], _ place: Int
  ) throws {
    let flags = table.entries[place].flags
    if flags.contains(.hasRival), try isFirstRival(rival, at: place) { return }
    let owner = try owner(ofRival: rival)
    if let owner, owner != place, try share(rival, of: owner) {
      let name = ArtistMentions.excerpt(mention.name, of: text)
      if identifiesByID {
        contradictions.count(.nameConflicts, example: name)
      } else {
        let other = ArtistMentions.excerpt(try identity(at: owner))
        contradictions.count(.idConflicts, example: "\(ArtistMentions.excerpt(rival.dropFirst())): \(other), \(name)")
      }
    }
    guard flags.contains(.hasRival) else {
      try setFirstRival(rival, at: place)
      if owner == nil { table.own(rival, place) }
      return
    }
    if owner == nil { otherOwners[rival] = (place, false) }
    // Ids of several services are not compared.
    guard !flags.contains(.hasSeveralRivals), table.entries[place].rivalService == rival.first else { return }
    table.entries[place].flags.insert(.hasSeveralRivals)
    let both = "\(ArtistMentions.excerpt(try firstRival(at: place))), \(ArtistMentions.excerpt(rival.dropFirst()))"
    if identifiesByID {
      contradictions.count(.idConflicts, example: "\(ArtistMentions.excerpt(mention.id, of: text)): \(both)")
    } else {
      contradictions.count(.nameConflicts, example: "\(ArtistMentions.excerpt(mention.name, of: text)): \(both)")
    }
  }

  private var rivalColumn: ArtistRows.Column { identifiesByID ? .name : .id }

  private mutating func setFirstRival(_ rival: [UInt8], at place: Int) throws {
    let isStored =
      try table.entries[place].primaryKey.map { try rows.has(rival.dropFirst(), in: rivalColumn, of: $0) } ?? false
    table.entries[place].rivalService = rival.first ?? 0
    table.entries[place].flags.formUnion(isStored ? [.hasRival, .rivalIsStored] : .hasRival)
    if !isStored { strayRivals[place] = rival }
  }

  private func isFirstRival(_ rival: [UInt8], at place: Int) throws -> Bool {
    let artist = table.entries[place]
    guard artist.flags.contains(.rivalIsStored), let row = artist.primaryKey else { return strayRivals[place] == rival }
    return try artist.rivalService == rival.first && rows.has(rival.dropFirst(), in: rivalColumn, of: row)
  }

  /// The first rival of an artist, without its service.
  private func firstRival(at place: Int) throws -> ArraySlice<UInt8> {
    let artist = table.entries[place]
    guard artist.flags.contains(.rivalIsStored), let row = artist.primaryKey else {
      return strayRivals[place]?.dropFirst() ?? []
    }
    return try rows.text(rivalColumn, of: row)[...]
  }

  /// The place of the artist that was the first to have a rival.
  private func owner(ofRival rival: [UInt8]) throws -> Int? {
    if !otherOwners.isEmpty, let owner = otherOwners[rival] { return owner.place }
    return try table.owner(ofRival: rival) { try isFirstRival(rival, at: $0) }
  }

  /// Notes that other artists have a rival too; returns false if that is known.
  private mutating func share(_ rival: [UInt8], of owner: Int) throws -> Bool {
    if let isShared = otherOwners[rival]?.isShared {
      otherOwners[rival]?.isShared = true
      return !isShared
    }
    return table.entries[owner].flags.insert(.rivalIsShared).inserted
  }

  /// Checks all artists of the new library, once all mentions are known.
  mutating func finish() throws {
    let artists = try side.connection.prepare(
      "SELECT \(Self.columns(names)), Z_ENT, Z_OPT FROM \(names.artists.quotedIdentifier) ORDER BY Z_PK")
    let links = try side.connection.prepare(
      "SELECT 1 FROM \(names.table.quotedIdentifier) WHERE \(names.artist.quotedIdentifier) = ? LIMIT 1")
    // The artists of the table are in the order of their rows.
    var place = 0
    while try artists.step() {
      let isKnown = place < table.entries.count && table.entries[place].primaryKey == artists.integer(0)
      try finish(artists, links, isKnown ? table.entries[place] : nil)
      if isKnown { place += 1 }
    }
    rows.close()
  }

  /// - Parameters:
  ///   - links: Looks for a link to an artist, among those that belong to no track too.
  ///   - entry: What is known of the artist; `nil` for one that has been reported as the same as another.
  private func finish(_ artist: Statement, _ links: Statement, _ entry: ArtistTable.Entry?) throws {
    let primaryKey = artist.integer(0)
    func add(_ kind: Difference.Kind) throws {
      try log.add(kind) { ($0.entity, $0.row, $0.found) = ("Artist", primaryKey, StoredValue.text(artist, 1)) }
    }
    // A new instance has the version 1.
    for (column, property, expected) in [(4, "Z_ENT", Int64(names.artistNumber)), (5, "Z_OPT", 1)]
    where artist.storageClass(column) != .integer || artist.integer(column) != expected {
      try log.add(.value) {
        ($0.entity, $0.row, $0.property) = ("Artist", primaryKey, property)
        ($0.expected, $0.found) = ("\(expected)", StoredValue.text(artist, column))
      }
    }
    guard let entry else { return }
    let isMentioned = entry.flags.contains(.isMentioned)
    if !isMentioned { try add(entry.service > 1 ? .duplicateArtist : .extraArtist) }
    if !entry.flags.contains(.isLinked) {
      try links.bind(primaryKey, at: 1)
      defer { links.reset() }
      if try !links.step() { try add(.artistWithoutTrack) }
    }
    guard isMentioned else { return }
    // A detail that no mention gives must be missing.
    for (column, property, detail) in [(2, "id", entry.id), (3, "imageURL", entry.imageURL)] where detail != .settled {
      try compare(property, primaryKey, detail == .empty ? [] : nil, artist, column)
    }
  }

  /// Describes the artist at a place, for a difference in links.
  func describe(place: Int) throws -> String {
    if let key = table.entries[place].primaryKey { return try describe(row: key) }
    return "an artist that is missing: \(StoredValue.quoted(try identity(at: place)))"
  }

  /// Describes the artist in a row, for a difference in links.
  func describe(row key: Int64) throws -> String {
    guard let row = try rows.row(key) else { return "artist \(key), which does not exist" }
    return "artist \(key) \(StoredValue.text(row, 1) ?? "without a name")"
  }
}

extension ArtistMentions {
  /// Text as examples show it.
  static func excerpt(_ range: Range<Int>?, of text: [UInt8]) -> String { range.map { excerpt(text[$0]) } ?? "" }

  static func excerpt(_ text: ArraySlice<UInt8>) -> String {
    String(decoding: text.prefix(1000), as: UTF8.self) + (text.count > 1000 ? "…" : "")
  }
}

/// The names of the tables and columns of links between tracks and artists.
struct LinkNames {
  /// The table, and its columns with the keys of tracks and artists.
  let table: String
  let track: String
  let artist: String
  /// The table of artists, and its columns.
  let artists: String
  let name: String
  let id: String
  let imageURL: String
  /// The table of tracks.
  let tracks: String
  /// The number of artists' entity.
  let artistNumber: Int

  /// Looks the names up; `nil` for a model without artists.
  init?(_ schema: StoreSchema) {
    guard let relationship = schema.model.entity(named: "Track")?.relationship(named: "artists"),
      let links = LinkStorage(relationship, ofEntityNamed: "Track", in: schema),
      let artists = schema.table(forEntityNamed: "Artist"), let tracks = schema.table(forEntityNamed: "Track"),
      let name = schema.column(forProperty: "name", ofEntityNamed: "Artist"),
      let id = schema.column(forProperty: "id", ofEntityNamed: "Artist"),
      let imageURL = schema.column(forProperty: "imageURL", ofEntityNamed: "Artist")
    else { return nil }
    (table, track, artist) = (links.table, links.owner, links.target)
    self.artists = artists.name
    self.tracks = tracks.name
    (self.name, self.id, self.imageURL) = (name.name, id.name, imageURL.name)
    artistNumber = schema.entityNumber("Artist")
  }
}
