// swift-format-ignore-file
// The sources in the folder 'Program', as 'make record' writes them down: an installed command has no checkout.

/// The sources of the module `SwiftData` and of its macros, which the toolchain of the machine compiles.
enum EmbeddedSources {
  /// The module `SwiftData`.
  static let swiftData: [(name: String, text: String)] = [
("Declared.swift", ###"""
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The names are Apple's, and so is their documentation.

// Apps' files name these types. Only the schema is read here, so there is no store behind them.

/// Ends the program with a sentence: a schema is read without objects.
func unavailable(_ function: String = #function) -> Never {
  let text = "error: '\(function)' was called while the schema was read, which has no store. "
  FileHandle.standardError.write(Data((text + "Make models, versions and plans without it.\n").utf8))
  exit(70)
}

public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The superclass of apps' transformers, which Foundation does not have here.
open class ValueTransformer: NSObject {
  open class func transformedValueClass() -> AnyClass { NSObject.self }
  open class func allowsReverseTransformation() -> Bool { true }
  open func transformedValue(_ value: Any?) -> Any? { unavailable() }
  open func reverseTransformedValue(_ value: Any?) -> Any? { unavailable() }
  public class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {}
}

open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
  open class var allowedTopLevelClasses: [AnyClass] { [] }
}

public struct SwiftDataError: Error, Hashable, Sendable {
  public static let loadIssueModelContainer = SwiftDataError()
}

public struct ModelConfiguration: Identifiable, Hashable, Sendable {
  public struct GroupContainer: Hashable, Sendable {
    public static let automatic = GroupContainer()
    public static let none = GroupContainer()
    public static func identifier(_ groupName: String) -> GroupContainer { GroupContainer() }
  }

  public struct CloudKitDatabase: Hashable, Sendable {
    public static let automatic = CloudKitDatabase()
    public static let none = CloudKitDatabase()
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase { CloudKitDatabase() }
  }

  public let name: String
  public let schema: Schema?
  public let url: URL
  public let isStoredInMemoryOnly: Bool
  public let allowsSave: Bool

  public var id: String { name }

  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(
      name, schema: schema, url: URL(fileURLWithPath: "/dev/null"), allowsSave: allowsSave,
      isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(name, schema: schema, url: url, allowsSave: allowsSave, isStoredInMemoryOnly: false)
  }

  public init(isStoredInMemoryOnly: Bool) { self.init(nil, isStoredInMemoryOnly: isStoredInMemoryOnly) }

  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  private init(_ name: String?, schema: Schema?, url: URL, allowsSave: Bool, isStoredInMemoryOnly: Bool) {
    self.name = name ?? "default"
    self.schema = schema
    self.url = url
    self.allowsSave = allowsSave
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
  }
}

public final class ModelContainer: @unchecked Sendable {
  public let schema: Schema
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  public var configurations: Set<ModelConfiguration> { unavailable() }
  @MainActor public var mainContext: ModelContext { unavailable() }

  public init(
    for givenTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws { unavailable("ModelContainer") }

  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws { unavailable("ModelContainer") }

  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
  ) throws { unavailable("ModelContainer") }

  public func deleteAllData() { unavailable() }
  public func erase() throws { unavailable() }
}

public final class ModelContext {
  public static let willSave = Notification.Name("SwiftData.ModelContext.willSave")
  public static let didSave = Notification.Name("SwiftData.ModelContext.didSave")

  public var autosaveEnabled = false
  public var author: String?
  public var hasChanges: Bool { unavailable() }
  public var container: ModelContainer { unavailable() }
  public var insertedModelsArray: [any PersistentModel] { unavailable() }
  public var changedModelsArray: [any PersistentModel] { unavailable() }
  public var deletedModelsArray: [any PersistentModel] { unavailable() }

  public init(_ container: ModelContainer) { unavailable("ModelContext") }

  public func insert<T: PersistentModel>(_ model: T) { unavailable() }
  public func delete<T: PersistentModel>(_ model: T) { unavailable() }
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws { unavailable() }
  public func save() throws { unavailable() }
  public func rollback() { unavailable() }
  public func processPendingChanges() { unavailable() }
  public func transaction(block: () throws -> Void) throws { unavailable() }
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] { unavailable() }
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, batchSize: Int) throws -> [T] {
    unavailable()
  }
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int { unavailable() }
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] { unavailable() }
  public func enumerate<T: PersistentModel>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (T) throws -> Void
  ) throws { unavailable() }
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel { unavailable() }
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    unavailable()
  }
}

public struct FetchDescriptor<T: PersistentModel> {
  public var predicate: Predicate<T>?
  public var sortBy: [SortDescriptor<T>]
  public var fetchLimit: Int?
  public var fetchOffset: Int?
  public var includePendingChanges = true
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    (self.predicate, self.sortBy) = (predicate, sortBy)
  }
}

public protocol ModelExecutor: Executor {
  var modelContext: ModelContext { get }
}

public final class DefaultSerialModelExecutor: ModelExecutor, SerialExecutor, @unchecked Sendable {
  public let modelContext: ModelContext

  public init(modelContext: ModelContext) { self.modelContext = modelContext }

  public func enqueue(_ job: consuming ExecutorJob) { unavailable() }
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

public protocol ModelActor: Actor {
  nonisolated var modelContainer: ModelContainer { get }
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  public var modelContext: ModelContext { modelExecutor.modelContext }

  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? { unavailable() }
}
"""###),
("EntityBuilder.swift", ###"""
/// An entity as a model's XML has it.
struct Entity {
  struct Attribute {
    let name: String
    var type: String
    var isOptional: Bool
    var settings: [(String, String)] = []
    var doubts: [String] = []
  }

  struct Relationship {
    let name: String
    let destination: String
    /// The class that the property's type is; the entity of that name may be another version's.
    let className: String
    let isToMany: Bool
    let isOptional: Bool
    let arguments: Schema.Relationship?
    let inverseArgument: String?
    var inverse: String?
    var doubts: [String] = []
  }

  let name: String
  let className: String
  var parent: String?
  /// A reason for which its version hash may differ from Apple's.
  var doubt: String?
  var attributes: [Attribute] = []
  var relationships: [Relationship] = []
  var uniqueness: [[String]] = []
  var indexes: [(name: String, kind: String, properties: [String])] = []
}

/// The model that SwiftData makes of a list of classes.
struct ModelBuilder {
  private(set) var entities: [Entity] = []
  private(set) var composites: [(name: String, elements: [TypeShape.Element])] = []

  /// - Parameter types: The classes that the app lists; those that they lead to are added, as SwiftData does.
  init(_ types: [any PersistentModel.Type]) {
    var waiting = types
    var seen: Set<ObjectIdentifier> = []
    var next = 0
    while next < waiting.count {
      let type = waiting[next]
      next += 1
      guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
      let name = Schema.entityName(for: type)
      guard !entities.contains(where: { $0.name == name }) else { continue }
      var entity = Entity(name: name, className: Self.qualifiedName(type))
      let superclass = _getSuperclass(type) as? any PersistentModel.Type
      if let superclass {
        entity.parent = Schema.entityName(for: superclass)
        entity.doubt = "'\(name)' is a subclass of a model"
        waiting.append(superclass)
      }
      for property in type.schemaMetadata { add(property, to: &entity, &waiting) }
      for list in type.schemaKeyPaths { add(list, to: &entity) }
      // `.unique` and `#Unique` may say the same.
      var known: Set<[String]> = []
      entity.uniqueness = entity.uniqueness.filter { known.insert($0).inserted }
      entities.append(entity)
    }
    resolveInverses()
    for place in places {
      let (relationship, entity) = (self[place], entities.first { $0.name == self[place].destination })
      guard let entity, entity.className != relationship.className else { continue }
      doubt(place, "it refers to '\(relationship.className)', and '\(entity.className)' is taken")
    }
    entities.sort { $0.name < $1.name }
  }

