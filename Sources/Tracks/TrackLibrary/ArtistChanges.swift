internal import CoreDataExpressions
internal import DataModel
package import JSONPresets
package import MigrationDiagnostics
package import PersistentStore
internal import Policies
internal import PropertyListFormat
internal import SQLiteDatabase

/// Carries out decisions about artists in a library of the current version.
///
/// Like a migration, this changes a copy, which replaces the library once it is complete.
package struct ArtistChanges {
  /// The library, as the user named it.
  package let path: String
  /// The decisions of a person.
  package let decisions: ArtistDecisions
  /// The time to wait for other programs.
  package var waiting = WaitPolicy()
  /// Whether the old library is kept.
  package var keepsBackup = true
  /// Whether what the app has added, and the new library cannot keep, may be gone for good, without a backup.
  package var allowsLoss = false

  package init(path: String, decisions: ArtistDecisions) {
    (self.path, self.decisions) = (path, decisions)
  }

  /// An artist that is replaced, renamed or removed.
  package struct Change: Sendable, Hashable {
    /// The key of the artist.
    package let primaryKey: Int64
    package let name: String
    package let id: String?
    /// The artists in its place; once it is carried out, with the ids that they have.
    package fileprivate(set) var into: [ArtistDecisions.Target]
    /// Whether it is the same artist, with another name that no other artist had.
    package fileprivate(set) var isRename: Bool
    /// The number of its tracks.
    package fileprivate(set) var tracksCount: Int64 = 0
    /// The ids and images that are gone, since the artist in its place has another.
    package fileprivate(set) var droppedDetails: [String] = []
  }

  /// The result of the changes.
  package struct Result: Sendable {
    package let changes: [Change]
    /// The path of the old library, if it was kept.
    package let backupPath: String?
    /// Tracks that have no artist any more.
    package let tracksWithoutArtistCount: Int64
    /// The app's own indexes that the new library lacks: only the app can keep them.
    package let leftBehindIndexes: [String]
    /// The values and rows of the app's that are lost with artists and links, as clauses.
    package let losses: [String]
    /// The problems that remained once the new library was in place.
    package let warnings: [MigrationError]
    /// Whether the library says that the decisions were carried out before.
    package let isRepeated: Bool
  }

  /// Changes the library.
  ///
  /// - Parameter isDryRun: Whether to remove the copy instead of replacing the library with it.
  /// - Throws: `MigrationError`. Then the library holds what it held.
  package func run(isDryRun: Bool = false) throws(MigrationError) -> Result {
    let target = try ReplacementSession.target(path: path, outputPath: nil)
    let session = try ReplacementSession(
      path: path, outputPath: nil, target: target, isDryRun: isDryRun, waiting: LockRetry(waiting))
    do throws(MigrationError) {
      return try run(session, isDryRun: isDryRun)
    } catch {
      session.discard()
      throw session.inUserTerms(error)
    }
  }

  private func run(_ session: ReplacementSession, isDryRun: Bool) throws(MigrationError) -> Result {
    let store = try session.open(isDryRun: isDryRun)
    let model = try TrackLibraryModel(of: store.reader)
    guard model.version == .current else {
      throw MigrationError(.migrationRequired, MigrationError.Subject(path: path, name: model.version.rawValue))
    }
    try store.reader.requireBoundedTables()
    let size = store.reader.usedSize
    try session.requireSpace(atMost: size, { size }, for: store, keepsBackup: keepsBackup && !isDryRun)
    try store.reader.copy(to: session.staging.path)
    let isRepeated = store.reader.metadata.appliedDecisions == decisions.digest
    let (changes, lonelyCount, leftBehind, losses) = try changeCopy(at: session.staging.path, isRepeated: isRepeated)
    try store.reader.close()
    guard !isDryRun, !changes.isEmpty else {
      session.discard()
      return Result(
        changes: changes, backupPath: nil, tracksWithoutArtistCount: lonelyCount, leftBehindIndexes: leftBehind,
        losses: losses, warnings: [], isRepeated: isRepeated)
    }
    let backupPath =
      keepsBackup ? try Backup.freePath(for: store.file, version: TrackModelVersion.current.rawValue) : nil
    // They still tell how the artists were found; the backup has them too, for when it is restored.
    let statistics = try session.earlierStatistics(besideBackup: backupPath, stay: true)
    let warnings = try session.publish(
      store, filesOf: StoreSchema(model.model), companions: statistics, backupPath: backupPath)
    return Result(
      changes: changes, backupPath: backupPath.map(session.displayPath), tracksWithoutArtistCount: lonelyCount,
      leftBehindIndexes: leftBehind, losses: losses, warnings: warnings, isRepeated: isRepeated)
  }

  private func changeCopy(
    at copy: String, isRepeated: Bool
  ) throws(MigrationError) -> ([Change], lonelyCount: Int64, leftBehindIndexes: [String], losses: [String]) {
    let library = try TrackLibraryReader(migratedLibraryAt: copy)
    let names = try library.names()
    let table = try ArtistTable(library, names)
    var used: Set<Int> = []
    let changes = try reporting(path: copy) { try plannedChanges(library, names, &used) }
    // What was carried out before has left nothing to find.
    if !isRepeated {
      try reporting(path: path) {
        try decisions.requireAll(in: used, path: path) {
          var names: [String] = []
          try ArtistQuery().forEach(in: library) { if let name = $0.name { names.append(name) } }
          return names
        }
      }
    }
    try library.store.close()
    guard !changes.isEmpty else { return ([], 0, [], []) }
    let report = try? MigrationReport.read(forLibraryAt: path, withUUID: library.store.metadata.uuid)
    let identity = report.flatMap { ArtistIdentity(rawValue: $0.identity) }
    let (done, lonelyCount, leftBehind, losses, connection) = try reporting(path: path) {
      let connection = try Connection(path: copy, access: .readWrite)
      // The copy is removed on any failure, and synced before it replaces the library.
      try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")
      let leftBehind = try connection.appIndexes(ofTables: [table.artists, table.links])
      for index in leftBehind { try connection.execute("DROP INDEX \(index.quotedIdentifier)") }
      // The indexes of other tables stay as they are.
      connection.acceptUnknownCollations()
      let removed = try RemovedArtists(connection, names, table)
      let writer = ArtistWriter(
        connection: connection, kept: KeptStatements(connection), names: names, table: table,
        targets: try TargetArtists(changes, connection, names, table),
        removed: removed, identifiesByID: identity == .id, path: path)
      var done = changes
      var lonelyCount: Int64 = 0
      for place in changes.indices {
        lonelyCount += try writer.countOfTracksLeftAlone(by: changes[place])
        done[place] = try namingLine(of: changes[place]) { try writer.carryOut(changes[place]) }
      }
      let losses = try removed.losses()
      if !keepsBackup, !allowsLoss, !leftBehind.isEmpty || !losses.isEmpty {
        let indexes = leftBehind.map { "the index '\($0)' needs a collation or function that only its app has" }
        throw MigrationError(
          .contentWouldBeLost, path: path, detail: (indexes + losses).joined(separator: "; "))
      }
      var metadata = library.store.metadata
      metadata.appliedDecisions = decisions.digest
      try metadata.replace(in: connection)
      try connection.execute("COMMIT")
      return (done, lonelyCount, leftBehind, losses, connection)
    }
    // Outside the closure above, whose statements would prevent closing.
    try reporting(path: path) { try connection.close() }
    return (done, lonelyCount, leftBehind, losses)
  }

  /// Names the line of a change that breaks a rule which the app has given a table.
  private func namingLine<Value>(of change: Change, _ work: () throws -> Value) throws(MigrationError) -> Value {
    do throws(MigrationError) {
      return try reporting(path: path, work)
    } catch {
      let line = decisions.all.first { decision in
        decision.artist.utf8.elementsEqual(change.name.utf8) && (decision.id == nil || decision.id == change.id)
      }
      if [.unclearDecision, .unusedDecision].contains(error.code), let line {
        var error = error
        error.detail = "\(line.place): \(error.detail ?? "")"
        throw error
      }
      guard let rule = error.brokenRule else { throw error }
      var error = MigrationError(
        .migrationFailed, path: path,
        detail: "\(line?.place ?? "'\(change.name)'") of the decisions breaks a rule of its table: \(rule)")
      error.advice = "Nothing was changed. Correct the line, or remove the rule from the library, and run this again."
      throw error
    }
  }

  /// The artists that something was decided about.
  private func plannedChanges(
    _ library: TrackLibraryReader, _ names: TrackLibraryNames, _ used: inout Set<Int>
  ) throws -> [Change] {
    let decider = ArtistDecider(decisions)
    let (artists, name, id) = (names.artists, names.artists.text("name", "a"), names.artists.text("id", "a"))
    let statement = try library.store.connection.prepare(
      "SELECT a.Z_PK, \(name), \(id) FROM \(artists.table) a WHERE \(artists.condition("a") ?? "1") ORDER BY a.Z_PK")
    var changes: [Change] = []
    while try statement.step() {
      guard let name = statement.text(1) else { continue }
      let id = statement.text(2).flatMap { $0.isEmpty ? nil : $0 }
      guard let found = decider.artists(insteadOf: name, id: id, &used) else { continue }
      let isRename = found.count == 1 && found[0].isSame
      if isRename, found[0].artist.name.utf8.elementsEqual(name.utf8) { continue }
      changes.append(
        Change(
          primaryKey: statement.integer(0), name: name, id: id, into: found.map(\.artist), isRename: isRename))
    }
    return changes
  }
}

