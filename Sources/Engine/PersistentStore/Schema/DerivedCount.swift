package import DataModel
internal import SQLiteDatabase

/// A derived attribute that counts the destinations of a relationship: `count:(pages)` or `pages.@count`.
///
/// The relationship is to-many, and its inverse is to-one or missing.
///
/// Core Data keeps such a count with triggers. They call functions that only Core Data has, so only Core Data can write to
/// these tables afterwards, as in its own stores. Their text is taken from stores that Core Data wrote, and is known only
/// if both entities are roots. Over a relationship without an inverse, triggers name the entities whose rows they change.
private struct DerivedCount {
  let entityName: String
  let attributeName: String
  /// The table with the count.
  let table: String
  /// The column with the count.
  let column: String
  /// The numbers of the entities that have the attribute; `nil` if the table has no others.
  let entityNumbers: [Int]?
  /// The table of the destinations.
  let destinationTable: String
  /// The column of the inverse relationship in it, or the hidden key of a relationship without an inverse.
  let key: String
  /// The first and last number of the entities with the attribute, if the triggers name them.
  let triggerRange: (first: Int, last: Int)?
  /// Whether the text of Core Data's triggers is known.
  let hasKnownTriggers: Bool

  init?(_ attribute: AttributeDescription, of entity: EntityDescription, in schema: StoreSchema) {
    guard let expression = attribute.derivationExpression, attribute.derivationFilterPredicate == nil,
      let relationship = Self.countedRelationship(expression).flatMap(entity.relationship(named:)),
      relationship.isToMany, let table = schema.table(forEntityNamed: entity.name),
      case .destination(let destinationTable, let key, _)? = schema.layouts.layout(
        of: relationship, ofEntityNamed: entity.name),
      let destination = schema.model.entity(named: relationship.destinationEntityName),
      let column = schema.column(forProperty: attribute.name, ofEntityNamed: entity.name)
    else { return nil }
    entityName = entity.name
    attributeName = attribute.name
    self.table = table.name
    self.column = column.name
    let owners = table.entityNames.filter { schema.model.lineage(of: $0).contains(entity.name) }
    let numbers = owners.map { schema.entityNumber($0) }.sorted()
    entityNumbers = owners.count == table.entityNames.count ? nil : numbers
    triggerRange =
      relationship.inverseName == nil && numbers.count > 1 ? (numbers[0], numbers[numbers.count - 1]) : nil
    self.destinationTable = destinationTable
    self.key = key
    hasKnownTriggers = entity.superentityName == nil && destination.superentityName == nil
  }

  private static func countedRelationship(_ expression: String) -> String? {
    let text = expression.filter { $0 != " " }
    if text.hasSuffix(".@count") { return String(text.dropLast(".@count".count)) }
    guard text.hasPrefix("count:("), text.hasSuffix(")") else { return nil }
    return String(text.dropFirst("count:(".count).dropLast())
  }
}

extension DerivedCount {
  /// The statement that counts for all instances.
  var countStatement: String {
    let filter = entityNumbers.map { " WHERE Z_ENT IN (\($0.map(String.init).joined(separator: ", ")))" } ?? ""
    return """
      UPDATE \(table.schemaIdentifier) SET \(column.schemaIdentifier) = \
      (SELECT COUNT(*) FROM \(destinationTable.schemaIdentifier) AS other \
      WHERE other.\(key.schemaIdentifier) = \(table.schemaIdentifier).Z_PK)\(filter)
      """
  }

  /// The triggers on the table of the destinations, with Core Data's spacing.
  var destinationTriggers: [CountTrigger] {
    let (column, key) = (column.schemaIdentifier, key.schemaIdentifier)
    return [
      ("INSERT", "INSERT", "NEW", "IFNULL(\(column), 0) + 1"),
      ("UPDATE_INCREMENT", "UPDATE OF \(key)", "NEW", "\(column) + 1"),
      ("UPDATE_DECREMENT", "UPDATE OF \(key)", "OLD", "\(column) - 1"),
      ("DELETE", "DELETE", "OLD", "\(column) - 1"),
    ].map { name, event, row, value in
      trigger(
        on: destinationTable, "PARAMETER_\(name)", "AFTER \(event)", " WHEN (\(row).\(key) NOT NULL)", value: value,
        row: "\(row).\(key)\(range().map { " AND \($0)" } ?? "")",
        function: "NSCoreDataDATriggerUpdatedAffectedObjectValue")
    }
  }

  /// The trigger on the table with the count.
  var sourceTrigger: CountTrigger {
    let key = key.schemaIdentifier
    return trigger(
      on: table, "SOURCE_INSERT", "AFTER INSERT", range(of: "NEW.").map { " WHEN \($0)" } ?? "",
      value: "(SELECT IFNULL(COUNT(\(key)), 0) FROM \(destinationTable.schemaIdentifier) WHERE \(key) = NEW.Z_PK)",
      row: "NEW.Z_PK", function: "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue")
  }