  static func qualifiedName(_ type: Any.Type) -> String {
    // The module's name is ours: the app's files are compiled as one module.
    String(String(reflecting: type).drop { $0 != "." }.dropFirst())
  }

  private mutating func add(
    _ property: Schema.PropertyMetadata, to entity: inout Entity, _ waiting: inout [any PersistentModel.Type]
  ) {
    let arguments = property.metadata as? Schema.Attribute
    var reader = TypeReader()
    let (shape, isOptional) = reader.shape(property.type, property: property.name)
    switch shape {
    case .toOne(let type), .toMany(let type):
      waiting.append(type)
      let isToMany = if case .toMany = shape { true } else { false }
      let relationship = property.metadata as? Schema.Relationship
      entity.relationships.append(
        Entity.Relationship(
          name: property.name, destination: Schema.entityName(for: type), className: Self.qualifiedName(type),
          isToMany: isToMany, isOptional: isOptional, arguments: relationship, inverseArgument: property.inverseName))
      if relationship?.options.contains(.unique) == true { entity.uniqueness.append([property.name]) }
      return
    case .value(let type):
      var attribute = Entity.Attribute(name: property.name, type: type, isOptional: isOptional, doubts: reader.doubts)
      if type == "Transformable" { attribute.settings.append(("valueTransformerName", Self.secureTransformer)) }
      if let text = Self.defaultText(property.defaultValue, type, place: "\(entity.name).\(property.name)") {
        attribute.settings.append(text)
      }
      entity.attributes.append(attribute)
    case .composite(let name, let elements):
      var attribute = Entity.Attribute(
        name: property.name, type: "Composite", isOptional: isOptional, doubts: reader.doubts)
      attribute.settings.append(("composite", self.name(ofComposite: name, elements)))
      entity.attributes.append(attribute)
    }
    guard let arguments else { return }
    Self.apply(arguments, to: &entity.attributes[entity.attributes.count - 1])
    if arguments.has(.unique) { entity.uniqueness.append([property.name]) }
  }

  private static let secureTransformer = "NSSecureUnarchiveFromData"

  private static func apply(_ arguments: Schema.Attribute, to attribute: inout Entity.Attribute) {
    if arguments.has(.codable) {
      attribute.type = "Binary"
      attribute.settings = []
      attribute.doubts = ["the kind of data that '.codable' makes is not known"]
    }
    if let transformer = arguments.transformer {
      attribute.type = "Transformable"
      attribute.settings = [("valueTransformerName", transformer)]
      attribute.doubts = ["'.transformable(by:)' is taken as Core Data's transformable attribute"]
    }
    let flags: [(Schema.Attribute.Option, String)] = [
      (.ephemeral, "transient"), (.externalStorage, "allowsExternalBinaryDataStorage"),
      (.allowsCloudEncryption, "allowsCloudEncryption"), (.spotlight, "spotlightIndexingEnabled"),
      (.preserveValueOnDeletion, "preserveAfterDeletion"),
    ]
    for (option, flag) in flags where arguments.has(option) { attribute.settings.append((flag, "YES")) }
    if let name = arguments.originalName { attribute.settings.append(("elementID", name)) }
    if let text = arguments.hashModifier { attribute.settings.append(("versionHashModifier", text)) }
  }

  /// The default of an attribute, as Xcode writes it.
  ///
  /// `Date()` and `UUID()` are evaluated once, when the schema is made, so all rows that lack a value get the same one.
  /// The day stands for the moment, and a number that follows from the name for the random one: the same sources
  /// should make the same model.
  private static func defaultText(_ value: Any?, _ type: String, place: String) -> (String, String)? {
    guard let value else { return nil }
    let key = type == "Date" ? "defaultDateTimeInterval" : "defaultValueString"
    switch value {
    case let date as Date: return (key, "\(Int(date.timeIntervalSinceReferenceDate / 86400) * 86400)")
    case let flag as Bool: return (key, flag ? "YES" : "NO")
    case is UUID: return (key, UUID(named: place).uuidString)
    case let text as String: return (key, text)
    case is any BinaryInteger, is any BinaryFloatingPoint, is Decimal: return (key, "\(value)")
    default: return nil
    }
  }

  private mutating func name(ofComposite name: String, _ elements: [TypeShape.Element]) -> String {
    for element in elements where !element.elements.isEmpty {
      _ = self.name(ofComposite: element.compositeName, element.elements)
    }
    // An enumeration's element is named as the property: the type alone does not say which composite it is.
    let key = { (elements: [TypeShape.Element]) in elements.map { "\($0.name):\($0.type)" } }
    var (unique, number) = (name, 1)
    while let existing = composites.first(where: { $0.name == unique }), key(existing.elements) != key(elements) {
      number += 1
      unique = "\(name) \(number)"
    }
    if !composites.contains(where: { $0.name == unique }) { composites.append((unique, elements)) }
    return unique
  }

  private func add(_ list: Schema.KeyPathList, to entity: inout Entity) {
    let names = list.paths.map { path(in: entity, $0) }
    guard !names.isEmpty else { return }
    switch list.kind {
    case .unique: entity.uniqueness.append(names)
    case .binary: entity.indexes.append(("SwiftDataIndexOnBinary" + names.joined(), "Binary", names))
    case .rtree: entity.indexes.append(("SwiftDataIndexOnRTree" + names.joined(), "RTree", names))
    }
  }

  /// The key path of an element of a composite, or the name of a property.
  private func path(in entity: Entity, _ path: [String]) -> String {
    guard let first = path.first, let last = path.last, path.count > 1,
      let attribute = entity.attributes.first(where: { $0.name == first }),
      let composite = attribute.settings.first(where: { $0.0 == "composite" })?.1,
      composites.first(where: { $0.name == composite })?.elements.contains(where: { $0.name == last }) == true
    else { return path.first ?? "" }
    return "\(first).\(last)"
  }
}

// MARK: - Inverses

extension ModelBuilder {
  private typealias Place = (entity: Int, relationship: Int)

  private mutating func resolveInverses() {
    // An inverse that one side names binds both.
    for place in places {
      let relationship = self[place]
      guard let name = relationship.inverseArgument, let other = self.place(of: name, in: relationship.destination)
      else { continue }
      entities[place.entity].relationships[place.relationship].inverse = name
      if self[other].inverse == nil {
        entities[other.entity].relationships[other.relationship].inverse = relationship.name
      }
    }
    for place in places where self[place].inverse == nil { infer(place) }
  }