extension ArtistDecisions {
  /// The hash of what is decided, without the number of tracks and the evidence.
  fileprivate var digest: String {
    let lines = all.map {
      $0.text.split(separator: "\t", omittingEmptySubsequences: false).prefix(5).joined(separator: "\t")
    }
    return HexadecimalText.encode(Digest.sha256(Array(lines.joined(separator: "\n").utf8)))
  }
}

extension StoreMetadata {
  /// The hash of the decisions that were carried out last, among the keys that Core Data leaves to apps.
  ///
  /// A run that was killed once its work was done is repeated like any other, and would find none of the artists.
  fileprivate var appliedDecisions: String? {
    get { properties["TracksMigrateAppliedDecisions"]?.string }
    set { properties["TracksMigrateAppliedDecisions"] = newValue.map { .string($0) } }
  }
}

/// The columns of artists that are written.
struct ArtistTable {
  let name: String
  let id: String
  let image: String?
  /// The number of the entity, and of the root entity whose keys it shares.
  let entity: Int
  let root: Int
  /// The names of the tables whose rows change.
  let (artists, links): (String, String)
  /// The columns of artists that decisions are about, in lower case.
  let knownColumns: Set<String>

  init(_ library: TrackLibraryReader, _ names: TrackLibraryNames) throws(MigrationError) {
    let (schema, path) = (library.schema, library.store.file.path)
    guard let name = schema.column(forProperty: "name", ofEntityNamed: "Artist")?.name,
      let id = schema.column(forProperty: "id", ofEntityNamed: "Artist")?.name,
      let artists = schema.table(forEntityNamed: "Artist")?.name,
      let links = schema.layouts.links(ofRelationship: "artists", ofEntityNamed: "Track")?.table.name
    else { throw MigrationError(.migrationFailed, path: path, detail: "artists have no name or no id") }
    (self.name, self.id) = (name.quotedIdentifier, id.quotedIdentifier)
    entity = schema.entityNumber("Artist")
    root = schema.entityNumber(library.model.lineage(of: "Artist").last ?? "Artist")
    let image = schema.column(forProperty: "imageURL", ofEntityNamed: "Artist")?.name
    self.image = image?.quotedIdentifier
    knownColumns = Set(["Z_PK", "Z_ENT", "Z_OPT", name, id, image ?? id].map { $0.lowercased() })
    (self.artists, self.links) = (artists, links)
    // Connections of this program run no triggers, which may keep something else in step, such as a search index.
    let trigger = try library.store.triggers(ofTables: [artists, links]).first
    guard trigger == nil else {
      throw MigrationError(.migrationFailed, path: path, detail: "the trigger '\(trigger ?? "")' would not run")
    }
  }
}

