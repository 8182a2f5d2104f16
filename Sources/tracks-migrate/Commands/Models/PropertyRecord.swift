import CommandLineKit
import DataModel

/// One entity or property as a row of a table.
struct PropertyRecord {
  let entity: String
  let property: String?
  let kind: String
  var type: String?
  var isOptional: Bool?
  var defaultValue: String?
  var details: [String] = []

  static func write(_ model: ManagedObjectModel, _ format: OutputFormat, to output: any TextOutput) throws {
    let writer = format.makeWriter(to: output, terminal: Terminal())
    try writer.begin(columns: ["entity", "property"] + columns)
    for entity in model.entities {
      for record in [PropertyRecord(entity)] + all(of: entity) {
        try writer.write([.string(record.entity), FieldValue(record.property)] + record.values)
      }
    }
    try writer.end()
  }

  /// The columns behind the names.
  static let columns = ["kind", "type", "optional", "default", "details"]

  var values: [FieldValue] {
    [
      .string(kind), FieldValue(type), FieldValue(isOptional.map { $0 ? "optional" : "required" }),
      FieldValue(defaultValue), details.isEmpty ? .null : .strings(details),
    ]
  }

  /// The properties that an entity itself declares.
  static func all(of entity: EntityDescription) -> [PropertyRecord] {
    entity.ownAttributes.map { PropertyRecord($0, of: entity.name) }
      + entity.ownRelationships.map { PropertyRecord($0, of: entity.name) }
      + entity.ownFetchedProperties.map { PropertyRecord($0, of: entity.name) }
  }

  init(_ entity: EntityDescription) {
    self.entity = entity.name
    property = nil
    kind = "entity"
    type = entity.superentityName.map { "subentity of \($0)" }
    details = EntityFacts.all(of: entity).filter { $0.name != "parent" }.map { "\($0.name) \($0.value)" }
  }

  init(_ attribute: AttributeDescription, of entity: String) {
    self.entity = entity
    property = attribute.name
    kind = "attribute"
    type = attribute.type.xmlName
    isOptional = attribute.isOptional
    defaultValue = attribute.defaultValue?.text
    details = Self.common(attribute)
    if attribute.allowsExternalBinaryDataStorage { details.append("external storage") }
    if attribute.preservesValueInHistoryOnDeletion { details.append("preserved in history") }
    if let name = attribute.valueTransformerName { details.append("transformer \(name)") }
    if let name = attribute.editorAttributes["customClassName"] { details.append("class \(name)") }
    if let expression = attribute.derivationExpression { details.append("derived from \(expression)") }
    if let predicate = attribute.derivationFilterPredicate { details.append("where \(predicate)") }
    if let minimum = attribute.validation.minimum { details.append("minimum \(minimum.text)") }
    if let maximum = attribute.validation.maximum { details.append("maximum \(maximum.text)") }
    if let pattern = attribute.validation.regularExpression { details.append("matches \(pattern)") }
    details += Self.notes(attribute.userInfo)
  }

  init(_ relationship: RelationshipDescription, of entity: String) {
    self.entity = entity
    property = relationship.name
    kind = "relationship"
    type = (relationship.isToMany ? "to-many " : "to-one ") + relationship.destinationEntityName
    isOptional = relationship.isOptional
    details = [relationship.inverseName.map { "inverse \($0)" } ?? "no inverse"] + Self.common(relationship)
    if relationship.isOrdered { details.append("ordered") }
    if relationship.minCount != 0 { details.append("at least \(relationship.minCount)") }
    if relationship.maxCount > 1 { details.append("at most \(relationship.maxCount)") }
    // Models that are made in code may say no limit in another way than Xcode, and have another version hash for it.
    if relationship.maxCount < 0 { details.append("maximum count \(relationship.maxCount)") }
    details.append("on delete \(relationship.deleteRule.word)")
    details += Self.notes(relationship.userInfo)
  }

  init(_ property: FetchedPropertyDescription, of entity: String) {
    self.entity = entity
    self.property = property.name
    kind = "fetched property"
    type = property.fetchRequest.entityName
    isOptional = property.isOptional
    details = property.fetchRequest.predicate.map { ["where \($0)"] } ?? []
    details += Self.notes(property.userInfo)
  }

  private static func common(_ property: some PropertyDescription) -> [String] {
    var details: [String] = []
    if property.isTransient { details.append("transient") }
    if property.renamingIdentifier != property.name { details.append("renamed from \(property.renamingIdentifier)") }
    if let modifier = property.versionHashModifier { details.append("version hash modifier \(modifier)") }
    return details
  }

  private static func notes(_ userInfo: [String: String]) -> [String] {
    userInfo.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }
}

extension DeleteRule {
  /// The rule as a word.
  var word: String {
    switch self {
    case .noAction: "no action"
    case .nullify: "nullify"
    case .cascade: "cascade"
    case .deny: "deny"
    }
  }
}

extension AttributeValue {
  /// The value for people.
  var text: String {
    switch self {
    case .integer(let integer): "\(integer)"
    case .double(let double): "\(double)"
    case .string(let text), .uri(let text): "\"\(text)\""
    case .boolean(let boolean): boolean ? "YES" : "NO"
    case .date(let seconds): "\(seconds) s after 2001"
    case .data(let bytes): NumberFormat.counted(bytes.count, "byte")
    case .uuid(let bytes): VersionHash(bytes: bytes).description
    }
  }
}