  private mutating func infer(_ place: Place) {
    let (relationship, owner) = (self[place], entities[place.entity].name)
    let isSelf = relationship.destination == owner
    let back = candidates(from: relationship.destination, to: owner).filter { !isSelf || $0 != place }
    let forth = candidates(from: owner, to: relationship.destination)
    guard let other = back.first else {
      if isSelf { doubt(place, "a relationship of a class with itself is taken to have no inverse") }
      return
    }
    guard back.count == 1, forth.count == (isSelf ? 2 : 1) else {
      return doubt(place, "of several inverses that are possible, none is taken")
    }
    // Where both sides say something about themselves and neither names the other, they have no inverse.
    guard relationship.arguments == nil || self[other].arguments == nil else { return }
    entities[place.entity].relationships[place.relationship].inverse = self[other].name
    entities[other.entity].relationships[other.relationship].inverse = relationship.name
    let sides = [place, other].map { self[$0] }
    let isKnown =
      sides.allSatisfy { $0.arguments == nil } || sides.contains { $0.isToMany && $0.arguments != nil }
    if isSelf || !isKnown || sides.contains(where: { !$0.isToMany && !$0.isOptional }) {
      for side in [place, other] { doubt(side, "the inverse is inferred") }
    }
  }

  private var places: [Place] {
    entities.indices.flatMap { entity in entities[entity].relationships.indices.map { (entity, $0) } }
  }

  private subscript(place: Place) -> Entity.Relationship { entities[place.entity].relationships[place.relationship] }

  private func candidates(from owner: String, to destination: String) -> [Place] {
    places.filter {
      entities[$0.entity].name == owner && self[$0].destination == destination && self[$0].inverse == nil
    }
  }

  /// A relationship of an entity or of one that it inherits from.
  private func place(of name: String, in owner: String) -> Place? {
    guard let entity = entities.firstIndex(where: { $0.name == owner }) else { return nil }
    if let index = entities[entity].relationships.firstIndex(where: { $0.name == name }) { return (entity, index) }
    return entities[entity].parent.flatMap { place(of: name, in: $0) }
  }

  private mutating func doubt(_ place: Place, _ text: String) {
    entities[place.entity].relationships[place.relationship].doubts.append(text)
  }
}

extension UUID {
  /// The same identifier for the same name.
  fileprivate init(named name: String) {
    let halves = ["a", "b"].map { salt in
      (salt + name).utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
    var bytes = halves.flatMap { half in withUnsafeBytes(of: half.bigEndian) { Array($0) } }
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }
}
"""###),
("Macros.swift", ###"""
@_exported public import Foundation
@_exported public import Observation

/// Makes a class a model: its stored properties become attributes and relationships.
@attached(member, conformances: PersistentModel, names: named(schemaMetadata), named(schemaKeyPaths))
@attached(extension, conformances: PersistentModel)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "ModelMacro")

/// Says how an attribute is kept.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "PropertyMacro")

/// Says how objects are related.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "PropertyMacro")

/// Leaves a property out of the schema.
@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "PropertyMacro")

/// Names properties whose values together are unique.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "KeyPathsMacro")

/// Names properties that fetches sort or search by.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "KeyPathsMacro")

/// Names properties that fetches sort or search by, and the kind of each index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "SwiftDataMacros", type: "KeyPathsMacro")

/// Gives an actor a context of its own.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor(disableGenerateInit: Bool = false) =
  #externalMacro(module: "SwiftDataMacros", type: "ModelActorMacro")
"""###),
("ModelFiles.swift", ###"""
/// Writes a model as Xcode does: the file `contents` of an `.xcdatamodel`.
struct ModelText {
  private(set) var text = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#
  private let composites: [(name: String, elements: [TypeShape.Element])]

  init(_ model: ModelBuilder, identifier: String) {
    composites = model.composites
    open(
      "model", 0,
      [
        ("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0"), ("lastSavedToolsVersion", "1"),
        ("systemVersion", "11A491"), ("minimumToolsVersion", "Automatic"), ("sourceLanguage", "Swift"),
        ("usedWithSwiftData", "YES"), ("userDefinedModelVersionIdentifier", identifier),
      ])
    for entity in model.entities { write(entity) }
    for composite in composites.sorted(by: { $0.name < $1.name }) {
      open("composite", 1, [("name", composite.name)])
      for element in composite.elements {
        var attributes = [("name", element.name), ("optional", "YES"), ("attributeType", element.type)]
        if !element.elements.isEmpty { attributes.append(("composite", element.compositeName)) }
        if element.type == "Transformable" { attributes.append(("valueTransformerName", "NSSecureUnarchiveFromData")) }
        line("attribute", 2, attributes)
      }
      close("composite", 1)
    }
    close("model", 0)
  }

  private mutating func write(_ entity: Entity) {
    // Without the version that it is declared in: the class is the same one to the app.
    var attributes = [("name", entity.name), ("representedClassName", entity.name)]
    if let parent = entity.parent { attributes.append(("parentEntity", parent)) }
    open("entity", 1, attributes)
    for attribute in entity.attributes {
      let optional = attribute.isOptional ? [("optional", "YES")] : []
      write(
        "attribute", [("name", attribute.name)] + optional + [("attributeType", attribute.type)] + attribute.settings,
        attribute.doubts)
    }
    for relationship in entity.relationships { write(relationship) }
    for index in entity.indexes {
      open("fetchIndex", 2, [("name", index.name)])
      for property in index.properties {
        line("fetchIndexElement", 3, [("property", property), ("type", index.kind), ("order", "ascending")])
      }
      close("fetchIndex", 2)
    }
    if !entity.uniqueness.isEmpty {
      open("uniquenessConstraints", 2)
      for constraint in entity.uniqueness {
        open("uniquenessConstraint", 3)
        for name in constraint { line("constraint", 4, [("value", name)]) }
        close("uniquenessConstraint", 3)
      }
      close("uniquenessConstraints", 2)
    }
    if let doubt = entity.doubt { write(doubts: [doubt], 2) }
    close("entity", 1)
  }

  private mutating func write(_ relationship: Entity.Relationship) {
    let arguments = relationship.arguments ?? Schema.Relationship()
    var attributes = [("name", relationship.name)]
    if relationship.isOptional { attributes.append(("optional", "YES")) }
    if relationship.isToMany { attributes.append(("toMany", "YES")) }
    let maximum = relationship.isToMany ? arguments.maximumModelCount : 1
    if arguments.minimumModelCount != 0 { attributes.append(("minCount", "\(arguments.minimumModelCount)")) }
    if maximum != 0 { attributes.append(("maxCount", "\(maximum)")) }
    let rules: [Schema.Relationship.DeleteRule: String] = [
      .noAction: "No Action", .nullify: "Nullify", .cascade: "Cascade", .deny: "Deny",
    ]
    attributes.append(("deletionRule", rules[arguments.deleteRule] ?? "Nullify"))
    attributes.append(("destinationEntity", relationship.destination))
    if let inverse = relationship.inverse {
      attributes += [("inverseName", inverse), ("inverseEntity", relationship.destination)]
    }
    if let name = arguments.originalName { attributes.append(("elementID", name)) }
    if let text = arguments.hashModifier { attributes.append(("versionHashModifier", text)) }
    var doubts = relationship.doubts
    if arguments.minimumModelCount != 0 || arguments.maximumModelCount != 0 {
      doubts.append("the counts are taken as Core Data's")
    }
    write("relationship", attributes, doubts)
  }

  /// Writes a property, and what makes its part of the version hash uncertain.
  private mutating func write(_ name: String, _ attributes: [(String, String)], _ doubts: [String]) {
    guard !doubts.isEmpty else { return line(name, 2, attributes) }
    open(name, 2, attributes)
    write(doubts: doubts, 3)
    close(name, 2)
  }

  private mutating func write(doubts: [String], _ depth: Int) {
    open("userInfo", depth)
    line("entry", depth + 1, [("key", "tracks-migrate.uncertain"), ("value", doubts.joined(separator: "; "))])
    close("userInfo", depth)
  }

