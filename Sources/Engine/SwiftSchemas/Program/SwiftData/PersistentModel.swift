// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The names are Apple's, and so is their documentation.

/// A class whose objects a store keeps.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable {
  static var schemaMetadata: [Schema.PropertyMetadata] { get }
  static var schemaKeyPaths: [Schema.KeyPathList] { get }
}

extension PersistentModel {
  public var id: PersistentIdentifier { persistentModelID }
  public var persistentModelID: PersistentIdentifier { unavailable() }
  public var modelContext: ModelContext? { nil }
  public var hasChanges: Bool { false }
  public var isDeleted: Bool { false }

  public static func == (left: Self, right: Self) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The identity of an object in its store.
public struct PersistentIdentifier: Hashable, Identifiable, Equatable, Comparable, Codable, Sendable {
  public var id: Self { self }
  public let entityName: String
  public let storeIdentifier: String?

  public static func < (left: Self, right: Self) -> Bool { left.entityName < right.entityName }
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
