// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The names are Apple's, and so is their documentation.

/// A list of model classes, which a store keeps objects of.
public final class Schema: @unchecked Sendable {
  /// The number of a version.
  public struct Version: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let major: Int
    public let minor: Int
    public let patch: Int

    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    public var description: String { "\(major).\(minor).\(patch)" }

    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
  }

  /// The classes, in the order in which the app lists them.
  let types: [any PersistentModel.Type]
  public let version: Version

  public var encodingVersion: Version { version }

  public init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    (self.types, self.version) = (types, version)
  }

  public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
    self.init(types, version: version)
  }

  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }

  /// An entity of the schema.
  public struct Entity: Hashable, Sendable {
    public let name: String
  }

  public var entities: [Entity] { types.map { Entity(name: Self.entityName(for: $0)) } }

  public var entitiesByName: [String: Entity] {
    Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The name of a class without the types that it is declared in.
  public static func entityName(for type: any PersistentModel.Type) -> String { String(describing: type) }

  public func entity<Model: PersistentModel>(for type: Model.Type) -> Entity? {
    entitiesByName[Self.entityName(for: type)]
  }
}

extension Schema: Hashable {
  public static func == (left: Schema, right: Schema) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A property that says more about itself than its type does.
public protocol SchemaProperty: Sendable {}

extension Schema {
  /// The arguments of `@Attribute`.
  public struct Attribute: SchemaProperty {
    public struct Option: Hashable, Sendable {
      let name: String
      var transformer: String?

      public static let unique = Option(name: "unique")
      public static let externalStorage = Option(name: "externalStorage")
      public static let ephemeral = Option(name: "ephemeral")
      public static let allowsCloudEncryption = Option(name: "allowsCloudEncryption")
      public static let spotlight = Option(name: "spotlight")
      public static let preserveValueOnDeletion = Option(name: "preserveValueOnDeletion")
      public static let codable = Option(name: "codable")

      public static func transformable(by transformer: Any.Type) -> Option {
        Option(name: "transformable", transformer: String(describing: transformer))
      }

      public static func transformable(by name: String) -> Option {
        Option(name: "transformable", transformer: name)
      }
    }

    let options: [Option]
    let originalName: String?
    let hashModifier: String?

    public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      (self.options, self.originalName, self.hashModifier) = (options, originalName, hashModifier)
    }

    func has(_ option: Option) -> Bool { options.contains(option) }

    /// The transformer's name, if the attribute names one.
    var transformer: String? { options.lazy.compactMap(\.transformer).first }
  }

  /// The arguments of `@Relationship`.
  public struct Relationship: SchemaProperty {
    public enum DeleteRule: String, Hashable, Sendable {
      case noAction, nullify, cascade, deny
    }

    public struct Option: Hashable, Sendable {
      let name: String

      public static let unique = Option(name: "unique")
    }

    let options: [Option]
    let deleteRule: DeleteRule
    let minimumModelCount: Int
    let maximumModelCount: Int
    let originalName: String?
    let hashModifier: String?

    public init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      self.options = options
      self.deleteRule = deleteRule
      self.minimumModelCount = minimumModelCount ?? 0
      self.maximumModelCount = maximumModelCount ?? 0
      self.originalName = originalName
      self.hashModifier = hashModifier
    }
  }

  /// A stored property of a model class, with the type that the compiler gives it.
  public struct PropertyMetadata {
    let name: String
    let type: Any.Type
    var defaultValue: Any?
    var metadata: (any SchemaProperty)?
    var inverseName: String?
  }

  /// Collects the properties of a class.
  ///
  /// A class has many, so the statements are those that cost the compiler least.
  public final class PropertyList {
    public private(set) var properties: [PropertyMetadata] = []

    public init() {}

    public func add(_ name: String, _ type: Any.Type) { properties.append(PropertyMetadata(name: name, type: type)) }

    public func add(
      _ name: String, _ type: Any.Type, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil,
      inverseName: String? = nil
    ) {
      properties.append(
        PropertyMetadata(
          name: name, type: type, defaultValue: defaultValue, metadata: metadata, inverseName: inverseName))
    }

    public func add<Model: PersistentModel, Value>(
      _ name: String, keypath: KeyPath<Model, Value>, defaultValue: Value? = nil,
      metadata: (any SchemaProperty)? = nil, inverseName: String? = nil
    ) {
      add(name, Value.self, defaultValue: defaultValue, metadata: metadata, inverseName: inverseName)
    }
  }

  /// A list of key paths in `#Unique` or `#Index`.
  public struct KeyPathList: Sendable {
    public enum Kind: Sendable { case unique, binary, rtree }

    let kind: Kind
    let paths: [[String]]

    public init(_ kind: Kind, _ paths: [[String]]) { (self.kind, self.paths) = (kind, paths) }
  }

  /// The kinds of indexes.
  public struct Index<Model: PersistentModel> {
    public enum Types<T: PersistentModel> {
      case binary([PartialKeyPath<T>])
      case rtree([PartialKeyPath<T>])
    }
  }

  /// A struct or an enumeration as an attribute; declared for apps that name it.
  public struct CompositeAttribute: SchemaProperty {}
}