  private mutating func open(_ name: String, _ depth: Int, _ attributes: [(String, String)] = []) {
    text += start(name, depth, attributes) + ">"
  }

  private mutating func line(_ name: String, _ depth: Int, _ attributes: [(String, String)]) {
    text += start(name, depth, attributes) + "/>"
  }

  private mutating func close(_ name: String, _ depth: Int) {
    text += "\n" + String(repeating: "    ", count: depth) + "</\(name)>"
  }

  private func start(_ name: String, _ depth: Int, _ attributes: [(String, String)]) -> String {
    attributes.reduce("\n" + String(repeating: "    ", count: depth) + "<\(name)") {
      "\($0) \($1.0)=\"\(Self.escaped($1.1))\""
    }
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t", "\r": result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
"""###),
("PersistentModel.swift", ###"""
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
"""###),
("Schema.swift", ###"""
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
    let defaultValue: Any?
    let metadata: (any SchemaProperty)?
    let inverseName: String?

    public init<Model: PersistentModel, Value>(
      name: String, keypath: KeyPath<Model, Value>, defaultValue: Value? = nil,
      metadata: (any SchemaProperty)? = nil, inverseName: String? = nil
    ) {
      self.name = name
      type = Value.self
      self.defaultValue = defaultValue
      self.metadata = metadata
      self.inverseName = inverseName
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
"""###),
("SchemaProgram.swift", ###"""
/// Reads the schemas of the program that it is linked into, and writes them as a bundle of models.
public enum SchemaProgram {
  /// Writes the bundle at the path that is the first argument.
  public static func main() {
    guard CommandLine.arguments.count == 2 else { exit(64) }
    do {
      try Schemas(Types.all).write(to: CommandLine.arguments[1])
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(70)
    }
  }
}

/// The versions and plans of an app.
private struct Schemas {
  private struct Version {
    let type: (any VersionedSchema.Type)?
    let name: String
    let identifier: Schema.Version
    let models: [any PersistentModel.Type]
  }

  private let versions: [Version]
  private let plans: [any SchemaMigrationPlan.Type]
  private let models: [any PersistentModel.Type]

  init(_ types: [Any.Type]) throws {
    models = types.compactMap { $0 as? any PersistentModel.Type }
    plans = types.compactMap { $0 as? any SchemaMigrationPlan.Type }
    var schemas = types.compactMap { $0 as? any VersionedSchema.Type }
    for schema in plans.flatMap({ $0.schemas }) where !schemas.contains(where: { $0 == schema }) {
      schemas.append(schema)
    }
    let names = schemas.map { String(describing: $0) }
    let versions = try schemas.map { schema in
      let name = String(describing: schema)
      return Version(
        type: schema,
        name: names.filter { $0 == name }.count > 1 ? ModelBuilder.qualifiedName(schema) : name,
        identifier: schema.versionIdentifier, models: try Self.checked(schema.models))
    }
    self.versions =
      versions.isEmpty && !models.isEmpty
      ? [Version(type: nil, name: "Models", identifier: Schema.Version(1, 0, 0), models: try Self.checked(models))]
      : versions.sorted { ($0.identifier, $0.name) < ($1.identifier, $1.name) }
  }

  /// Two classes that an entity's name stands for; only one would be in the model.
  private struct NameConflict: Error, CustomStringConvertible {
    let description: String
  }

  private static func checked(_ models: [any PersistentModel.Type]) throws -> [any PersistentModel.Type] {
    for (index, model) in models.enumerated() {
      let name = Schema.entityName(for: model)
      guard let other = models[..<index].first(where: { $0 != model && Schema.entityName(for: $0) == name })
      else { continue }
      let classes = [other, model].map { "'\(ModelBuilder.qualifiedName($0))'" }.sorted().joined(separator: " and ")
      throw NameConflict(
        description: "\(classes) are both the entity '\(name)' of one version. "
          + "List each in a VersionedSchema of its own, or rename one of them.")
    }
    return models
  }

  /// The version that the app opens its stores with: the last one of its plan, or the one with the greatest number.
  private var current: Version? {
    let last = plans.compactMap { $0.schemas.last }
    return versions.last { version in last.contains { $0 == version.type } } ?? versions.last
  }

  /// The classes that no version names.
  private var unlisted: [String] {
    let listed = Set(versions.flatMap { version in ModelBuilder(version.models).entities.map(\.className) })
    return models.map { ModelBuilder.qualifiedName($0) }.filter { !listed.contains($0) }.sorted()
  }

  func write(to path: String) throws {
    let files = FileManager.default
    try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    for version in versions {
      let folder = "\(path)/\(version.name).xcdatamodel"
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let model = ModelText(ModelBuilder(version.models), identifier: "\(version.identifier)")
      try Data(model.text.utf8).write(to: URL(fileURLWithPath: "\(folder)/contents"))
    }
    if let current {
      let list = ["_XCCurrentVersionName": "\(current.name).xcdatamodel"]
      let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
      try data.write(to: URL(fileURLWithPath: "\(path)/.xccurrentversion"))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(description).write(to: URL(fileURLWithPath: "\(path)/SwiftData.json"))
  }

  /// The part of an app's schemas that models do not hold.
  private struct Description: Encodable {
    struct Stage: Encodable { let kind, from, to: String }
    struct Plan: Encodable {
      let name: String
      let schemas: [String]
      let stages: [Stage]
    }

    let plans: [Plan]
    let versions: [String: String]
    let unlisted: [String]
  }

  private var description: Description {
    Description(
      plans: plans.map { plan in
        Description.Plan(
          name: String(describing: plan), schemas: plan.schemas.map(name),
          stages: plan.stages.map { stage in
            switch stage {
            case .lightweight(let from, let to): .init(kind: "lightweight", from: name(from), to: name(to))
            case .custom(let from, let to, _, _): .init(kind: "custom", from: name(from), to: name(to))
            }
          })
      },
      versions: Dictionary(versions.map { ($0.name, "\($0.identifier)") }, uniquingKeysWith: { first, _ in first }),
      unlisted: unlisted)
  }

  private func name(_ schema: any VersionedSchema.Type) -> String {
    versions.first { $0.type.map { $0 == schema } ?? false }?.name ?? String(describing: schema)
  }
}

/// The types of the program, as the runtime lists them.
private enum Types {
  static var all: [Any.Type] {
    var types: [Any.Type] = []
    withUnsafeMutablePointer(to: &types) { enumerateSections(addTypes, UnsafeMutableRawPointer($0)) }
    return types
  }

  /// - Parameters:
  ///   - start: The section, which has an address of 32 bits for each type.
  ///   - length: The size of the section in bytes.
  static func types(_ start: UnsafeRawPointer, _ length: Int) -> [Any.Type] {
    stride(from: 0, to: length, by: 4).compactMap { offset in
      let record = start + offset
      let relative = Int(record.load(as: Int32.self))
      // The lowest two bits say how the address is kept: 0 for a direct one.
      guard relative & 3 == 0 else { return nil }
      let descriptor = record + relative
      let flags = descriptor.load(as: UInt32.self)
      // Classes, structs and enumerations that are not generic: they are known without arguments.
      guard (16...18).contains(flags & 0x1F), flags & 0x80 == 0 else { return nil }
      guard isOfApp(descriptor) else { return nil }
      let access = descriptor + 12
      let address = access + Int(access.load(as: Int32.self))
      // Its second result, which says whether the type is complete, is of no interest: C reads the first alone.
      typealias Accessor = @convention(c) (Int) -> UnsafeRawPointer
      return unsafeBitCast(unsafeBitCast(address, to: Accessor.self)(0), to: Any.Type.self)
    }
  }

  /// Whether a type is declared in the app's module: the libraries have thousands.
  private static func isOfApp(_ descriptor: UnsafeRawPointer) -> Bool {
    var context = descriptor
    while true {
      let parent = context + 4
      let relative = Int(parent.load(as: Int32.self))
      guard relative != 0 else { break }
      let target = parent + (relative & ~1)
      context = relative & 1 == 0 ? target : target.load(as: UnsafeRawPointer.self)
    }
    guard context.load(as: UInt32.self) & 0x1F == 0 else { return false }
    let name = context + 8
    return String(cString: (name + Int(name.load(as: Int32.self))).assumingMemoryBound(to: CChar.self)) == "AppModels"
  }

  /// A range of a section.
  fileprivate struct Range {
    let start: UnsafeRawPointer?
    let length: Int
  }
}

/// Adds the types of one image to the list that the context points to.
private func addTypes(_ sections: UnsafeRawPointer, _ context: UnsafeMutableRawPointer) -> Bool {
  // A version, the address of the image, two words that are not used; protocols, conformances, types.
  let range = sections.load(fromByteOffset: 4 * 8 + 2 * 16, as: Types.Range.self)
  if let start = range.start {
    context.assumingMemoryBound(to: [Any.Type].self).pointee += Types.types(start, range.length)
  }
  return true
}

/// Calls a function with the sections of each image; Swift's runtime keeps them, and swift-testing finds tests by them.
@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateSections(
  _ body: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> Bool, _ context: UnsafeMutableRawPointer)
"""###),
("TypeShape.swift", ###"""
@_spi(Reflection) import Swift

/// The form in which a store keeps values of a Swift type.
enum TypeShape {
  /// One value in one column; the name is Core Data's in models.
  case value(String)
  /// Several values, each with a column of its own.
  case composite(name: String, [Element])
  case toOne(any PersistentModel.Type)
  case toMany(any PersistentModel.Type)

  /// A value of a composite.
  struct Element {
    let name: String
    let type: String
    var elements: [Element] = []
    /// The name of the composite that the element is, if it is one.
    var compositeName = ""
  }
}

/// Finds out how a store keeps a property's type, and whether that is certain.
struct TypeReader {
  /// The reasons for which a store of Apple's may differ.
  private(set) var doubts: [String] = []

  /// The shape of a type, and whether it may be nil.
  mutating func shape(_ type: Any.Type, property: String) -> (shape: TypeShape, isOptional: Bool) {
    let (inner, isOptional) = unwrapped(type)
    return (shape(inner, named: property), isOptional)
  }

  private func unwrapped(_ type: Any.Type) -> (type: Any.Type, isOptional: Bool) {
    guard let optional = type as? any OptionalType.Type else { return (type, false) }
    return (unwrapped(optional.wrapped).type, true)
  }

  private mutating func shape(_ type: Any.Type, named property: String) -> TypeShape {
    if let model = type as? any PersistentModel.Type { return .toOne(model) }
    if let list = type as? any ListType.Type {
      let (element, isOptional) = unwrapped(list.element)
      if let model = element as? any PersistentModel.Type { return .toMany(model) }
      if list.isOrdered, PlainType.name(of: element) != nil {
        if isOptional || PlainType.isDoubtful(element) { doubts.append("values of type '\(type)' are transformable") }
        return .value("Transformable")
      }
      doubts.append("values of type '\(type)' are kept as data")
      return .value("Binary")
    }
    if let name = PlainType.name(of: type) {
      if PlainType.isDoubtful(type) { doubts.append("values of type '\(type)' are kept as \(name)") }
      return .value(name)
    }
    if let dictionary = type as? any DictionaryType.Type {
      let isKnown =
        dictionary.key is String.Type && PlainType.name(of: dictionary.value) == nil
        && Reflected(dictionary.value).kind == .structure
      if !isKnown { doubts.append("values of type '\(type)' are kept as data") }
      return .value("Binary")
    }
    return composite(type, named: property)
  }

  private mutating func composite(_ type: Any.Type, named property: String) -> TypeShape {
    let elements = elements(type, named: property, depth: 0)
    guard !elements.isEmpty else {
      doubts.append("values of type '\(type)' are kept as data")
      return .value("Binary")
    }
    if "\(type)".contains("<") { doubts.append("'\(type)' is a generic type") }
    var names: Set<String> = []
    guard elements.allSatisfy({ names.insert($0.name).inserted }) else {
      doubts.append("several values within '\(type)' have the same name")
      return .composite(name: "\(type)", elementsWithPaths(type))
    }
    return .composite(name: "\(type)", elements)
  }

  /// The leaves of a type, under their plain names.
  private mutating func elements(_ type: Any.Type, named name: String, depth: Int) -> [TypeShape.Element] {
    let reflected = Reflected(type)
    if let raw = (type as? any RawRepresentable.Type)?.rawType {
      guard let plain = PlainType.name(of: raw) else { return [] }
      if reflected.kind != .enumeration { doubts.append("'\(type)' is a struct with a raw value") }
      return [TypeShape.Element(name: name, type: plain)]
    }
    // Types of libraries have parts of their own, which are not what they are encoded as.
    guard depth < 16, !Reflected.isOfLibrary(type) else { return [] }
    switch reflected.kind {
    case .enumeration:
      if reflected.hasPayloads { doubts.append("'\(type)' is an enumeration with associated values") }
      return reflected.cases.map { TypeShape.Element(name: $0, type: "String") }
    case .structure:
      return reflected.fields.flatMap { leaves(of: $0.type, named: $0.name, depth: depth) }
    case .other: return []
    }
  }

  private mutating func leaves(of type: Any.Type, named name: String, depth: Int) -> [TypeShape.Element] {
    let (inner, isOptional) = unwrapped(type)
    if let plain = PlainType.name(of: inner) {
      if PlainType.isDoubtful(inner) { doubts.append("values of type '\(inner)' are kept as \(plain)") }
      return [TypeShape.Element(name: name, type: plain)]
    }
    if inner is any ListType.Type { return [TypeShape.Element(name: name, type: "Binary")] }
    if inner is any DictionaryType.Type {
      doubts.append("'\(name)' is a dictionary within a struct")
      return [TypeShape.Element(name: name, type: "Binary")]
    }
    if isOptional { doubts.append("'\(name)' is an optional struct or enumeration within a struct") }
    let elements = elements(inner, named: name, depth: depth + 1)
    guard elements.isEmpty else { return elements }
    doubts.append("values of type '\(inner)' are kept as data")
    return [TypeShape.Element(name: name, type: "Binary")]
  }

  /// The parts of a struct, with structs within it as composites of their own, so that all names differ.
  private mutating func elementsWithPaths(_ type: Any.Type) -> [TypeShape.Element] {
    var reader = TypeReader()
    return Reflected(type).fields.flatMap { field -> [TypeShape.Element] in
      let leaves = reader.leaves(of: field.type, named: field.name, depth: 1)
      let inner = "\(reader.unwrapped(field.type).type)"
      if leaves.count == 1 { return leaves }
      return [TypeShape.Element(name: field.name, type: "Composite", elements: leaves, compositeName: inner)]
    }
  }
}

/// The types that a column keeps as they are.
private enum PlainType {
  static func name(of type: Any.Type) -> String? {
    switch type {
    case is Int.Type, is Int64.Type, is UInt.Type, is UInt64.Type: "Integer 64"
    case is Int32.Type, is UInt32.Type: "Integer 32"
    case is Int16.Type, is UInt16.Type, is Int8.Type, is UInt8.Type: "Integer 16"
    case is Bool.Type: "Boolean"
    case is Double.Type, is CGFloat.Type: "Double"
    case is Float.Type: "Float"
    case is Decimal.Type: "Decimal"
    case is String.Type, is Character.Type: "String"
    case is Date.Type: "Date"
    case is Data.Type: "Binary"
    case is UUID.Type: "UUID"
    case is URL.Type: "URI"
    default: nil
    }
  }

  static func isDoubtful(_ type: Any.Type) -> Bool {
    type is URL.Type || type is Character.Type || type is CGFloat.Type
  }
}

private protocol OptionalType { static var wrapped: Any.Type { get } }
extension Optional: OptionalType { static var wrapped: Any.Type { Wrapped.self } }

private protocol ListType {
  static var element: Any.Type { get }
  static var isOrdered: Bool { get }
}
extension Array: ListType {
  static var element: Any.Type { Element.self }
  static var isOrdered: Bool { true }
}
extension Set: ListType {
  static var element: Any.Type { Element.self }
  static var isOrdered: Bool { false }
}

private protocol DictionaryType {
  static var key: Any.Type { get }
  static var value: Any.Type { get }
}
extension Dictionary: DictionaryType {
  static var key: Any.Type { Key.self }
  static var value: Any.Type { Value.self }
}

extension RawRepresentable {
  fileprivate static var rawType: Any.Type { RawValue.self }
}

/// The parts of a type, as the runtime knows them.
struct Reflected {
  enum Kind { case structure, enumeration, other }

  let kind: Kind
  private let type: Any.Type

  init(_ type: Any.Type) {
    self.type = type
    // The first word of a value type's metadata is its kind, the second one leads to its description.
    switch unsafeBitCast(type, to: UnsafePointer<Int>.self).pointee {
    case 0x200: kind = .structure
    case 0x201: kind = .enumeration
    default: kind = .other
    }
  }

  /// The stored properties of a struct, in their order.
  var fields: [(name: String, type: Any.Type)] {
    var fields: [(name: String, type: Any.Type)] = []
    guard kind == .structure else { return [] }
    _forEachField(of: type) { name, _, type, _ in
      // The storage of a lazy property, which is not encoded.
      let name = String(cString: name)
      if !name.hasPrefix("$") { fields.append((name, type)) }
      return true
    }
    return fields
  }

  /// The names of an enumeration's cases, in their order.
  var cases: [String] { records.map(\.name) }

  /// Whether a case has associated values.
  var hasPayloads: Bool { records.contains(where: \.hasType) }

  private var records: [(name: String, hasType: Bool)] {
    guard kind != .other else { return [] }
    let descriptor = unsafeBitCast(type, to: UnsafePointer<UnsafeRawPointer>.self)[1]
    // Swift's ABI: relative addresses of 32 bits; the fields' description is the fifth word.
    guard let fields = Self.target(of: descriptor + 16) else { return [] }
    let size = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
    return (0..<Int(fields.load(fromByteOffset: 12, as: UInt32.self))).compactMap { index in
      let record = fields + 16 + index * size
      guard let name = Self.target(of: record + 8) else { return nil }
      return (String(cString: name.assumingMemoryBound(to: CChar.self)), Self.target(of: record + 4) != nil)
    }
  }

  private static func target(of address: UnsafeRawPointer) -> UnsafeRawPointer? {
    let offset = address.loadUnaligned(as: Int32.self)
    return offset == 0 ? nil : address + Int(offset)
  }

  /// Whether a type comes from the toolchain, and not from the app.
  static func isOfLibrary(_ type: Any.Type) -> Bool {
    let module = String(reflecting: type).prefix { $0 != "." }
    return ["Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "__C", "SwiftData"]
      .contains(String(module))
  }
}
"""###),
  ]
  /// The macros of that module.
  static let macros: [(name: String, text: String)] = [
("ModelMacro.swift", ###"""
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The functions are those that swift-syntax asks for.

import SwiftSyntax
import SwiftSyntaxMacros

/// Writes the list of properties that a model class stores.
///
/// The properties stay as they are: only their types are asked of the compiler, by key path.
public struct ModelMacro: MemberMacro, ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let type = declaration.as(ClassDeclSyntax.self) else {
      throw MacroError("@Model can only be attached to a class.")
    }
    // A subclass of a model conforms already, so that it overrides what its superclass has.
    let declaresConformance =
      type.inheritanceClause?.inheritedTypes.contains {
        $0.type.trimmedDescription.split(separator: ".").last == "PersistentModel"
      } ?? false
    let prefix = protocols.isEmpty && !declaresConformance ? "public override class var" : "public class var"
    let name = type.name.trimmedDescription
    let members = type.memberBlock.members
    let metadata = try StoredProperty.statements(for: members, in: name)
    let uses = members.compactMap { $0.decl.as(MacroExpansionDeclSyntax.self) }
    return [
      """
      \(raw: prefix) schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
        var metadata: [SwiftData.Schema.PropertyMetadata] = []
        \(raw: metadata.joined(separator: "\n  "))
        return metadata
      }
      """,
      """
      \(raw: prefix) schemaKeyPaths: [SwiftData.Schema.KeyPathList] {
        [\(raw: uses.flatMap(KeyPathLists.all).joined(separator: ", "))]
      }
      """,
    ]
  }

  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard !protocols.isEmpty else { return [] }
    return [try ExtensionDeclSyntax("extension \(type.trimmed): SwiftData.PersistentModel {}")]
  }
}

/// A property with storage of its own, as it stands in the source.
private struct StoredProperty {
  let name: String
  let initializer: ExprSyntax?
  let attributes: AttributeListSyntax

  /// The statements that add the properties of some members, under the same conditions.
  static func statements(for members: MemberBlockItemListSyntax, in type: String) throws -> [String] {
    try members.flatMap { member in
      if let declaration = member.decl.as(VariableDeclSyntax.self) {
        return try all(in: declaration).map { "metadata.append(\($0.metadata(in: type)))" }
      }
      guard let condition = member.decl.as(IfConfigDeclSyntax.self) else { return [] }
      return try condition.clauses.flatMap { clause in
        ["\(clause.poundKeyword.text) \(clause.condition?.trimmedDescription ?? "")"]
          + (try clause.elements?.as(MemberBlockItemListSyntax.self).map { try statements(for: $0, in: type) } ?? [])
      } + ["#endif"]
    }
  }

  private static func all(in declaration: VariableDeclSyntax) throws -> [StoredProperty] {
    let modifiers = declaration.modifiers.map(\.name.text)
    guard !["static", "class", "lazy"].contains(where: modifiers.contains) else { return [] }
    guard declaration.attributes.named("Transient") == nil else { return [] }
    return try declaration.bindings.compactMap { binding in
      if let tuple = binding.pattern.as(TuplePatternSyntax.self) {
        throw MacroError("@Model needs a declaration of its own for each property of '\(tuple.trimmedDescription)'.")
      }
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self), !binding.isComputed else { return nil }
      return StoredProperty(
        name: pattern.identifier.text, initializer: binding.initializer?.value, attributes: declaration.attributes)
    }
  }

  /// The expression that describes the property to the schema.
  func metadata(in type: String) -> String {
    let plain = name.filter { $0 != "`" }
    var text = "SwiftData.Schema.PropertyMetadata(name: \"\(plain)\", keypath: \\\(type).\(name)"
    if let initializer, initializer.isConstant { text += ", defaultValue: \(initializer.trimmedDescription)" }
    for kind in ["Attribute", "Relationship"] {
      guard let attribute = attributes.named(kind) else { continue }
      text += ", metadata: SwiftData.Schema.\(kind)(\(attribute.argumentText))"
      if let path = attribute.argument("inverse")?.as(KeyPathExprSyntax.self)?.names.last {
        text += ", inverseName: \"\(path)\""
      }
    }
    return text + ")"
  }
}

/// The lists of `#Unique` and `#Index`, of which the names count.
private enum KeyPathLists {
  static func all(_ use: MacroExpansionDeclSyntax) -> [String] {
    let kind = use.macroName.text
    guard kind == "Unique" || kind == "Index" else { return [] }
    return use.arguments.compactMap { argument in
      var (expression, form) = (argument.expression, "binary")
      // An index may say how it is kept: `.rtree([\.place])`.
      if let call = expression.as(FunctionCallExprSyntax.self) {
        form = call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? form
        guard let first = call.arguments.first else { return nil }
        expression = first.expression
      }
      guard let array = expression.as(ArrayExprSyntax.self) else { return nil }
      let paths = array.elements.compactMap { element in
        element.expression.as(KeyPathExprSyntax.self).map { "[\"\($0.names.joined(separator: "\", \""))\"]" }
      }
      return "SwiftData.Schema.KeyPathList(.\(kind == "Unique" ? "unique" : form), [\(paths.joined(separator: ", "))])"
    }
  }
}

