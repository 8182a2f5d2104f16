internal import DataModel
internal import Migration
internal import MigrationDiagnostics

/// The option of a store with the manager of its staged migration.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"
/// The option by which a part of a lightweight migration is done later; here, all of it is done at once.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"

/// A version of a model that a stage refers to, by its checksum.
open class NSManagedObjectModelReference: NSObject {
  /// The checksum, as `models hash` and Xcode's build log show it.
  public let versionChecksum: String
  /// The model.
  ///
  /// One without entities if the reference leads to none; then the migration fails and names the checksum.
  public let resolvedModel: NSManagedObjectModel

  /// Refers to a model.
  public init(model: NSManagedObjectModel, versionChecksum: String) {
    (resolvedModel, self.versionChecksum) = (model, versionChecksum)
  }

  /// Refers to a file, such as a `.mom`.
  public convenience init(fileURL: URL, versionChecksum: String) {
    self.init(
      model: NSManagedObjectModel(contentsOf: fileURL) ?? NSManagedObjectModel(), versionChecksum: versionChecksum)
  }

  /// Refers to the version of a bundle's models that has these version hashes.
  public convenience init(entityVersionHashes: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String) {
    let model = NSManagedObjectModel.mergedModel(
      from: bundle.map { [$0] }, forStoreMetadata: [NSStoreModelVersionHashesKey: entityVersionHashes])
    self.init(model: model ?? NSManagedObjectModel(), versionChecksum: versionChecksum)
  }

  /// Refers to a version of a bundle's models by its name.
  public convenience init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
    let model = NSManagedObjectModel.versions(in: bundle ?? .main).first { $0.versionName == modelName }
    self.init(model: model ?? NSManagedObjectModel(), versionChecksum: versionChecksum)
  }
}

/// A part of a staged migration.
open class NSMigrationStage: NSObject {
  /// A name, for messages.
  open var label: String?

  /// The stage in the engine's form.
  func engineStage(in manager: NSStagedMigrationManager) -> MigrationStage? { nil }
}

/// Versions that are migrated to one after the other, by inference.
open class NSLightweightMigrationStage: NSMigrationStage {
  /// The checksums of the versions, in order.
  public let versionChecksums: [String]

  /// Creates a stage.
  public init(_ versionChecksums: [String]) {
    self.versionChecksums = versionChecksums
  }

  override func engineStage(in manager: NSStagedMigrationManager) -> MigrationStage? {
    .lightweight(versionChecksums: versionChecksums, label: label)
  }
}

/// One hop by inference, with code before or after it.
open class NSCustomMigrationStage: NSMigrationStage {
  /// Code that works on instances, which it finds in the manager's container.
  public typealias Handler = (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void

  /// The version before.
  public let currentModel: NSManagedObjectModelReference
  /// The version after.
  public let nextModel: NSManagedObjectModelReference
  /// Called with the instances of the version before.
  open var willMigrateHandler: Handler?
  /// Called with the instances of the version after.
  open var didMigrateHandler: Handler?

  /// Creates a stage.
  public init(migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference) {
    (self.currentModel, self.nextModel) = (currentModel, nextModel)
  }

  override func engineStage(in manager: NSStagedMigrationManager) -> MigrationStage? {
    .custom(
      from: currentModel.versionChecksum, to: nextModel.versionChecksum, label: label,
      willMigrate: engineHandler(willMigrateHandler, currentModel, manager),
      didMigrate: engineHandler(didMigrateHandler, nextModel, manager))
  }

  private func engineHandler(
    _ handler: Handler?, _ reference: NSManagedObjectModelReference, _ manager: NSStagedMigrationManager
  ) -> MigrationStage.Handler? {
    guard let handler else { return nil }
    return { [self] engine in
      try manager.withContainer(of: engine, reference.resolvedModel) { try handler(manager, self) }
    }
  }
}

/// Migrates a store in stages, when it is added with `NSPersistentStoreStagedMigrationManagerOptionKey`.
///
/// The result of all stages replaces the store at once; what handlers change is written with their hop, whether they save
/// or not.
open class NSStagedMigrationManager: NSObject {
  /// The stages, in order.
  public let stages: [NSMigrationStage]
  /// The container in which handlers find the instances; nil at any other time.
  public private(set) var container: NSPersistentContainer?

  /// Creates a manager.
  public init(_ stages: [NSMigrationStage]) {
    self.stages = stages
  }

  var engineStages: [MigrationStage] { stages.compactMap { $0.engineStage(in: self) } }

  /// The versions that stages refer to themselves.
  var versions: [LoadedModelVersion] {
    let references = stages.compactMap { $0 as? NSCustomMigrationStage }.flatMap { [$0.currentModel, $0.nextModel] }
    return references.compactMap { reference in
      reference.resolvedModel.model.map {
        LoadedModelVersion(name: reference.resolvedModel.versionName ?? reference.versionChecksum, model: $0)
      }
    }
  }

  /// Runs a handler while the container shows the engine's instances.
  func withContainer(
    of engine: ManagedObjectContext, _ model: NSManagedObjectModel, _ work: () throws -> Void
  ) throws {
    let container = NSPersistentContainer(name: "staged migration", managedObjectModel: model)
    container.persistentStoreCoordinator.adopt(NSPersistentStore(migrating: engine))
    self.container = container
    defer { self.container = nil }
    do {
      try work()
      // What was changed and not saved is written as well, and keeps the same rules.
      try container.viewContext.save()
    } catch {
      throw PolicyFailure.wrapping(error)
    }
  }
}
