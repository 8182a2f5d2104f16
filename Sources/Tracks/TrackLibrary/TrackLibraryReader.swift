package import DataModel
public import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

/// A track library of any version, open for reading.
public final class TrackLibraryReader {
  /// The store.
  package let store: StoreReader
  /// The layout of the store.
  package let schema: StoreSchema
  private let libraryModel: TrackLibraryModel
  private var knownNames: TrackLibraryNames?

  /// The version of its model.
  package var version: TrackModelVersion { libraryModel.version }
  /// The model that it was written with.
  package var model: ManagedObjectModel { libraryModel.model }
  /// Whether the model is the library's own rather than exactly one of ours.
  package var hasCustomModel: Bool { libraryModel.hasCustomModel }

  /// Opens a library.
  ///
  /// - Throws: `MigrationError` if it is not a store, or is of an unknown version.
  public convenience init(path: String) throws(MigrationError) {
    let store = try StoreReader(path: path)
    store.requireBoundedTablesOfLongQuestions()
    try self.init(store, TrackLibraryModel(of: store))
  }

  /// Reads a store that is open, and whose model is known.
  init(_ store: StoreReader, _ libraryModel: TrackLibraryModel) throws(MigrationError) {
    (self.store, self.libraryModel) = (store, libraryModel)
    schema = try StoreSchema(libraryModel.model, introspecting: store)
  }

  /// Opens a library whose artists can be queried.
  ///
  /// - Throws: `MigrationError`, with `migrationRequired` for a library of an older version.
  public convenience init(migratedLibraryAt path: String) throws(MigrationError) {
    try self.init(path: path)
    guard version == .current else {
      throw MigrationError(.migrationRequired, MigrationError.Subject(path: path, name: version.rawValue))
    }
  }
}

extension TrackLibraryReader {
  /// Reads rows by any queries, and makes sure that none are missing from the answers because the library is damaged.
  ///
  /// - Throws: What the queries throw, or `MigrationError`, with `damaged`, after they have been answered.
  package func reading<Result>(_ queries: () throws -> Result) throws -> Result {
    try store.checkingPages(for: .tablesAndIndexes, during: queries)
  }

  /// The links that lead to missing rows; `nil` for a library without links.
  package func danglingLinks() throws(MigrationError) -> DanglingLinks? {
    version == .current ? try names().linkTable.dangling : nil
  }

  /// Whether there is nothing to migrate.
  ///
  /// - Throws: `MigrationError`, with `damaged` if the library has the current version, but not all of its tables.
  package func isCurrent() throws(MigrationError) -> Bool {
    guard version == .current else { return false }
    try store.requireLayout(of: model)
    return true
  }

  /// The SQL names of its parts, which are looked up once.
  ///
  /// - Throws: `MigrationError` if the library has no artists.
  func names() throws(MigrationError) -> TrackLibraryNames {
    if let knownNames { return knownNames }
    let names = try TrackLibraryNames(self)
    knownNames = names
    return names
  }

  /// The error for a condition that cannot be applied, with the available keys if the library has its own model.
  func invalidCondition(_ detail: String) -> MigrationError {
    var error = MigrationError(.invalidCondition, path: store.file.path, detail: detail)
    if hasCustomModel {
      let keys =
        [("Artists", "Artist"), ("tracks", "Track")].map { name, entity in
          let keys = model.entity(named: entity).map {
            ($0.attributes.map(\.name) + $0.relationships.map(\.name)).sorted()
          }
          return "\(name) have \((keys ?? []).joined(separator: ", "))"
        }.joined(separator: "; ")
      error.advice = "\(keys)."
    }
    return error
  }
}

/// The SQL names of an entity and its attributes in a library's file.
struct EntityNames {
  /// The table, quoted.
  let table: String
  private let name: String
  private let schema: StoreSchema
  /// The numbers of the entity and all its subentities; `nil` if the table holds no others.
  private let numbers: String?

  /// Looks up an entity; `nil` if the library's model does not have it.
  init?(_ name: String, in schema: StoreSchema) {
    guard let table = schema.table(forEntityNamed: name) else { return nil }
    self.name = name
    self.schema = schema
    self.table = table.name.quotedIdentifier
    let lineages = schema.model.lineages
    let family = table.entityNames.filter { lineages[$0]?.contains(name) == true }
    // Rows that another program added without an entity number belong to the only entity hierarchy.
    numbers =
      family.count == table.entityNames.count
      ? nil : family.map { "\(schema.entityNumber($0))" }.joined(separator: ", ")
  }

  /// The condition that selects the entity's rows in their table; `nil` if the table holds no others.
  func condition(_ alias: String) -> String? { numbers.map { "\(alias).Z_ENT IN (\($0))" } }

  /// The rows of the entity, for use after FROM.
  var rows: String { table + (condition(table).map { " WHERE \($0)" } ?? "") }

  /// The value of an attribute read as text; NULL if the entity has no suitable attribute.
  func text(_ attribute: String, _ alias: String) -> String {
    value(attribute, alias) { type in
      switch type {
      case .string, .uri, .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .date: true
      case .undefined, .binaryData, .uuid, .transformable, .objectID, .composite: false
      }
    }
  }

  /// The value of an attribute read as a date; NULL if the entity has no suitable attribute.
  func date(_ attribute: String, _ alias: String) -> String {
    value(attribute, alias) { [.date, .double, .float, .integer16, .integer32, .integer64].contains($0) }
  }

  private func value(_ attribute: String, _ alias: String, _ isReadable: (AttributeType) -> Bool) -> String {
    guard let column = schema.column(forProperty: attribute, ofEntityNamed: name),
      case .attribute(let type) = column.content, isReadable(type)
    else { return "NULL" }
    return "\(alias).\(column.name.quotedIdentifier)"
  }
}

/// The SQL names of the parts of a migrated library.
struct TrackLibraryNames {
  let artists: EntityNames
  let tracks: EntityNames
  /// The links.
  let linkTable: LinkTable

  /// The links that lead to an artist and a track, for use after FROM.
  var links: String { linkTable.rows }
  /// The column with keys of artists, quoted.
  var linkedArtist: String { linkTable.artist }
  /// The column with keys of tracks, quoted.
  var linkedTrack: String { linkTable.track }

  /// Looks up the names.
  ///
  /// - Throws: `MigrationError` if the library has no artists.
  fileprivate init(_ library: TrackLibraryReader) throws(MigrationError) {
    let schema = library.schema
    guard let artists = EntityNames("Artist", in: schema), let tracks = EntityNames("Track", in: schema),
      let artistsOfTracks = schema.layouts.links(ofRelationship: "artists", ofEntityNamed: "Track")
    else {
      throw MigrationError(
        .migrationRequired, MigrationError.Subject(path: library.store.file.path, name: library.version.rawValue))
    }
    self.artists = artists
    self.tracks = tracks
    linkTable = try LinkTable(artistsOfTracks, artists: artists, tracks: tracks, in: library)
  }
}
