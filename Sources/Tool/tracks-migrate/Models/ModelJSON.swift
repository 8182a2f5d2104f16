import CommandLineArguments
import DataModel
import Migration
import ModelInspection
import PersistentStore
import TerminalOutput

/// A model as JSON.
enum ModelJSON {
  static func text(of model: NamedModel, _ versions: ModelVersionList) -> String {
    JSONObject {
      $0.add("format_version", .integer(1))
      $0.add("model", .path(model.name))
      $0.add("version", FieldValue(model.versionName))
      $0.add("versions", .strings(versions.names))
      $0.add("current_version", FieldValue(versions.current))
      $0.add("version_identifiers", .strings(model.model.versionIdentifiers))
      $0.add("version_checksum", .string(model.model.versionChecksum.base64))
      $0.add(
        "configurations",
        objects: model.model.configurations.sorted { $0.key < $1.key }.map { name, members in
          JSONObject {
            $0.add("name", .string(name))
            $0.add("entities", .strings(members))
          }
        })
      $0.add(
        "fetch_requests",
        objects: model.model.fetchRequestTemplates.map { request in
          JSONObject {
            $0.add("name", .string(request.name))
            $0.add("entity", .string(request.entityName))
            $0.add("predicate", FieldValue(request.predicate))
          }
        })
      $0.add("entities", objects: model.model.entities.map(object))
    }.text
  }

  private static func object(_ entity: EntityDescription) -> JSONObject {
    JSONObject {
      $0.add("name", .string(entity.name))
      $0.add("version_hash", .string(entity.versionHash.description))
      $0.add("parent", FieldValue(entity.superentityName))
      $0.add("is_abstract", .boolean(entity.isAbstract))
      $0.add("class", FieldValue(entity.managedObjectClassName))
      $0.add("renaming_identifier", .string(entity.renamingIdentifier))
      $0.add("version_hash_modifier", FieldValue(entity.versionHashModifier))
      $0.add("user_info", object: object(entity.userInfo))
      $0.add(
        "uniqueness_constraints",
        objects: entity.uniquenessConstraints.map { names in JSONObject { $0.add("properties", .strings(names)) } })
      $0.add("fetch_indexes", objects: entity.fetchIndexes.map(object))
      $0.add("attributes", objects: entity.ownDeclaredAttributes.map(object))
      $0.add("relationships", objects: entity.ownRelationships.map(object))
      $0.add("fetched_properties", objects: entity.ownFetchedProperties.map(object))
    }
  }

  private static func object(_ attribute: AttributeDescription) -> JSONObject {
    JSONObject {
      $0.add("name", .string(attribute.name))
      $0.add("type", .string(attribute.type.xmlName))
      addFlags(attribute, to: &$0)
      $0.add("is_derived", .boolean(attribute.isDerived))
      $0.add("allows_external_binary_data_storage", .boolean(attribute.allowsExternalBinaryDataStorage))
      $0.add("preserves_value_in_history_on_deletion", .boolean(attribute.preservesValueInHistoryOnDeletion))
      $0.add("default", FieldValue(attribute.defaultValue?.text))
      $0.add("minimum", FieldValue(attribute.validation.minimum?.text))
      $0.add("maximum", FieldValue(attribute.validation.maximum?.text))
      $0.add("regular_expression", FieldValue(attribute.validation.regularExpression))
      $0.add("transformer", FieldValue(attribute.valueTransformerName))
      $0.add("class", FieldValue(attribute.editorAttributes["customClassName"]))
      $0.add("derivation", FieldValue(attribute.derivationExpression))
      $0.add("derivation_predicate", FieldValue(attribute.derivationFilterPredicate))
      add(attribute, to: &$0)
      if attribute.type == .composite { $0.add("elements", objects: attribute.elements.map(object)) }
    }
  }

  private static func object(_ relationship: RelationshipDescription) -> JSONObject {
    JSONObject {
      $0.add("name", .string(relationship.name))
      $0.add("destination", .string(relationship.destinationEntityName))
      $0.add("inverse", FieldValue(relationship.inverseName))
      addFlags(relationship, to: &$0)
      $0.add("is_to_many", .boolean(relationship.isToMany))
      $0.add("is_ordered", .boolean(relationship.isOrdered))
      $0.add("min_count", FieldValue(relationship.minCount))
      $0.add("max_count", FieldValue(relationship.maxCount))
      $0.add("delete_rule", .string(relationship.deleteRule.word))
      add(relationship, to: &$0)
    }
  }

  private static func object(_ property: FetchedPropertyDescription) -> JSONObject {
    JSONObject {
      $0.add("name", .string(property.name))
      $0.add("entity", .string(property.fetchRequest.entityName))
      $0.add("predicate", FieldValue(property.fetchRequest.predicate))
      addFlags(property, to: &$0)
      add(property, to: &$0)
    }
  }

