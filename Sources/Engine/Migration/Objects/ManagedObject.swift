package import CoreDataExpressions
public import DataModel
internal import MigrationDiagnostics

/// An instance of an entity, as policies see it.
///
/// While an instance is in use, its context has exactly one object for it, so `===` compares instances. An instance
/// that is no longer used is released from memory and read again on demand.
///
/// Getters and setters cannot throw, as in Core Data. The context records errors, which end the migration as soon as
/// the policy returns.
public final class ManagedObject {
  /// The identity of the instance.
  public let objectID: ManagedObjectID
  /// The context that the instance belongs to.
  public let managedObjectContext: ManagedObjectContext
  let layout: EntityLayout

  // Each value of each row passes here. Swift would check at run time that no two accesses to a property overlap, which
  // takes longer than the accesses. One thread uses an instance, and none of these properties is held while other code
  // is called; the same is true wherever else there is this attribute.

  /// The values of the attributes in the order of the layout; empty until they are read.
  @exclusivity(unchecked) var attributeValues: [AttributeValue?] = []
  /// The attributes whose data is in an external data file that has not been read yet.
  @exclusivity(unchecked) var externalFileNames = RareValues<String>()
  /// The bytes of texts that are not valid UTF-8, by attribute; `attributeValues` contains the repaired texts.
  @exclusivity(unchecked) var invalidTexts = RareValues<[UInt8]>()
  /// Whether there are unsaved changes.
  @exclusivity(unchecked) var isChanged = false
  /// Whether the store has a row for the instance.
  @exclusivity(unchecked) var isStored = false
  /// The index among the recent instances.
  @exclusivity(unchecked) var recentPlace: Int?
  /// Whether the instance was deleted.
  @exclusivity(unchecked) public internal(set) var isDeleted = false
  /// The destinations of a source instance's relationships, as far as they were read.
  @exclusivity(unchecked) private var readRelationships: [String: [ManagedObjectID]]?
  /// The object of the CoreData module that represents this one, which removes itself when it is released.
  ///
  /// Not a stored property, because other modules would check the accesses to it in spite of the attribute.
  package var facade: Unmanaged<AnyObject>? {
    get { ownFacade }
    set { ownFacade = newValue }
  }
  @exclusivity(unchecked) private var ownFacade: Unmanaged<AnyObject>?

  init(_ layout: EntityLayout, _ objectID: ManagedObjectID, in context: ManagedObjectContext) {
    self.layout = layout
    self.objectID = objectID
    managedObjectContext = context
  }

  deinit {
    managedObjectContext.forget(objectID)
  }

  /// The destinations of a source instance's relationship, if they were read or set.
  func knownDestinations(_ relationship: String) -> [ManagedObjectID]? { readRelationships?[relationship] }

  func know(_ destinations: [ManagedObjectID], of relationship: String) {
    readRelationships = readRelationships ?? [:]
    readRelationships?[relationship] = destinations
  }

  /// The entity.
  public var entity: EntityDescription { layout.entity }

  /// The name of the entity, without copying its whole description.
  package var entityName: String { layout.entity.name }

  /// The index of the entity among the context's `entityNames`.
  package var entityPlace: Int { layout.place }

  /// The value of an attribute.
  public func value(forKey key: String) -> AttributeValue? {
    guard let index = layout.attributeIndex(key) else {
      managedObjectContext.record(unknown("attribute", key))
      return nil
    }
    return readValue(at: index)
  }

  /// The value of an attribute that is likely to be at a known index among the entity's.
  package func value(forKey key: String, expectedAt place: Int) -> AttributeValue? {
    guard let index = layout.attributeIndex(key, expectedAt: place) else { return value(forKey: key) }
    return readValue(at: index)
  }

  /// The value of an attribute, if it is text.
  ///
  /// Most values that policies read are, and text is what it is whatever the attribute's type.
  package func text(forKey key: String) -> String? {
    guard let index = layout.attributeIndex(key), case .string(let text)? = readValue(at: index) else { return nil }
    return text
  }

  /// Sets an attribute of the type for text.
  ///
  /// - Returns: Whether there is such an attribute.
  package func setText(_ text: String, forKey key: String) -> Bool {
    guard let index = layout.attributeIndex(key), layout.attributes[index].type == .string else { return false }
    if attributeValues.isEmpty { managedObjectContext.load(self) }
    if index < attributeValues.count { replaceValue(with: .string(text), at: index) }
    return true
  }

  /// The value of an attribute for callers that use the content of text.
  private func readValue(at index: Int) -> AttributeValue? {
    let value = value(at: index)
    if invalidTexts[index] != nil { managedObjectContext.noteRepairedText(of: self, index) }
    return value
  }

  func value(at index: Int) -> AttributeValue? {
    if attributeValues.isEmpty { managedObjectContext.load(self) }
    guard index < attributeValues.count else { return nil }
    if let name = externalFileNames[index] {
      guard let value = managedObjectContext.externalValue(named: name, of: self, index) else { return nil }
      externalFileNames[index] = nil
      attributeValues[index] = value
    }
    return attributeValues[index]
  }