extension AttributeListSyntax {
  fileprivate func named(_ name: String) -> AttributeSyntax? {
    compactMap { $0.as(AttributeSyntax.self) }.first {
      $0.attributeName.trimmedDescription.split(separator: ".").last.map(String.init) == name
    }
  }
}

extension AttributeSyntax {
  fileprivate var argumentText: String { arguments?.trimmedDescription ?? "" }

  fileprivate func argument(_ label: String) -> ExprSyntax? {
    arguments?.as(LabeledExprListSyntax.self)?.first { $0.label?.text == label }?.expression
  }
}

extension KeyPathExprSyntax {
  /// The names of the properties on the path: optional chaining and unwrapping have none.
  fileprivate var names: [String] {
    components.compactMap {
      $0.component.as(KeyPathPropertyComponentSyntax.self)?.declName.baseName.text.filter { $0 != "`" }
    }
  }
}

extension PatternBindingSyntax {
  /// Whether the binding has a getter; observers leave a property stored.
  fileprivate var isComputed: Bool {
    guard let accessors = accessorBlock?.accessors else { return false }
    guard case .accessors(let list) = accessors else { return true }
    return list.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
  }
}

extension ExprSyntax {
  /// Whether the expression has a value without the app's own code, so that it may be a default value of the schema.
  fileprivate var isConstant: Bool {
    switch kind {
    case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr: return true
    case .stringLiteralExpr:
      return self.as(StringLiteralExprSyntax.self)?.segments.allSatisfy { $0.is(StringSegmentSyntax.self) } ?? false
    case .prefixOperatorExpr:
      return self.as(PrefixOperatorExprSyntax.self)?.expression.isConstant ?? false
    default:
      return ["UUID()", "UUID.init()", "Date()", "Date.init()", "Date.now", ".now"].contains(trimmedDescription)
    }
  }
}
"""###),
("SmallMacros.swift", ###"""
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The functions are those that swift-syntax asks for.

