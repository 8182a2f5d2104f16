import DataModel
import MappingModels
import Migration
import MigrationDiagnostics
import PersistentStore
import Policies
import SQLiteDatabase
import Samples
import TestSupport
import Verification

/// A store of an app, and what its migration has made of it.
final class AppPair {
  let folder: TemporaryFolder
  var old: String { folder.file("Old.sqlite") }
  var new: String { folder.file("New.sqlite") }
  private let hops: [MappedHop]
  private let migration: StoreMigration

  /// Migrates a sample of an example to a version.
  init(_ kind: ExampleLibrary.Kind, to versionName: String) throws {
    folder = try TemporaryFolder()
    var library = ExampleLibrary(kind, count: 40)
    library.includesOddities = true
    try library.write(to: folder.file("Old.sqlite"))
    let name = kind == .books ? "Books" : "Notes"
    let path = Checkout.root.appending(path: "SampleData/\(name)/\(name).xcdatamodeld").path(percentEncoded: false)
    var migration = StoreMigration(
      path: folder.file("Old.sqlite"), versions: try LoadedModelVersion.all(in: ModelBundle(path: path)))
    var search = MappingSearch(versions: migration.versions)
    try search.addMappings(besideModelAt: path)
    migration.mappings = search.mappings
    migration.destinationVersionName = versionName
    migration.policies = .builtIn()
    self.migration = migration
    hops = try Self.migrate(migration, to: folder.file("New.sqlite"))
  }

  /// Migrates a store that SQL fills, through versions whose mapping models are inferred.
  ///
  /// - Parameters:
  ///   - policies: The policies that the mapping model may name.
  ///   - change: Changes the mapping model between the first two versions.
  init(
    _ versions: [[EntityDescription]], leastSizeOfCopies: Int64 = 1 << 20, _ rows: String,
    policies: PolicyRegistry = PolicyRegistry(), mapping change: ((inout MappingModel) throws -> Void)? = nil
  ) throws {
    folder = try TemporaryFolder()
    let loaded = versions.enumerated().map {
      LoadedModelVersion(name: "V\($0 + 1)", model: TrackModels.model($1))
    }
    let path = folder.file("Old.sqlite")
    try StoreWriter(path: path, schema: StoreSchema(loaded[0].model), layout: .coreData).finish(
      metadata: .new(for: loaded[0].model, uuid: "ID"))
    try Database.run(rows, in: path)
    _ = try folder.makeFolder(".Old_SUPPORT")
    _ = try folder.makeFolder(".Old_SUPPORT/_EXTERNAL_DATA")
    try folder.write(Array("a file".utf8), to: ".Old_SUPPORT/_EXTERNAL_DATA/\(Self.fileName)")
    var migration = StoreMigration(path: path, versions: loaded)
    migration.allowsLoss = true
    migration.leastSizeOfCopies = leastSizeOfCopies
    migration.policies = policies
    if let change {
      var mappingModel = try MappingModel.inferred(from: loaded[0].model, to: loaded[1].model)
      try change(&mappingModel)
      migration.mappings = [
        LoadedMappingModel(
          name: "V1 to V2", sourceVersionName: "V1", destinationVersionName: "V2", mappingModel: mappingModel)
      ]
    }
    self.migration = migration
    hops = try Self.migrate(migration, to: folder.file("New.sqlite"))
  }

  static let fileName = "00000001-ABCD-4EF0-8123-456789ABCDEF"

  private static func migrate(_ migration: StoreMigration, to path: String) throws -> [MappedHop] {
    var migration = migration
    migration.outputPath = path
    guard case .migrated(let result) = try migration.run() else {
      throw MigrationError(.migrationFailed, detail: "nothing was migrated")
    }
    return result.plan.steps.map {
      MappedHop(source: $0.source.model, destination: $0.destination.model, mappingModels: $0.mappingModels)
    }
  }

  /// Migrates the old store in place, and verifies what has become of it.
  ///
  /// - Parameter change: Changes what was built.
  func migrateInPlace(_ change: @escaping (_ path: String) throws -> Void) throws {
    var migration = migration
    migration.isVerified = true
    migration.hooks = ChangedResult(change: change)
    _ = try migration.run()
  }

  /// Changes a result before it is verified.
  private struct ChangedResult: MigrationHooks {
    let change: (_ path: String) throws -> Void

    func verify(
      _ built: BuiltStore, of migration: StoreMigration
    ) throws(MigrationError) -> StoreVerification.Findings? {
      do {
        try change(built.path)
      } catch {
        throw MigrationError(.migrationFailed, detail: "\(error)")
      }
      return try migration.verify(built)
    }
  }

  /// What differs, such as `value Note 5 title`, and what was seen.
  func compare() throws -> (differences: [String], findings: StoreVerification.Findings?) {
    let (source, result) = (try StoreReader(path: old), try StoreReader(path: new))
    var differences: [String] = []
    let findings = try StoreVerification(source: source, result: result, hops: hops)
      .run(DifferenceLog(limit: 100) { differences.append($0.place) })
    try source.close()
    try result.close()
    return (differences, findings)
  }

  /// What differs after a change that is taken back.
  func differences(after sql: String) throws -> [String] {
    let bytes = try Files.bytes(new)
    try Database.run(sql, in: new)
    defer { try? Files.write(bytes, to: new) }
    return try compare().differences
  }
}