  /// Sets the value of an attribute; numbers are converted to the attribute's type.
  public func setValue(_ value: AttributeValue?, forKey key: String) {
    guard let index = layout.attributeIndex(key) else {
      return managedObjectContext.record(unknown("attribute", key))
    }
    setValue(value, at: index)
  }

  /// Sets the value of an attribute that is likely to be at a known index among the entity's.
  package func setValue(_ value: AttributeValue?, forKey key: String, expectedAt place: Int) {
    guard let index = layout.attributeIndex(key, expectedAt: place) else { return setValue(value, forKey: key) }
    setValue(value, at: index)
  }

  func setValue(_ value: AttributeValue?, at index: Int) {
    if attributeValues.isEmpty { managedObjectContext.load(self) }
    guard index < attributeValues.count else { return }
    var converted: AttributeValue?
    if let value {
      converted = layout.attributes[index].type.converted(value)
      if converted == nil {
        return managedObjectContext.record(unacceptable(value, layout.attributes[index].description))
      }
    }
    replaceValue(with: converted, at: index)
  }

  private func replaceValue(with value: AttributeValue?, at index: Int) {
    let old = attributeValues[index]
    attributeValues[index] = value
    externalFileNames[index] = nil
    invalidTexts[index] = nil
    managedObjectContext.attributeChanged(self, index, from: old, to: value)
  }

  /// Copies an attribute from another instance; text that is not valid UTF-8 is copied as bytes.
  ///
  /// Data in an external file stays there. A file belongs to one row, so a second copy gets its own data.
  func copyValue(at sourceIndex: Int, of source: ManagedObject, to index: Int) {
    if source.attributeValues.isEmpty { source.managedObjectContext.load(source) }
    if let name = source.externalFileNames[sourceIndex], layout.attributes[index].isExternal,
      managedObjectContext.keptFileNames.insert(name).inserted
    {
      setValue(nil, at: index)
      externalFileNames[index] = name
      return
    }
    let value = source.value(at: sourceIndex)
    if layout.attributes[index].type == source.layout.attributes[sourceIndex].type {
      // Not converted: a column may hold what its type cannot, and a copy loses nothing.
      if attributeValues.isEmpty { managedObjectContext.load(self) }
      guard index < attributeValues.count else { return }
      replaceValue(with: value, at: index)
    } else {
      setValue(value, at: index)
    }
    if let bytes = source.invalidTexts[sourceIndex], index < attributeValues.count, attributeValues[index] == value {
      invalidTexts[index] = bytes
    }
  }

  /// The destinations of a relationship, in order if it is ordered.
  public func instances(forKey key: String) -> [ManagedObject] {
    guard let relationship = layout.relationship(key) else {
      managedObjectContext.record(unknown("relationship", key))
      return []
    }
    return managedObjectContext.destinations(of: self, relationship)
  }

  /// Sets the destinations of a relationship, and updates the inverse.
  ///
  /// An instance that occurs twice is kept once. A to-one relationship accepts at most one instance.
  public func setInstances(_ instances: [ManagedObject], forKey key: String) {
    guard !setDestinations(instances.map(\.objectID), forKey: key) else { return }
    managedObjectContext.record(unknown("relationship", key))
  }

  /// Sets the destinations of a relationship, which are known by their identities.
  ///
  /// - Returns: Whether there is such a relationship.
  package func setDestinations(_ destinations: [ManagedObjectID], forKey key: String) -> Bool {
    guard let relationship = layout.relationship(key) else { return false }
    managedObjectContext.setDestinations(destinations, of: self, relationship)
    return true
  }

  private func unknown(_ kind: String, _ key: String) -> MigrationError {
    MigrationError(
      .policyFailed,
      MigrationError.Subject(entity: entity.name, property: key, row: objectID.primaryKey),
      detail: "the entity has no such \(kind)")
  }

  private func unacceptable(_ value: AttributeValue, _ attribute: AttributeDescription) -> MigrationError {
    MigrationError(
      .policyFailed,
      MigrationError.Subject(entity: entity.name, property: attribute.name, row: objectID.primaryKey),
      detail: "a value of type \(attribute.type.xmlName) is wanted, but there is \(value.kindName)")
  }
}

extension ManagedObject: Hashable {
  /// Whether both are the same instance.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

  /// Hashes the properties that `==` compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The identity of an instance, in the source or in the destination of a migration.
public struct ManagedObjectID: Sendable, Hashable {
  /// The store that contains the instance.
  enum Store: UInt8, Sendable {
    case source
    case destination
  }

  let store: Store
  /// The number of the instance's own entity in that store: `Z_ENT`.
  let entityNumber: Int32
  /// The primary key in the table.
  public let primaryKey: Int64

  /// Hashes the properties that `==` compares as a single value: IDs are looked up for every instance, often
  /// repeatedly.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(primaryKey ^ Int64(entityNumber) << 32 ^ Int64(store.rawValue) << 62)
  }
}

