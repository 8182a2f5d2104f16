import DataModel
import Migration
import PersistentStore
import Policies
import Samples
import TestSupport

/// An example library that is migrated in a private folder, one version at a time.
final class ExampleMigration {
  private let folder: TemporaryFolder
  /// The paths of the library in each version so far.
  private(set) var paths: [String]
  private var model: ManagedObjectModel
  var policies = PolicyRegistry.builtIn()

  /// Makes a generated library.
  init(_ kind: ExampleLibrary.Kind, count: Int, seed: UInt64 = 42, hasOddities: Bool = true) throws {
    folder = try TemporaryFolder()
    paths = [folder.file("0.sqlite")]
    model = kind == .books ? BooksModel.v1 : kind == .notes ? NotesModel.v1 : NotesModel.v2
    var library = ExampleLibrary(kind, count: count, seed: seed)
    library.includesOddities = hasOddities
    try library.write(to: paths[0])
  }

  /// Copies an existing library.
  init(copying path: String, model: ManagedObjectModel) throws {
    folder = try TemporaryFolder()
    paths = [folder.file("0.sqlite")]
    self.model = model
    // The original may be read-only.
    try Files.write(try Files.bytes(path), to: paths[0])
  }

  /// Makes an empty library.
  init(empty model: ManagedObjectModel) throws {
    folder = try TemporaryFolder()
    paths = [folder.file("0.sqlite")]
    self.model = model
    let writer = try StoreWriter(path: paths[0], schema: StoreSchema(model), layout: .coreData)
    try writer.finish(metadata: .new(for: model, uuid: "ID"))
  }

  /// The path of the latest version.
  var path: String { paths[paths.count - 1] }

  @discardableResult
  func migrate(to destination: ManagedObjectModel, by mappingModels: MappingModel...) throws -> MigrationStatistics {
    let next = folder.file("\(paths.count).sqlite")
    let reader = try StoreReader(path: path)
    let writer = try StoreWriter(path: next, schema: StoreSchema(destination), layout: reader.layout)
    let manager = try MigrationManager(
      source: reader, sourceModel: model, mappingModels: mappingModels, destination: writer,
      options: MigrationManager.Options(policies: policies))
    let statistics = try manager.migrate()
    try reader.close()
    paths.append(next)
    model = destination
    return statistics
  }

  /// Returns rows of the latest version.
  func rows(_ sql: String) throws -> [String] { try Database.rows(sql, in: path) }

  /// Runs a statement on the latest version.
  func run(_ sql: String) throws { try Database.run(sql, in: path) }
}
