internal import CoreDataExpressions
package import DataModel
internal import MappingModels
package import PersistentStore

/// A route from links between rows of two entities of the old store to links of a relationship of the new one.
struct LinkRoute: Hashable {
  /// The place of the owners' route among all.
  let owner: Int
  /// The place of the destinations' route.
  let target: Int
  /// The relationship of the owner's entity.
  let relationship: String
  /// The storage of the links in the old store.
  private(set) var storage: LinkStorage
  /// Whether an owner could have only one destination in any of the versions.
  let hasOneTarget: Bool
  /// Whether a destination could have only one owner in any of the versions.
  let hasOneOwner: Bool
  /// Whether a version before the last one had room for only some of the links.
  private(set) var wasNarrowed = false
  /// Whether a version has room for fewer links than the old store's.
  private(set) var isNarrowed = false

  /// Whether the old store keeps a key at each end of a link: it leads to one both ways from the first version on.
  var keepsBothEnds: Bool { hasOneTarget && hasOneOwner && !wasNarrowed && !isNarrowed }

  /// Extends the route to a relationship of another version.
  func extended(
    owner: Int, target: Int, as relationship: RelationshipDescription, in model: ManagedObjectModel
  ) -> LinkRoute {
    var route = LinkRoute(
      owner: owner, target: target, relationship: relationship.name, storage: storage,
      hasOneTarget: hasOneTarget || !relationship.isToMany,
      hasOneOwner: hasOneOwner || relationship.hasOneOwner(in: model))
    route.wasNarrowed = wasNarrowed || isNarrowed
    route.isNarrowed = isNarrowed || route.hasOneTarget != hasOneTarget || route.hasOneOwner != hasOneOwner
    // An order that a version does not keep is lost, though a later one may keep another.
    if !relationship.isOrdered { route.storage.place = nil }
    if relationship.inverse(in: model)?.isOrdered != true { route.storage.inversePlace = nil }
    return route
  }

  /// The same links, seen from the other end.
  func reversed(as relationship: String) -> LinkRoute {
    var route = LinkRoute(
      owner: target, target: owner, relationship: relationship, storage: storage.reversed,
      hasOneTarget: hasOneOwner, hasOneOwner: hasOneTarget)
    (route.wasNarrowed, route.isNarrowed) = (wasNarrowed, isNarrowed)
    return route
  }
}

extension RelationshipDescription {
  /// The inverse relationship.
  func inverse(in model: ManagedObjectModel) -> RelationshipDescription? {
    inverseName.flatMap { model.entity(named: destinationEntityName)?.relationship(named: $0) }
  }

  /// Whether a destination has only one owner: without an inverse, its row holds the key of that owner.
  func hasOneOwner(in model: ManagedObjectModel) -> Bool {
    inverse(in: model).map { !$0.isToMany } ?? isToMany
  }
}

