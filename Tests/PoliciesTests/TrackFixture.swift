import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import Policies
import TestSupport

/// A version 1 library that the track policy migrates in a private folder.
struct TrackFixture {
  private let folder: TemporaryFolder?
  let source: String
  let destination: String
  let rejectsPath: String
  var options = TrackMigrationOptions()

  init(_ builder: TrackLibraryBuilder) throws {
    let folder = try TemporaryFolder()
    self.init(folder, path: folder.path)
    try builder.write(to: source)
  }

  /// Uses an existing library.
  init(inFolder path: String) {
    self.init(nil, path: path)
  }

  private init(_ folder: TemporaryFolder?, path: String) {
    self.folder = folder
    source = "\(path)/Old.sqlite"
    destination = "\(path)/New.sqlite"
    rejectsPath = "\(path)/rejects"
  }

  init(_ rows: [TrackRow], encoding: String = "UTF-8") throws {
    var builder = TrackLibraryBuilder(rows)
    builder.encoding = encoding
    try self.init(builder)
  }

  /// Makes tracks 1, 2, 3 and so on with these documents.
  init(json documents: [CellValue], artistName: CellValue = "Fallback") throws {
    try self.init(
      zip(Int64(1)..., documents).map { TrackRow($0, title: .text("T\($0)"), artistName: artistName, json: $1) })
  }

  /// Returns the mapping model of the track library.
  static func mappingModel() throws -> MappingModel {
    guard let old = TrackModels.v1.entity(named: "Track"), let track = TrackModels.v2.entity(named: "Track"),
      let artist = TrackModels.v2.entity(named: "Artist")
    else { throw MigrationError(.invalidMappingModel) }
    return MappingModel(entityMappings: [
      .suggested(from: old, to: track, policy: TrackToTrackMigrationPolicy.className),
      EntityMapping(mappingType: .add, source: nil, destination: artist),
    ])
  }

  @discardableResult
  func migrate(mappingModel: MappingModel? = nil, alsoRegister: (inout PolicyRegistry) -> Void = { _ in }) throws
    -> MigrationStatistics
  {
    let reader = try StoreReader(path: source)
    let writer = try StoreWriter(path: destination, schema: StoreSchema(TrackModels.v2), layout: reader.layout)
    var policies = PolicyRegistry()
    let options = options
    policies.register(TrackToTrackMigrationPolicy.className) { TrackToTrackMigrationPolicy(options: options) }
    alsoRegister(&policies)
    let rejects = RejectsFile(path: rejectsPath)
    let manager = try MigrationManager(
      source: reader, sourceModel: TrackModels.v1, mappingModels: [try mappingModel ?? Self.mappingModel()],
      destination: writer, rejects: rejects, options: MigrationManager.Options(policies: policies))
    let statistics = try manager.migrate()
    try rejects.finish()
    try reader.close()
    return statistics
  }

  func rows(_ sql: String) throws -> [String] { try Database.rows(sql, in: destination) }

  /// Returns all artists as `name|id|imageURL` in the order of their creation.
  func artists() throws -> [String] { try rows("SELECT ZNAME, ZID, ZIMAGEURL FROM ZARTIST ORDER BY Z_PK") }

  /// Returns all links as `track: artist, artist`.
  func links() throws -> [String] {
    try rows(
      """
      SELECT Z_2TRACKS || ': ' || group_concat(ZNAME, ', ') FROM
      (SELECT Z_2TRACKS, ZNAME FROM Z_1TRACKS JOIN ZARTIST ON Z_PK = Z_1ARTISTS ORDER BY Z_2TRACKS, Z_PK)
      GROUP BY Z_2TRACKS ORDER BY Z_2TRACKS
      """)
  }
}