  private static func object(_ index: FetchIndexDescription) -> JSONObject {
    JSONObject {
      $0.add("name", .string(index.name))
      $0.add("predicate", FieldValue(index.partialIndexPredicate))
      $0.add(
        "elements",
        objects: index.elements.map { element in
          JSONObject {
            switch element.subject {
            case .property(let name): $0.add("property", .string(name))
            case .instance: $0.add("expression", .string("self"))
            case .entity: $0.add("expression", .string("entity"))
            case .expression(let text): $0.add("expression", .string(text))
            }
            $0.add("order", .string(element.isAscending ? "ascending" : "descending"))
            $0.add("type", .string(element.collationType == .rTree ? "rtree" : "binary"))
          }
        })
    }
  }

  private static func addFlags(_ property: some PropertyDescription, to object: inout JSONObject) {
    object.add("is_optional", .boolean(property.isOptional))
    object.add("is_transient", .boolean(property.isTransient))
  }

  private static func add(_ property: some PropertyDescription, to object: inout JSONObject) {
    object.add("renaming_identifier", .string(property.renamingIdentifier))
    object.add("version_hash_modifier", FieldValue(property.versionHashModifier))
    object.add("user_info", object: self.object(property.userInfo))
  }

  private static func object(_ userInfo: [String: String]) -> JSONObject {
    JSONObject { object in
      for (key, value) in userInfo.sorted(by: { $0.key < $1.key }) { object.add(key, .string(value)) }
    }
  }
}

/// One entity or property as a row of a table.
struct PropertyRecord {
  let entity: String
  let property: String?
  let kind: String
  var type: String?
  var isOptional: Bool?
  var defaultValue: String?
  var details: [String] = []

  static func write(
    _ model: ManagedObjectModel, _ format: OutputFormat, guardsFormulas: Bool, to output: any TextOutput
  ) throws {
    let writer = format.makeWriter(to: output, terminal: Terminal(), guardsFormulas: guardsFormulas)
    try writer.begin(columns: ["entity", "property"] + columns)
    for entity in model.entities {
      for record in [PropertyRecord(entity)] + all(of: entity) {
        try writer.write([.string(record.entity), FieldValue(record.property)] + record.values)
      }
    }
    try writer.end()
  }

  /// The columns after the names.
  static let columns = ["kind", "type", "optional", "default", "details"]

  var values: [FieldValue] {
    [
      .string(kind), FieldValue(type), FieldValue(isOptional.map { $0 ? "optional" : "required" }),
      FieldValue(defaultValue), details.isEmpty ? .null : .strings(details),
    ]
  }

  /// The properties that an entity itself declares; a composite attribute is followed by its elements.
  static func all(of entity: EntityDescription) -> [PropertyRecord] {
    entity.ownDeclaredAttributes.flatMap { declared in
      let elements = entity.ownAttributes.filter { $0.compositeName == declared.name }
      return ([declared] + elements).map { PropertyRecord($0, of: entity.name) }
    }
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
    kind = attribute.compositeName == nil ? "attribute" : "element"
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
    // Models created in code may express "no limit" differently from Xcode, which changes their version hash.
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

/// The facts about an entity besides its properties.
enum EntityFacts {
  typealias Fact = (name: String, value: String)

  static func all(of entity: EntityDescription) -> [Fact] {
    var facts: [Fact] = [("version hash", entity.versionHash.description)]
    if let parent = entity.superentityName { facts.append(("parent", parent)) }
    if entity.isAbstract { facts.append(("abstract", "yes")) }
    if let name = entity.managedObjectClassName { facts.append(("class", name)) }
    if entity.renamingIdentifier != entity.name { facts.append(("renamed from", entity.renamingIdentifier)) }
    if let modifier = entity.versionHashModifier { facts.append(("version hash modifier", modifier)) }
    for constraint in entity.uniquenessConstraints { facts.append(("unique", constraint.joined(separator: ", "))) }
    for index in entity.fetchIndexes { facts.append(("index", text(of: index))) }
    for (key, value) in entity.userInfo.sorted(by: { $0.key < $1.key }) { facts.append(("note", "\(key)=\(value)")) }
    return facts
  }

  private static func text(of index: FetchIndexDescription) -> String {
    let elements = index.elements.map { element in
      let subject =
        switch element.subject {
        case .property(let name): name
        case .instance: "self"
        case .entity: "entity"
        case .expression(let text): text
        }
      return subject + (element.isAscending ? "" : " descending")
        + (element.collationType == .rTree ? " (R-tree)" : "")
    }
    let condition = index.partialIndexPredicate.map { " where \($0)" } ?? ""
    return "\(index.name) (\(elements.joined(separator: ", ")))\(condition)"
  }
}
