internal import DataModel
internal import Migration
internal import MigrationDiagnostics
internal import PersistentStore
internal import Policies
internal import SQLiteDatabase
internal import Samples
internal import TestSupport
internal import TrackLibrary

/// Whole stores: they can be asked and migrated, or say what is wrong, and are never changed.
enum StoreTarget {
  static func read(_ bytes: [UInt8]) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let path = try folder.write(bytes, to: "Store.sqlite")
    let before = try folder.snapshot()
    do throws(MigrationError) {
      try ask(path)
      try migrate(path, to: folder.file("New.sqlite"))
    } catch {
      try promise(!ErrorMessage(error).problem.isEmpty, "an error without words")
    }
    if Files.exists(folder.file("New.sqlite")) {
      try promise(try Database.isWhole(folder.file("New.sqlite")), "the new store is damaged")
    }
    for name in try folder.listing() where name.hasPrefix("New.sqlite") { Files.remove(folder.file(name)) }
    try promise(try folder.snapshot() == before, "the store was changed")
    try replace(path, in: folder, before)
  }

  /// Migrates the store in its place.
  private static func replace(_ path: String, in folder: TemporaryFolder, _ before: FolderSnapshot) throws {
    do throws(MigrationError) {
      try migrate(path, to: nil)
    } catch {
      return try promise(try folder.snapshot() == before, "a migration that failed (\(error)) has changed the store")
    }
    let isMigrated = try folder.listing().count > 1
    if isMigrated { try promise(try Database.isWhole(path), "the store is damaged") }
  }

  private static func ask(_ path: String) throws(MigrationError) {
    _ = try LibraryInfo(path: path)
    let store = try StoreReader(path: path)
    _ = try? store.cachedModel()
    guard let model = try? store.writtenModel(), let schema = try? StoreSchema(model, introspecting: store) else {
      return
    }
    _ = try store.foreignContent(besides: schema)
  }

  private static func migrate(_ path: String, to output: String?) throws(MigrationError) {
    let names = Set(try StoreReader(path: path).metadata.versionHashes.keys)
    if names.contains("Book") { return try migrate(path, to: output, "Books", BooksModel.all) }
    if names.contains("Note") { return try migrate(path, to: output, "Notes", NotesModel.all) }
    if names.contains("Artist") { return try query(path, isWanted: output != nil) }
    var migration = LibraryMigration(path: path)
    migration.outputPath = output
    _ = try migration.run()
  }

  /// What the commands ask of a library that is migrated.
  private static func query(_ path: String, isWanted: Bool) throws(MigrationError) {
    guard isWanted else { return }
    let library = try TrackLibraryReader(path: path)
    do {
      try ArtistQuery().forEach(in: library) { _ in }
      try TrackQuery().forEach(in: library) { _ in }
    } catch let error as MigrationError {
      throw error
    } catch {
      throw MigrationError(.damaged, path: path, detail: "\(error)")
    }
    _ = try LibraryStatistics(of: library)
  }

  private static func migrate(
    _ path: String, to output: String?, _ folder: String, _ models: [ManagedObjectModel]
  ) throws(MigrationError) {
    let versions = models.enumerated().map {
      LoadedModelVersion(name: $0 == 0 ? folder : "\(folder) \($0 + 1)", model: $1)
    }
    var migration = StoreMigration(path: path, versions: versions)
    migration.mappings = ExampleMappingFile.all.filter { $0.folder == folder }.map {
      LoadedMappingModel(
        name: $0.name, sourceVersionName: $0.versions.source, destinationVersionName: $0.versions.destination,
        mappingModel: $0.mappingModel)
    }
    migration.policies = .builtIn()
    migration.outputPath = output
    _ = try migration.run()
  }
}