/// The artists that decisions lead to, by name, with those that are added.
///
/// They are looked up in one walk: names have no index, and there may be as many decisions as artists.
private final class TargetArtists {
  struct Artist {
    let key: Int64
    var id: String?
    /// The artist that the id is of: the artist itself, or one that became it.
    var idOwner: Int64
    /// The same of the image, of which only this is kept.
    var imageOwner: Int64

    init(_ key: Int64, id: String?) { (self.key, self.id, idOwner, imageOwner) = (key, id, key, key) }
  }

  private var all: [[UInt8]: [Artist]] = [:]
  /// The ids of artists that change, which decisions may pass on.
  let changedIDs: Set<[UInt8]>

  init(
    _ changes: [ArtistChanges.Change], _ connection: Connection, _ names: TrackLibraryNames, _ table: ArtistTable
  ) throws {
    changedIDs = Set(changes.compactMap { $0.id.map { Array($0.utf8) } })
    for target in changes.lazy.flatMap(\.into) { all[Array(target.name.utf8)] = [] }
    // None of the artists that change is one that a decision leads to.
    let changed = Set(changes.map(\.primaryKey))
    let condition = names.artists.condition("a").map { " WHERE \($0)" } ?? ""
    let statement = try connection.prepare(
      "SELECT Z_PK, \(table.id), \(table.name) FROM \(names.artists.table) a\(condition) ORDER BY Z_PK")
    while try statement.step() {
      guard let name = statement.withText(2, { $0.map(Array.init) }), all[name] != nil else { continue }
      guard !changed.contains(statement.integer(0)) else { continue }
      all[name]?.append(Artist(statement.integer(0), id: statement.text(1).flatMap { $0.isEmpty ? nil : $0 }))
    }
  }

