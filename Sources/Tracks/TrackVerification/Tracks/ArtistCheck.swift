internal import DataModel
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
  private let row: Statement
  /// Returns text as the store would; `nil` if the store keeps every byte.
  private let roundTrip: Statement?
  private var table = ArtistTable()
  private var key: [UInt8] = []
  /// The number of artists that any track has mentioned.
  private(set) var mentionedCount = 0
  /// The contradictions between mentions.
  private(set) var contradictions = Contradictions()
  /// The ids of mentions, or their names if ids identify artists: for each, the place of the artist that had it first, and
  /// whether another artist has had it too.
  private var rivals = ArtistTable()
  /// The artists of mentions that have been compared.
  private var known = KnownMentions(capacity: 0)
  /// Whether a link to the artist at each place has been found.
  private var linked: [Bool] = []

  init(_ names: LinkNames, _ side: StoreSide, identifiesByID: Bool, log: DifferenceLog) throws {
    self.names = names
    self.side = side
    self.identifiesByID = identifiesByID
    self.log = log
    row = try side.connection.prepare(
      "SELECT \(Self.columns(names)) FROM \(names.artists.quotedIdentifier) WHERE Z_PK = ?")
    roundTrip = side.isUTF16 ? try side.connection.prepare("SELECT ?") : nil
    try readArtists()
    known = KnownMentions(capacity: table.entries.count)
    linked = Array(repeating: false, count: table.entries.count)
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
      while key[0] > 0, key[0] < .max, table.place(of: key) != nil { key[0] += 1 }
      guard let place = table.place(of: key) else {
        let place = table.add(key, primaryKey: primaryKey)
        table[place].stored = StoredDetails(artists)
        continue
      }
      try log.add(.duplicateArtist) {
        ($0.entity, $0.row) = ("Artist", primaryKey)
        $0.found = StoredValue.quoted(key.dropFirst())
        $0.detail = "the same as artist \(table[place].primaryKey ?? 0)"
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

  /// Finds the artists of mentions that have been compared before.
  ///
  /// Nearly every mention equals one before it, and adds nothing to what that has said. All of a batch are looked up at
  /// once, so that the processor need not wait for each.
  func findKnown(_ fingerprints: [UInt64], _ artists: inout [ArtistPlace?]) {
    artists.removeAll(keepingCapacity: true)
    for fingerprint in fingerprints { artists.append(known[fingerprint]) }
  }

  /// The place of the artist that a document mentions.
  mutating func place(
    of mention: ArtistMentions.Mention, _ fingerprint: UInt64, in text: [UInt8]
  ) throws -> ArtistPlace {
    if let artist = known[fingerprint] { return artist }
    let hasID = identifiesByID && mention.id?.isEmpty == false
    let place = try compared(mention, hasID, in: text)
    known.insert(artist(at: place), fingerprint)
    return artist(at: place)
  }

  private func artist(at place: Int) -> ArtistPlace { ArtistPlace(key: table[place].primaryKey, place: place) }

  /// Notes that the new library has a link to an artist.
  mutating func noteLink(to artist: ArtistPlace) {
    if artist.place < linked.count { linked[artist.place] = true }
  }

  /// Compares a mention with its artist, and with the mentions before it.
  private mutating func compared(_ mention: ArtistMentions.Mention, _ hasID: Bool, in text: [UInt8]) throws -> Int {
    let identity = try (hasID ? mention.id : mention.name).map { try stored(text[$0]) } ?? []
    identity.withUnsafeBytes { makeKey(hasID, $0) }
    if hasID { chooseService(mention.namespace) }
    let place = try place(of: hasID ? mention.name.map { text[$0] } : nil, mention.namespace)
    try compare(place, with: mention, in: text)
    noteImage(of: mention, in: text, place)
    if mention.id?.isEmpty == false, let rival = identifiesByID ? mention.name : mention.id {
      noteRival(
        [UInt8(truncatingIfNeeded: mention.namespace)] + text[rival], of: mention, in: text, place)
    }
    return place
  }

  /// Gives the current key the number of a service among those with the same id.
  private mutating func chooseService(_ namespace: Int) {
    while key[0] < .max, let place = table.place(of: key) {
      let known = table[place].namespace
      if known == nil { table[place].namespace = namespace }
      guard let known, known != namespace else { return }
      key[0] += 1
    }
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
    if let known = table.place(of: key) {
      place = known
    } else {
      place = table.add(key, primaryKey: nil)
      table[place].namespace = namespace
      try log.add(.missingArtist) {
        $0.entity = "Artist"
        $0.expected = StoredValue.quoted(name ?? key.dropFirst())
        if name != nil { $0.detail = "id \(StoredValue.quoted(key.dropFirst()))" }
      }
    }
    if !table[place].isMentioned {
      table[place].isMentioned = true
      mentionedCount += 1
    }
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
    let known = table[place]
    guard !known.isInDocument || known.id != .settled || known.imageURL != .settled else { return }
    table[place].isInDocument = true
    table[place].id = Self.detail(mention.id, known.id, isFirst: !known.isInDocument)
    table[place].imageURL = Self.detail(mention.imageURL, known.imageURL, isFirst: !known.isInDocument)
    let givesName = !known.isInDocument
    let givesID = known.id != .settled && table[place].id == .settled
    let givesImage = known.imageURL != .settled && table[place].imageURL == .settled
    if known.isInDocument, givesID || givesImage, !known.isCompletedLate {
      table[place].isCompletedLate = true
      let parts = [mention.name, mention.id, mention.imageURL].map { ArtistMentions.excerpt($0, of: text) }
      contradictions.lateDetails.add("\(parts[0]): \(parts[1]) \(parts[2])")
    }
    guard givesName || givesID || givesImage, let primaryKey = known.primaryKey else { return }
    // The row is read again only to say what differs.
    if roundTrip == nil, known.stored.contains(mention, in: text, name: givesName, id: givesID, image: givesImage) {
      return
    }
    try row.bind(primaryKey, at: 1)
    defer { row.reset() }
    guard try row.step() else { return }
    for (isGiven, column, property, range) in [
      (givesName, 1, "name", mention.name), (givesID, 2, "id", mention.id),
      (givesImage, 3, "imageURL", mention.imageURL),
    ] where isGiven {
      try compare(property, primaryKey, range.map { text[$0] }, row, column)
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
    guard !isEqual else { return }
    try log.add(.value) {
      ($0.entity, $0.row, $0.property) = ("Artist", primaryKey, property)
      ($0.expected, $0.found) = (expected.map { StoredValue.quoted($0) }, StoredValue.text(row, place))
      $0.detail = row.withText(place) { found in
        found.flatMap { found in expected.map { StoredValue.difference($0, found) } }
      }
    }
  }

  /// Counts each artist with two different images once.
  private mutating func noteImage(of mention: ArtistMentions.Mention, in text: [UInt8], _ place: Int) {
    guard let image = mention.imageURL, !image.isEmpty else { return }
    let hash = ArtistTable.hash(text[image])
    guard let first = table[place].imageHash else { return table[place].imageHash = hash }
    guard first != hash, !table[place].hasSeveralImages else { return }
    table[place].hasSeveralImages = true
    let name = ArtistMentions.excerpt(mention.name, of: text)
    contradictions.images.add("\(name): \(ArtistMentions.excerpt(image, of: text))")
  }

  /// Counts each artist with a second id once, and each id with a second artist; if ids identify artists, the same for
  /// names.
  private mutating func noteRival(
    _ rival: ArraySlice<UInt8>, of mention: ArtistMentions.Mention, in text: [UInt8], _ place: Int
  ) {
    let first = table[place].rival
    if let first, ArtistTable.areEqual(rivals.key(at: first), rival) { return }
    let known = rivals.place(of: rival) ?? rivals.add(rival, primaryKey: Int64(place))
    if let owner = rivals[known].primaryKey.map(Int.init), owner != place, !rivals[known].isMentioned {
      rivals[known].isMentioned = true
      let name = ArtistMentions.excerpt(mention.name, of: text)
      if identifiesByID {
        contradictions.names.add(name)
      } else {
        let other = ArtistMentions.excerpt(table.key(at: owner).dropFirst())
        contradictions.ids.add("\(ArtistMentions.excerpt(rival.dropFirst())): \(other), \(name)")
      }
    }
    guard let first else { return table[place].rival = known }
    // Ids of several services are not compared.
    guard !table[place].hasSeveralRivals, rivals.key(at: first).first == rival.first else { return }
    table[place].hasSeveralRivals = true
    let both = [rivals.key(at: first), rival].map { ArtistMentions.excerpt($0.dropFirst()) }.joined(separator: ", ")
    if identifiesByID {
      contradictions.ids.add("\(ArtistMentions.excerpt(mention.id, of: text)): \(both)")
    } else {
      contradictions.names.add("\(ArtistMentions.excerpt(mention.name, of: text)): \(both)")
    }
  }

  /// Checks all artists of the new library, once all mentions are known.
  mutating func finish() throws {
    let artists = try side.connection.prepare(
      "SELECT \(Self.columns(names)), Z_ENT, Z_OPT FROM \(names.artists.quotedIdentifier) ORDER BY Z_PK")
    let links = try side.connection.prepare(
      "SELECT 1 FROM \(names.table.quotedIdentifier) WHERE \(names.artist.quotedIdentifier) = ? LIMIT 1")
    while try artists.step() { try finish(artists, links) }
  }

  /// - Parameter links: Looks for a link to an artist, among those that belong to no track too.
  private mutating func finish(_ artist: Statement, _ links: Statement) throws {
    let primaryKey = artist.integer(0)
    readKey(of: artist)
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
    while key[0] > 0, key[0] < .max, let place = table.place(of: key), table[place].primaryKey != primaryKey {
      key[0] += 1
    }
    guard let place = table.place(of: key), table[place].primaryKey == primaryKey else { return }
    let entry = table[place]
    if !entry.isMentioned { try add(key[0] > 1 ? .duplicateArtist : .extraArtist) }
    if !linked[place] {
      try links.bind(primaryKey, at: 1)
      defer { links.reset() }
      if try !links.step() { try add(.artistWithoutTrack) }
    }
    guard entry.isMentioned else { return }
    // A detail that no mention gives must be missing.
    for (column, property, detail) in [(2, "id", entry.id), (3, "imageURL", entry.imageURL)] where detail != .settled {
      try compare(property, primaryKey, detail == .empty ? [] : nil, artist, column)
    }
  }

  /// Describes the artist at a place, for a difference in links.
  func describe(place: Int) throws -> String {
    if let key = table[place].primaryKey { return try describe(row: key) }
    return "an artist that is missing: \(StoredValue.quoted(table.key(at: place).dropFirst()))"
  }

  /// Describes the artist in a row, for a difference in links.
  func describe(row key: Int64) throws -> String {
    try row.bind(key, at: 1)
    defer { row.reset() }
    guard try row.step() else { return "artist \(key), which does not exist" }
    return "artist \(key) \(StoredValue.text(row, 1) ?? "without a name")"
  }
}

/// The contradictions between mentions of the same artist or the same id.
package struct Contradictions: Sendable, Hashable {
  /// The number of contradictions of one kind, and the first of them in words.
  package struct Finding: Sendable, Hashable {
    package private(set) var count = 0
    package private(set) var examples: [String] = []

    mutating func add(_ example: @autoclosure () -> String) {
      count += 1
      if examples.count < 20 { examples.append(example()) }
    }
  }

  /// Artists that a later document gives an id or image.
  package internal(set) var lateDetails = Finding()
  /// Artists with several images.
  package internal(set) var images = Finding()
  /// Names with several ids.
  package internal(set) var names = Finding()
  /// Ids with several names.
  package internal(set) var ids = Finding()
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
