import DataModel
import Foundation
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// An app's store in a private folder, with the versions of its model.
struct AppStore {
  let folder: TemporaryFolder
  let path: String
  let versions: [LoadedModelVersion]
  var mappings: [LoadedMappingModel] = []

  /// Writes the store in the first version, and changes it with plain SQL.
  init(
    _ versions: [[EntityDescription]], layout: FileLayout = .coreData, name: String = "App.sqlite",
    joinTables: [String] = [], _ rows: String = ""
  ) throws {
    folder = try TemporaryFolder()
    path = folder.file(name)
    self.versions = versions.enumerated().map {
      LoadedModelVersion(name: "V\($0 + 1)", model: TrackModels.model($1))
    }
    let model = self.versions[0].model
    let schema = StoreSchema(model, joinTables: JoinTableNaming(chosen: joinTables))
    try StoreWriter(path: path, schema: schema, layout: layout).finish(
      metadata: .new(for: model, uuid: "ID"))
    if !rows.isEmpty { try Database.run(rows, in: path) }
  }

  /// The migration to the last version.
  var migration: StoreMigration {
    var migration = StoreMigration(path: path, versions: versions)
    migration.mappings = mappings
    return migration
  }

  /// The migration to the last version that passes each version: otherwise, one inferred hop is as good.
  var stepwiseMigration: StoreMigration {
    var migration = migration
    migration.stages = [.lightweight(versionChecksums: versions.map(\.checksum))]
    return migration
  }

  /// Adds a mapping model from a version to the next that copies entities by a policy or the default one.
  mutating func map(
    _ source: Int, _ name: String, _ entities: [String], policy: String? = nil
  ) {
    let models = (versions[source - 1].model, versions[source].model)
    mappings.append(
      LoadedMappingModel(
        name: name, sourceVersionName: "V\(source)", destinationVersionName: "V\(source + 1)",
        mappingModel: MappingModel(
          entityMappings: entities.map { entity in
            .suggested(
              from: MigrationFixture.entity(entity, in: models.0), to: MigrationFixture.entity(entity, in: models.1),
              policy: policy)
          })))
  }

  func result(_ migration: StoreMigration? = nil) throws -> StoreMigration.Result {
    guard case .migrated(let result) = try (migration ?? self.migration).run() else {
      throw MigrationError(.migrationFailed, detail: "nothing was migrated")
    }
    return result
  }

  func rows(_ sql: String, in path: String? = nil) throws -> [String] { try Database.rows(sql, in: path ?? self.path) }

  /// Requires that a migration fails, and leaves nothing but what was there.
  @discardableResult
  func refusal(_ migration: StoreMigration? = nil) throws -> MigrationError {
    let before = try snapshot()
    let error = try #require(throws: MigrationError.self) { try (migration ?? self.migration).run() }
    #expect(try snapshot() == before)
    return error
  }

  /// Every file and folder below the folder, with its bytes.
  func snapshot() throws -> [String: [UInt8]] {
    let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    return Dictionary(
      uniqueKeysWithValues: names.map { name in
        (name, name.hasSuffix("-shm") ? [] : (try? Files.bytes(folder.file(name))) ?? [])
      })
  }

  /// All names below the folder, sorted.
  func names() throws -> [String] { try snapshot().keys.sorted() }
}

/// Three versions of a note: with `text`; with `text` renamed to `title`; and with `count` added.
enum NoteVersions {
  static func all(count: AttributeDescription = AttributeDescription("count", .integer32)) -> [[EntityDescription]] {
    let title = AttributeDescription("title", .string, renamingIdentifier: "text")
    return [
      [EntityDescription("Note", attributes: [AttributeDescription("text", .string)])],
      [EntityDescription("Note", attributes: [title])],
      [EntityDescription("Note", attributes: [AttributeDescription("title", .string), count])],
    ]
  }

  static let rows = """
    INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT) VALUES (1, 1, 1, 'one'), (2, 1, 1, 'zwölf "12" 😀'), (9, 1, 3, NULL);
    UPDATE Z_PRIMARYKEY SET Z_MAX = 12
    """
}