  /// The artists with exactly this name, in the order of their keys.
  subscript(name: String) -> [Artist] {
    get { all[Array(name.utf8)] ?? [] }
    set { all[Array(name.utf8)] = newValue }
  }
}

/// Changes the rows of artists and links.
private struct ArtistWriter {
  let connection: Connection
  let kept: KeptStatements
  let names: TrackLibraryNames
  let table: ArtistTable
  let targets: TargetArtists
  let removed: RemovedArtists
  let identifiesByID: Bool
  let path: String

  /// Carries a change out.
  ///
  /// - Returns: The change as it was carried out.
  func carryOut(_ planned: ArtistChanges.Change) throws -> ArtistChanges.Change {
    var change = planned
    let key = change.primaryKey
    // Those that lead to missing tracks stay with the artist too.
    let links = names.linkTable.table
    change.tracksCount = try kept.integer("SELECT count(*) FROM \(names.links) WHERE \(names.linkedArtist) = ?1", key)
    if change.isRename, try renamed(change) { return change }
    for (place, target) in planned.into.enumerated() {
      let artist = try artist(target, isRename: change.isRename) ?? insert(target)
      change.into[place] = ArtistDecisions.Target(name: target.name, id: artist.id)
      let new = artist.key
      let isMissing = """
        l.\(names.linkedArtist) = ?1 AND NOT EXISTS (
          SELECT 1 FROM \(links) o
          WHERE o.\(names.linkedArtist) = ?2 AND o.\(names.linkedTrack) = l.\(names.linkedTrack))
        """
      guard place < change.into.count - 1 else {
        // The last one gets the rows themselves, with what the app has added to them.
        try kept.prepare("UPDATE OR ABORT \(links) AS l SET \(names.linkedArtist) = ?2 WHERE \(isMissing)", key, new)
          .run()
        break
      }
      let rest = ([names.linkedTrack] + removed.moreOfLinks).joined(separator: ", ")
      try kept.prepare(
        """
        INSERT OR ABORT INTO \(links) (\(names.linkedArtist), \(rest))
        SELECT ?2, \(rest) FROM \(links) l WHERE \(isMissing)
        """, key, new
      ).run()
    }
    let details = try details.map { try text($0.column, of: key) }
    try removed.remove(key)
    if change.isRename {
      change.isRename = false
      try complete(&change, with: details)
    }
    return change
  }

  /// The columns of details that an artist keeps when it is renamed, and whose value each is.
  private var details: [(column: String, owner: WritableKeyPath<TargetArtists.Artist, Int64>)] {
    [(table.id, \.idOwner)] + (table.image.map { [($0, \.imageOwner)] } ?? [])
  }

  /// Gives the artist that another one has become by its new name the details of that one.
  ///
  /// As in an import with the same decisions, those of the artist that was there first count, and the other's where it
  /// lacks them. The keys of artists say which was first.
  private func complete(_ change: inout ArtistChanges.Change, with values: [String?]) throws {
    let target = change.into[0]
    guard let place = targets[target.name].firstIndex(where: { $0.id.isSameText(as: target.id) }) else { return }
    var artist = targets[target.name][place]
    for ((column, owner), value) in zip(details, values) {
      guard let value else { continue }
      let other = try text(column, of: artist.key)
      if other.isSameText(as: value) { continue }
      let counts = other == nil || change.primaryKey < artist[keyPath: owner]
      if let dropped = counts ? other : value { change.droppedDetails.append(dropped) }
      guard counts else { continue }
      try set(column, to: value, of: artist.key)
      artist[keyPath: owner] = change.primaryKey
      if owner == \.idOwner { artist.id = value }
    }
    targets[target.name][place] = artist
    change.into[0] = ArtistDecisions.Target(name: target.name, id: artist.id)
  }

  /// The text of an artist; `nil` if it is empty.
  private func text(_ column: String, of key: Int64) throws -> String? {
    let statement = try kept.prepare("SELECT \(column) FROM \(names.artists.table) WHERE Z_PK = ?1", key)
    defer { statement.reset() }
    return try statement.step() ? statement.text(0).flatMap { $0.isEmpty ? nil : $0 } : nil
  }