extension ManagedObjectID: Comparable {
  /// Sorts by store, then by primary key, then by entity.
  public static func < (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
    (left.store.rawValue, left.primaryKey, left.entityNumber)
      < (right.store.rawValue, right.primaryKey, right.entityNumber)
  }
}

/// An instance as expressions see it.
package final class ManagedObjectValues: KeyValueObject {
  package let instance: ManagedObject

  package init(_ instance: ManagedObject) {
    self.instance = instance
  }

  /// Objects are equal only to themselves, but every access creates another view of them.
  package var identity: ObjectIdentifier { ObjectIdentifier(instance) }

  package func value(forKey key: String) throws -> ExpressionValue {
    let layout = instance.layout
    if layout.attributeIndex(key) != nil { return ExpressionValue(instance.value(forKey: key)) }
    guard let relationship = layout.relationship(key)?.description else {
      if key == "objectID" { return .object(self) }
      if let composite = composite(key) { return composite }
      throw Self.unknown(key, layout.entity.name)
    }
    let objects = instance.instances(forKey: key).map { ExpressionValue.object(ManagedObjectValues($0)) }
    if !relationship.isToMany { return objects.first ?? .null }
    return .collection(relationship.isOrdered ? .orderedSet : .set, objects)
  }

  package func isDecimal(forKey key: String) -> Bool { instance.entity.attribute(named: key)?.type == .decimal }

  /// The error for a key that an expression asks for in vain.
  static func unknown(_ key: String, _ entity: String) -> MigrationError {
    MigrationError(
      .invalidMappingModel, MigrationError.Subject(entity: entity, property: key),
      detail: "an expression asks for it, but the entity has no such property")
  }

  /// The value of a composite attribute: its elements by name, or nil if none of them has a value.
  private func composite(_ keyPath: String) -> ExpressionValue? {
    let elements = instance.entity.elements(ofComposite: keyPath)
    guard !elements.isEmpty else { return nil }
    var values: [String: ExpressionValue] = [:]
    for (path, attribute) in elements {
      let name = String(path.prefix { $0 != "." })
      guard values[name] == nil else { continue }
      let isComposite = path.utf8.count > name.utf8.count
      values[name] =
        isComposite ? composite("\(keyPath).\(name)") : ExpressionValue(instance.value(forKey: attribute.name))
    }
    return values.values.allSatisfy(\.isNull) ? .null : .dictionary(values)
  }
}

extension ExpressionValue {
  /// The value of an attribute in an expression.
  init(_ value: AttributeValue?) {
    self =
      switch value {
      case nil: .null
      case .integer(let integer): .integer(integer)
      case .double(let double): .real(double)
      case .string(let text): .string(text)
      case .boolean(let boolean): .boolean(boolean)
      case .date(let seconds): .date(seconds)
      case .data(let bytes): .data(bytes)
      case .uuid(let bytes): UUIDValue(bytes: bytes).map { .uuid($0) } ?? .data(bytes)
      case .uri(let text): .url(text)
      }
  }

  /// The attribute value of an expression's result.
  ///
  /// - Throws: `MigrationError` where the expression gave an instance or a collection, which no attribute holds.
  package var attributeValue: AttributeValue? {
    get throws {
      switch self {
      case .null: return nil
      case .boolean(let boolean): return .boolean(boolean)
      case .integer(let integer): return .integer(integer)
      case .real(let real): return .double(real)
      case .string(let text), .decimal(let text): return .string(text)
      case .date(let seconds): return .date(seconds)
      case .data(let bytes): return .data(bytes)
      case .uuid(let uuid): return .uuid(uuid.bytes)
      case .url(let text): return .uri(text)
      case .object, .collection, .dictionary:
        throw MigrationError(.invalidMappingModel, detail: "an attribute is given \(kindName)")
      }
    }
  }
}

/// The values of a row before they are set on the instance.
struct StoredValues: Sendable {
  /// The values of the attributes in the order of the layout.
  var attributes: [AttributeValue?] = []
  /// The attributes whose data is in an external data file that has not been read yet.
  var externalFileNames = RareValues<String>()

  /// The bytes of texts that are not valid UTF-8, by attribute; `attributes` contains the repaired texts.
  var invalidTexts = RareValues<[UInt8]>()

  /// The approximate number of bytes that the values take up.
  var byteCount: Int { attributes.reduce(0) { $0 + ($1?.byteCount ?? 0) } }
}

/// Values of some attributes, by their indexes.
///
/// Nearly no instance has any. An empty dictionary would be an object that is counted with each copy of a row.
struct RareValues<Value: Sendable>: Sendable {
  private var values: [Int: Value]?

  subscript(index: Int) -> Value? {
    get { values?[index] }
    set {
      guard values != nil || newValue != nil else { return }
      values = values ?? [:]
      values?[index] = newValue
    }
  }

  mutating func add(_ others: RareValues) {
    for (index, value) in others.values ?? [:] { self[index] = value }
  }
}

extension ManagedObject {
  /// Sets the values to those of the instance's row.
  func take(_ values: StoredValues) {
    attributeValues = values.attributes
    invalidTexts = values.invalidTexts
    externalFileNames.add(values.externalFileNames)
  }
}