/// The storage of a relationship's links in a store.
package struct LinkStorage: Hashable {
  package let table: String
  /// The column with the keys of the instances that have the relationship.
  package let owner: String
  /// The column with the keys of its destinations.
  package let target: String
  /// The column with the destination's place among those of its owner.
  package var place: String?
  /// The column with the owner's place among those of its destination.
  var inversePlace: String?
  /// Whether each row is a link in both directions.
  var isMutual = false

  package var reversed: LinkStorage {
    LinkStorage(
      table: table, owner: target, target: owner, place: inversePlace, inversePlace: place, isMutual: isMutual)
  }

  private init(
    table: String, owner: String, target: String, place: String?, inversePlace: String?, isMutual: Bool = false
  ) {
    (self.table, self.owner, self.target) = (table, owner, target)
    (self.place, self.inversePlace, self.isMutual) = (place, inversePlace, isMutual)
  }

  /// The end whose rows have the keys of the other: 1 for the owners, 2 for their destinations, 3 for neither or both.
  package var end: Int64 {
    switch (owner == "Z_PK", target == "Z_PK") {
    case (true, false): 1
    case (false, true): 2
    default: 3
    }
  }

  /// The rows of a table, each linked with itself.
  package init(itselfIn table: String) {
    self.init(table: table, owner: "Z_PK", target: "Z_PK", place: nil, inversePlace: nil)
  }

  /// Finds where the links of a relationship are, own or inherited; `nil` if they are not stored.
  package init?(_ relationship: RelationshipDescription, ofEntityNamed entity: String, in schema: StoreSchema) {
    let lineage = schema.model.lineage(of: entity)
    if relationship.isToMany,
      let join = schema.joinTable(forRelationship: relationship.name, ofEntityNamed: entity)
    {
      let isNaming = lineage.contains(join.naming.entityName) && join.naming.relationshipName == relationship.name
      let (here, there) = isNaming ? (join.naming, join.inverse) : (join.inverse, join.naming)
      // A column is named after the relationship whose destinations it holds.
      self.init(
        table: join.name, owner: there.destinationColumn, target: here.destinationColumn, place: here.orderColumn,
        inversePlace: there.orderColumn, isMutual: join.isReflexive)
      return
    }
    // The key is in the row of the to-one side; without an inverse, in the destination's row under the owner's name.
    let holder = relationship.isToMany ? relationship.destinationEntityName : entity
    let property = relationship.isToMany ? relationship.inverseName ?? relationship.name : relationship.name
    let declaring =
      relationship.isToMany && relationship.inverseName == nil ? lineage : schema.model.lineage(of: holder)
    guard let table = schema.table(forEntityNamed: holder),
      let key = table.columns.first(where: {
        $0.content == .foreignKey && $0.propertyName == property && declaring.contains($0.entityName)
      })
    else { return nil }
    let order = table.columns.first {
      $0.content == .order && $0.propertyName == property && $0.entityName == key.entityName
    }
    self.init(table: table.name, owner: "Z_PK", target: key.name, place: nil, inversePlace: order?.name)
    if relationship.isToMany { self = reversed }
  }

  /// The links with their places, from one row to another: `o` and `t` stand for their tables.
  func query(owners: String, targets: String, conditions: [String]) -> String {
    let (o, t) = (owner.quotedIdentifier, target.quotedIdentifier)
    let places = [place, inversePlace].map { $0.map { "j.\($0.quotedIdentifier)" } ?? "NULL" }.joined(separator: ", ")
    func select(_ o: String, _ t: String) -> String {
      """
      SELECT j.\(o), j.\(t), \(places) FROM \(table.quotedIdentifier) j
      CROSS JOIN \(owners.quotedIdentifier) o ON o.Z_PK = j.\(o)
      CROSS JOIN \(targets.quotedIdentifier) t ON t.Z_PK = j.\(t)
      \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
      """
    }
    return isMutual ? "\(select(o, t)) UNION \(select(t, o))" : select(o, t)
  }

  /// All links with their places, in the order of the keys.
  var sortedQuery: String {
    let (o, t, table) = (owner.quotedIdentifier, target.quotedIdentifier, table.quotedIdentifier)
    if isMutual {
      return
        "SELECT \(o), \(t), NULL, NULL FROM \(table) UNION SELECT \(t), \(o), NULL, NULL FROM \(table) ORDER BY 1, 2"
    }
    let places = [place, inversePlace].map { $0?.quotedIdentifier ?? "NULL" }.joined(separator: ", ")
    return "SELECT \(o), \(t), \(places) FROM \(table) WHERE \(o) IS NOT NULL AND \(t) IS NOT NULL ORDER BY 1, 2"
  }
}

/// The expression of a relationship mapping that only follows links.
struct LinkExpression {
  /// The relationship of the source that it follows; `nil` for the source instance itself.
  let key: String?
  /// The mapping that has made the destinations; `nil` for any.
  let mappingName: String?

  init?(_ expression: Expression) {
    guard case .function(.variable("manager")?, let selector, let arguments) = expression, arguments.count == 2,
      case .constant(.string(let name)) = arguments[0]
    else { return nil }
    key = arguments[1].copiedSourceKey
    switch selector {
    case ManagerFunctions.destinationInstances where key != nil || arguments[1] == .source: mappingName = name
    case ManagerFunctions.destinationInstancesForSourceRelationship where key == name: mappingName = nil
    default: return nil
    }
  }
}