  private func set(_ column: String, to text: String, of key: Int64) throws {
    let statement = try kept.prepare(
      "UPDATE OR ABORT \(names.artists.table) SET \(column) = ?2, Z_OPT = coalesce(Z_OPT, 0) + 1 WHERE Z_PK = ?1", key)
    try statement.bind(text, at: 2)
    try statement.run()
  }

  /// Renames an artist; returns false if there is an artist with the new name already, with which it becomes one.
  private func renamed(_ change: ArtistChanges.Change) throws -> Bool {
    guard let target = change.into.first else { return false }
    let known = targets[target.name]
    // Artists with different ids stay two where ids identify them.
    guard identifiesByID ? !known.contains(where: { $0.id.isSameText(as: change.id) }) : known.isEmpty else {
      return false
    }
    try set(table.name, to: target.name, of: change.primaryKey)
    // What the next decisions lead to is this artist too.
    targets[target.name].append(TargetArtists.Artist(change.primaryKey, id: change.id))
    return true
  }

  /// The artist that a decision leads to: the one with the id, or else the only one with the name.
  private func artist(_ target: ArtistDecisions.Target, isRename: Bool) throws -> TargetArtists.Artist? {
    var found = targets[target.name]
    if let exact = found.first(where: { $0.id.isSameText(as: target.id) }) { return exact }
    // Another id means another artist only where ids identify them.
    if target.id != nil, identifiesByID { found.removeAll { $0.id != nil } }
    guard found.count < 2 else {
      let ids = found.prefix(5).map { $0.id ?? "none" }.joined(separator: ", ")
      var error = MigrationError(.unclearDecision, path: path, detail: "'\(target.name)' has the ids \(ids)")
      if isRename { error.advice = "Nothing was changed. Write 'merge', with the artist's id in the column 'into_id'." }
      throw error
    }
    guard var artist = found.first else { return nil }
    guard let id = target.id, !isRename, !identifiesByID, !targets.changedIDs.contains(Array(id.utf8)) else {
      return artist
    }
    if let other = artist.id {
      throw MigrationError(
        .unusedDecision, path: path, detail: "'\(target.name)' has the id '\(other)', and not '\(id)'")
    }
    try set(table.id, to: id, of: artist.key)
    artist.id = id
    targets[target.name] = [artist]
    return artist
  }

  private func insert(_ target: ArtistDecisions.Target) throws -> TargetArtists.Artist {
    let root = Int64(table.root)
    // A link to a row that is gone must not lead to a new one.
    let last = try kept.integer(
      """
      SELECT max(coalesce((SELECT max(Z_PK) FROM \(names.artists.table)), 0),
        coalesce((SELECT CAST(Z_MAX AS INTEGER) FROM Z_PRIMARYKEY WHERE Z_ENT = ?1), 0),
        coalesce((SELECT CAST(max(\(names.linkedArtist)) AS INTEGER) FROM \(names.linkTable.table)), 0))
      """, root)
    let (key, isOverflow) = max(last, 0).addingReportingOverflow(1)
    guard !isOverflow else { throw MigrationError(.migrationFailed, path: path, detail: "there are no more keys") }
    let statement = try kept.prepare(
      "INSERT OR ABORT INTO \(names.artists.table) (Z_PK, Z_ENT, Z_OPT, \(table.name), \(table.id)) VALUES (?, ?, 1, ?, ?)",
      key, Int64(table.entity))
    try statement.bind(target.name, at: 3)
    try statement.bind(target.id, at: 4)
    try statement.run()
    try kept.prepare("UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2", key, root).run()
    let artist = TargetArtists.Artist(key, id: target.id)
    targets[target.name].append(artist)
    return artist
  }

  /// The number of tracks that are to lose their only artist, which only those do whose artist nothing takes the place of.
  func countOfTracksLeftAlone(by change: ArtistChanges.Change) throws -> Int64 {
    guard change.into.isEmpty else { return 0 }
    let (artist, track) = (names.linkedArtist, names.linkedTrack)
    return try kept.integer(
      """
      SELECT count(DISTINCT l.\(track)) FROM \(names.links) l
      WHERE l.\(artist) = ?1 AND NOT EXISTS (
        SELECT 1 FROM \(names.links) o WHERE o.\(track) = l.\(track) AND o.\(artist) <> ?1)
      """, change.primaryKey)
  }
}