import SwiftSyntax
import SwiftSyntaxMacros

/// Marks a property for `@Model`, which reads the arguments.
public struct PropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// Stands in a class for `@Model`, which reads the key paths.
public struct KeyPathsMacro: DeclarationMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// Makes an actor that has a context of its own.
public struct ModelActorMacro: MemberMacro, ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let properties: [DeclSyntax] = [
      "public nonisolated let modelExecutor: any SwiftData.ModelExecutor",
      "public nonisolated let modelContainer: SwiftData.ModelContainer",
    ]
    let isDisabled = node.arguments?.trimmedDescription.contains("false") ?? false
    let initializer: DeclSyntax = """
      public init(modelContainer: SwiftData.ModelContainer) {
        modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: SwiftData.ModelContext(modelContainer))
        self.modelContainer = modelContainer
      }
      """
    return isDisabled ? properties : properties + [initializer]
  }

  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    [try ExtensionDeclSyntax("extension \(type.trimmed): SwiftData.ModelActor {}")]
  }
}

/// A use of a macro that means nothing.
struct MacroError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
"""###),
  ]
  /// The program that takes out what does not compile.
  static let pruner: [(name: String, text: String)] = [
("SourcePruner.swift", ###"""
import Foundation
import SwiftParser
import SwiftSyntax

