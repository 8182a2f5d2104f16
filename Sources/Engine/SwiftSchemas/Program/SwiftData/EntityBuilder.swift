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
  /// The classes by the names of their entities.
  private(set) var classes: [String: any PersistentModel.Type] = [:]

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
      classes[name] = type
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
      if type == "Transformable" {
        attribute.settings.append(("valueTransformerName", Self.secureTransformer))
        // As Xcode keeps the class of a transformable attribute; it is not hashed.
        let list = (property.type as? any OptionalType.Type)?.wrapped ?? property.type
        if let element = (list as? any ListType.Type)?.element {
          attribute.settings.append(("customClassName", "[\(element)]"))
        }
      }
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

  static let secureTransformer = "NSSecureUnarchiveFromData"

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
    let key = { (elements: [TypeShape.Element]) in
      elements.map { "\($0.name):\($0.type):\($0.rawValues ?? "")" }
    }
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
