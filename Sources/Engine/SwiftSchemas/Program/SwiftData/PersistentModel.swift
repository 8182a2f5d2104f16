// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The names are Apple's, and so is their documentation.

/// A class whose objects a store keeps.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable {
  static var schemaMetadata: [Schema.PropertyMetadata] { get }
  static var schemaKeyPaths: [Schema.KeyPathList] { get }
  /// The values of the object; only a program that runs stages has them apart from it.
  var modelStorage: ModelStorage { get }

  /// Creates the object that stands for an instance of a store.
  init(modelStorage: ModelStorage)
}

extension PersistentModel {
  public var modelStorage: ModelStorage { unavailable("ModelStorage") }

  public init(modelStorage: ModelStorage) { unavailable("ModelStorage") }

  public var id: PersistentIdentifier { persistentModelID }
  public var persistentModelID: PersistentIdentifier { modelStorage.identifier }
  public var modelContext: ModelContext? { modelStorage.context }
  public var hasChanges: Bool { !modelStorage.changedNames.isEmpty }
  public var isDeleted: Bool { modelStorage.isDeleted }

  public static func == (left: Self, right: Self) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The identity of an object in its store.
public struct PersistentIdentifier: Hashable, Identifiable, Equatable, Comparable, Codable, Sendable {
  public var id: Self { self }
  public let entityName: String
  public let storeIdentifier: String?
  /// The primary key; a negative number until the object is saved.
  let key: Int64

  public static func < (left: Self, right: Self) -> Bool {
    (left.entityName, left.key) < (right.entityName, right.key)
  }
}

/// A version of an app's schema.
public protocol VersionedSchema {
  static var models: [any PersistentModel.Type] { get }
  static var versionIdentifier: Schema.Version { get }
}

/// The versions of an app's schema, and the stages between them.
public protocol SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { get }
  static var stages: [MigrationStage] { get }
}

/// A way from one version to the next.
public enum MigrationStage {
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)
}