/// Takes code out of a file that does not compile and that no schema depends on.
///
/// The arguments are the file, the file to write, and the places of errors as `line:column`. Functions lose their bodies, and
/// declarations that name what is not there disappear; all lines keep their numbers. A type that does not compile leaves
/// its name, so that no other type of that name takes its place. The places at which nothing can be taken out, such as a
/// stored property of a model, are printed.
@main
struct SourcePruner {
  static func main() throws {
    let words = CommandLine.arguments
    let text = try String(contentsOfFile: words[1], encoding: .utf8)
    let tree = Parser.parse(source: text)
    let converter = SourceLocationConverter(fileName: words[1], tree: tree)
    var cuts: [Range<Int>: String] = [:]
    for place in words.dropFirst(3) {
      let numbers = place.split(separator: ":").compactMap { Int($0) }
      let position = converter.position(ofLine: numbers[0], column: numbers[1])
      let mark = "\(URL(fileURLWithPath: words[2]).lastPathComponent):\(place)"
      guard let token = tree.token(at: position), let cut = Cut(at: token, mark: mark) else {
        print(place)
        continue
      }
      cuts[cut.range] = cut.replacement
    }
    // A range within another one goes with it.
    let outer = cuts.filter { range, _ in !cuts.keys.contains { $0 != range && $0.contains(range.lowerBound) } }
    var bytes = Array(text.utf8)
    for (range, replacement) in outer.sorted(by: { $0.key.lowerBound > $1.key.lowerBound }) {
      let newlines = bytes[range].filter { $0 == UInt8(ascii: "\n") }
      bytes.replaceSubrange(range, with: Array(replacement.utf8) + newlines)
    }
    try Data(bytes).write(to: URL(fileURLWithPath: words[2]))
  }
}

/// The code that goes because of an error in it, and its replacement.
private struct Cut {
  let range: Range<Int>
  let replacement: String

