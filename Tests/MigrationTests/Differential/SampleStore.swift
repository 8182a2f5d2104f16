import DataModel
import Migration
import PersistentStore
import TestSupport

/// Writes stores that are filled with SQL, without waiting for the disk.
enum SampleStore {
  static func write(_ model: ManagedObjectModel, _ rows: [String], layout: FileLayout = .coreData, to path: String)
    throws
  {
    let schema = StoreSchema(model)
    Files.remove(path)
    let writer = try StoreWriter(path: path, schema: schema, layout: layout)
    try writer.finish(metadata: .new(for: model, uuid: "ID"))
    try Database.run("BEGIN;\n\(rows.joined(separator: ";\n"));\nCOMMIT", in: path)
  }

  @discardableResult static func migrate(
    _ store: String, _ source: ManagedObjectModel, to path: String, _ destination: ManagedObjectModel,
    _ mappingModel: MappingModel, options: MigrationManager.Options? = nil
  ) throws -> MigrationStatistics {
    let reader = try StoreReader(path: store)
    let writer = try StoreWriter(path: path, schema: StoreSchema(destination), layout: reader.layout)
    var standard = MigrationManager.Options()
    standard.validation = .none
    let manager = try MigrationManager(
      source: reader, sourceModel: source, mappingModels: [mappingModel], destination: writer,
      options: options ?? standard)
    return try manager.migrate()
  }
}
