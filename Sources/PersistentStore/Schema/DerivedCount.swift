internal import DataModel

/// A derived attribute that counts the destinations of a relationship: `count:(pages)` or `pages.@count`.
///
/// The relationship is to-many, and its inverse is to-one.
///
/// Core Data keeps such a count with triggers. They call functions that only Core Data has, so only Core Data can write
/// to these tables afterwards; that is so in its own stores as well. Their text is that of stores which Core Data wrote,
/// and known where both entities are roots.
struct DerivedCount {
  let entityName: String
  let attributeName: String
  /// The table with the count.
  let table: String
  /// The column with the count.
  let column: String
  /// The numbers of the entities that have the attribute, where the table holds others too.
  let entityNumbers: [Int]?
  /// The table of the destinations.
  let destinationTable: String
  /// The column in it that leads back.
  let key: String
  /// Whether the text of Core Data's triggers is known.
  let hasKnownTriggers: Bool

  init?(_ attribute: AttributeDescription, of entity: EntityDescription, in schema: StoreSchema) {
    guard let expression = attribute.derivationExpression, attribute.derivationFilterPredicate == nil,
      let relationship = Self.countedRelationship(expression).flatMap(entity.relationship(named:)),
      relationship.isToMany, !relationship.isTransient, let inverseName = relationship.inverseName,
      let destination = schema.model.entity(named: relationship.destinationEntityName),
      let inverse = destination.relationship(named: inverseName), !inverse.isToMany, !inverse.isTransient,
      let table = schema.table(forEntityNamed: entity.name),
      let column = schema.column(forProperty: attribute.name, ofEntityNamed: entity.name),
      let destinationTable = schema.table(forEntityNamed: destination.name),
      let key = schema.column(forProperty: inverseName, ofEntityNamed: destination.name)
    else { return nil }
    entityName = entity.name
    attributeName = attribute.name
    self.table = table.name
    self.column = column.name
    let owners = table.entityNames.filter { schema.model.lineage(of: $0).contains(entity.name) }
    entityNumbers = owners.count == table.entityNames.count ? nil : owners.map { schema.entityNumber($0) }
    self.destinationTable = destinationTable.name
    self.key = key.name
    hasKnownTriggers = entity.superentityName == nil && destination.superentityName == nil
  }

  private static func countedRelationship(_ expression: String) -> String? {
    let text = expression.filter { $0 != " " }
    if text.hasSuffix(".@count") { return String(text.dropLast(".@count".count)) }
    guard text.hasPrefix("count:("), text.hasSuffix(")") else { return nil }
    return String(text.dropFirst("count:(".count).dropLast())
  }
}