  /// - Parameter mark: What the compiler says where a type is used that is left out.
  /// - Returns: `nil` if a schema may depend on the code.
  init?(at token: TokenSyntax, mark: String) {
    var node = Syntax(token)
    while let parent = node.parent {
      if let body = Self.body(node), let isPart = Self.isOfSchema(node) {
        guard !isPart else { return nil }
        // A closure has as many parameters as it uses.
        let parameter = body.tokens(viewMode: .sourceAccurate).map(\.text).filter { $0.hasPrefix("$") }.max()
        self.init(body, replacement: (parameter.map { " _ = \($0);" } ?? "") + " Swift.fatalError() ")
        return
      }
      // All but the first are protocols, of which no schema depends on one that is not here.
      if let inherited = node.as(InheritedTypeSyntax.self), let comma = Self.comma(before: inherited) {
        self.init(comma.positionAfterSkippingLeadingTrivia, inherited.type.endPosition, replacement: " ")
        return
      }
      // Such as `#Preview`.
      if node.is(MacroExpansionExprSyntax.self) || node.is(MacroExpansionDeclSyntax.self), Self.isGlobal(node) {
        self.init(node, replacement: "")
        return
      }
      // A type goes with what it stores; a model and a schema stay.
      if let declaration = Self.declaration(node) {
        if let clause = Self.conformances(declaration) {
          self.init(Syntax(clause), replacement: " ")
          return
        }
        // With the semicolon behind it.
        self.init(node, replacement: Self.replacement(of: declaration, mark: mark))
        return
      }
      node = parent
    }
    return nil
  }

  private init(_ node: Syntax, replacement: String) {
    self.init(
      node.positionAfterSkippingLeadingTrivia, node.endPositionBeforeTrailingTrivia, replacement: replacement)
  }

  private init(_ start: AbsolutePosition, _ end: AbsolutePosition, replacement: String) {
    range = start.utf8Offset..<end.utf8Offset
    self.replacement = replacement
  }

  /// A class keeps an initializer, of which no two have one name, and a type its name; what was put in the place of one
  /// goes.
  private static func replacement(of declaration: DeclSyntax, mark: String) -> String {
    if declaration.is(InitializerDeclSyntax.self), !declaration.description.contains("leftOut") {
      return "init(leftOut\(declaration.position.utf8Offset): Swift.Never) { Swift.fatalError() };"
    }
    let attributes = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes.description ?? ""
    guard let (head, parameters) = head(of: declaration), !attributes.contains("leftOut") else { return "" }
    let names = parameters?.parameters.map(\.name.text).joined(separator: ", ")
    let rest = declaration.is(TypeAliasDeclSyntax.self) ? " = Swift.Never;" : " {};"
    return "@available(*, unavailable, message: \"leftOut \(mark)\") \(head)\(names.map { "<\($0)>" } ?? "")\(rest)"
  }

  /// The beginning of a type's declaration with its name, and the parameters of a generic one.
  private static func head(of declaration: DeclSyntax) -> (String, GenericParameterClauseSyntax?)? {
    let parts: (DeclModifierListSyntax, TokenSyntax, TokenSyntax, GenericParameterClauseSyntax?)
    switch declaration.as(DeclSyntaxEnum.self) {
    case .structDecl(let type): parts = (type.modifiers, type.structKeyword, type.name, type.genericParameterClause)
    case .enumDecl(let type): parts = (type.modifiers, type.enumKeyword, type.name, type.genericParameterClause)
    case .classDecl(let type): parts = (type.modifiers, type.classKeyword, type.name, type.genericParameterClause)
    case .actorDecl(let type): parts = (type.modifiers, type.actorKeyword, type.name, type.genericParameterClause)
    case .typeAliasDecl(let type):
      parts = (type.modifiers, type.typealiasKeyword, type.name, type.genericParameterClause)
    default: return nil
    }
    // Files may each have a private type of one name.
    let access = parts.0.map(\.name.text).filter { ["private", "fileprivate", "public", "package"].contains($0) }
    return ((access + [parts.1.text, parts.2.text]).joined(separator: " "), parts.3)
  }

  /// The protocols that an extension adds, if it also has types, which are of use without them.
  private static func conformances(_ declaration: DeclSyntax) -> InheritanceClauseSyntax? {
    guard let node = declaration.as(ExtensionDeclSyntax.self) else { return nil }
    return node.memberBlock.members.contains { head(of: $0.decl) != nil } ? node.inheritanceClause : nil
  }

  /// The statements of a function, an accessor or a closure of a stage.
  private static func body(_ node: Syntax) -> Syntax? {
    guard let list = node.as(CodeBlockItemListSyntax.self), let parent = node.parent else { return nil }
    guard parent.is(CodeBlockSyntax.self) || parent.is(AccessorBlockSyntax.self) || parent.is(ClosureExprSyntax.self)
    else { return nil }
    let owner = parent.is(CodeBlockSyntax.self) ? parent.parent : parent
    let kinds: [SyntaxKind] = [
      .functionDecl, .initializerDecl, .deinitializerDecl, .accessorDecl, .accessorBlock, .closureExpr,
    ]
    return owner.map { kinds.contains($0.kind) } == true ? Syntax(list) : nil
  }

  /// Whether a body says what a schema is: those of `models`, `schemas`, `stages` and `versionIdentifier`.
  private static func isOfSchema(_ body: Syntax) -> Bool? {
    var node: Syntax? = body.parent
    while let current = node {
      if current.is(ClosureExprSyntax.self) || current.is(FunctionDeclSyntax.self) { return false }
      if let variable = current.as(VariableDeclSyntax.self) { return isOfSchema(variable) }
      node = current.parent
    }
    return false
  }

  private static func isOfSchema(_ variable: VariableDeclSyntax) -> Bool {
    let names = variable.bindings.map(\.pattern.trimmedDescription)
    return names.contains { ["models", "schemas", "stages", "versionIdentifier"].contains($0) }
  }

  private static func comma(before inherited: InheritedTypeSyntax) -> TokenSyntax? {
    guard let list = inherited.parent?.as(InheritedTypeListSyntax.self), let index = list.index(of: inherited),
      index != list.startIndex
    else { return nil }
    return list[list.index(before: index)].trailingComma
  }

  /// Whether code stands directly in the file.
  private static func isGlobal(_ node: Syntax) -> Bool {
    let item = node.is(CodeBlockItemSyntax.self) ? node : node.parent
    return item?.is(CodeBlockItemSyntax.self) == true && item?.parent?.parent?.is(SourceFileSyntax.self) == true
  }

  /// The declaration of an item, if no schema depends on it.
  private static func declaration(_ item: Syntax) -> DeclSyntax? {
    let isGlobal = isGlobal(item)
    let global = isGlobal ? item.as(CodeBlockItemSyntax.self)?.item.as(DeclSyntax.self) : nil
    guard let declaration = item.as(MemberBlockItemSyntax.self)?.decl ?? global else { return nil }
    if let variable = declaration.as(VariableDeclSyntax.self) {
      if isOfSchema(variable) { return nil }
      let isStatic = variable.modifiers.contains { ["static", "class"].contains($0.name.text) }
      let isComputed = variable.bindings.allSatisfy { $0.accessorBlock != nil }
      return isStatic || isComputed || isGlobal ? declaration : nil
    }
    if declaration.is(EnumCaseDeclSyntax.self) || declaration.is(MacroExpansionDeclSyntax.self) { return nil }
    return holdsSchema(Syntax(declaration)) ? nil : declaration
  }

  /// Whether a declaration is a model, a version or a plan, or has one within it.
  private static func holdsSchema(_ node: Syntax) -> Bool {
    if let type = node.asProtocol((any DeclGroupSyntax).self) {
      let attributes = type.attributes.map(\.trimmedDescription)
      let inherited = type.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
      if attributes.contains(where: { $0 == "@Model" || $0.hasPrefix("@SwiftData.Model") }) { return true }
      if inherited.contains(where: { $0.hasSuffix("VersionedSchema") || $0.hasSuffix("SchemaMigrationPlan") }) {
        return true
      }
    }
    return node.children(viewMode: .sourceAccurate).contains { holdsSchema($0) }
  }
}
"""###),
  ]
}