  /// The condition that a row belongs to an entity with the attribute.
  private func range(of row: String = "") -> String? {
    triggerRange.map { "\($0.first) <= \(row)Z_ENT AND \(row)Z_ENT <= \($0.last)" }
  }

  private func trigger(
    on watched: String, _ suffix: String, _ event: String, _ condition: String, value: String, row: String,
    function: String
  ) -> CountTrigger {
    let name = "Z_DA_\(watched)_\(entityName)_\(attributeName)_\(suffix)"
    let (counted, column) = (table.schemaIdentifier, column.schemaIdentifier)
    let statement = """
      CREATE TRIGGER \(name.schemaIdentifier) \(event) ON \(watched.schemaIdentifier) FOR EACH ROW\(condition) BEGIN \
      UPDATE \(counted) SET \(column) = \(value) WHERE Z_PK = \(row); \
      SELECT \(function)(\(table.quotedLiteral), Z_ENT, Z_PK, \(attributeName.quotedLiteral), \(column)) \
      FROM \(counted) WHERE Z_PK = \(row); END
      """
    return CountTrigger(name: name, statement: statement)
  }
}

/// A trigger that keeps a count.
struct CountTrigger {
  let name: String
  let statement: String
}

extension StoreSchema {
  /// The statements that create the triggers which Core Data keeps counts with.
  package var triggerStatements: [String] {
    keptCounts.flatMap(\.triggers).map(\.statement)
  }

  /// A count that Core Data keeps with triggers.
  struct KeptCount {
    /// The attribute, as `Entity.attribute`.
    let name: String
    /// The table with the count.
    let table: String
    let triggers: [CountTrigger]
    let countStatement: String
  }

  /// The counts whose triggers are known.
  var keptCounts: [KeptCount] {
    derivedCounts.filter(\.hasKnownTriggers).map { count in
      KeptCount(
        name: "\(count.entityName).\(count.attributeName)", table: count.table,
        triggers: count.destinationTriggers + [count.sourceTrigger], countStatement: count.countStatement)
    }
  }

  /// The statements that compute those counts, to be run when all rows exist.
  var countStatements: [String] { derivedCounts.map(\.countStatement) }

  /// The parts of a new Core Data store of this model that stores written here lack.
  ///
  /// Spatial indexes and indexes with expressions or predicates only make fetches faster. A derived attribute without
  /// triggers keeps the value from the migration until the app saves its instance with Core Data.
  package var omissions: [Omission] {
    let names = model.entitiesByName
    return tables.flatMap(\.entityNames).compactMap { names[$0] }.flatMap { entity in
      entity.ownAttributes.filter { $0.isDerived && !$0.isTransient }
        .filter { DerivedCount($0, of: entity, in: self)?.hasKnownTriggers != true }
        .map { Omission(kind: .derivedAttributeTriggers, entityName: entity.name, name: $0.name) }
        + entity.fetchIndexes.compactMap { index in
          Self.omission(index).map { Omission(kind: $0, entityName: entity.name, name: index.name) }
        }
    }
  }

  /// Whether a store written here has the values of a derived attribute: it computes counts only.
  package func computesValues(of attribute: AttributeDescription, _ entity: EntityDescription) -> Bool {
    DerivedCount(attribute, of: entity, in: self) != nil
  }

  private var derivedCounts: [DerivedCount] {
    let names = model.entitiesByName
    return tables.flatMap(\.entityNames).compactMap { names[$0] }.flatMap { entity in
      entity.ownAttributes.compactMap { $0.isTransient ? nil : DerivedCount($0, of: entity, in: self) }
    }
  }

  private static func omission(_ index: FetchIndexDescription) -> Omission.Kind? {
    if index.elements.contains(where: { $0.collationType == .rTree }) { return .spatialIndex }
    if index.partialIndexPredicate != nil { return .partialIndex }
    let hasExpression = index.elements.contains { element in
      if case .expression = element.subject { true } else { false }
    }
    return hasExpression ? .expressionIndex : nil
  }

  /// A part that Core Data would have written.
  package struct Omission: Sendable, Hashable {
    /// The kinds of missing parts.
    package enum Kind: Sendable, Hashable {
      /// The triggers that keep a derived attribute up to date.
      case derivedAttributeTriggers
      /// An index of areas or ranges, which is a virtual table of SQLite.
      case spatialIndex
      /// An index of some instances only.
      case partialIndex
      /// An index that sorts by an expression.
      case expressionIndex
    }

    /// The missing part.
    package let kind: Kind
    /// The entity that declares it.
    package let entityName: String
    /// The name of the attribute or index.
    package let name: String
  }
}
