internal import CoreDataExpressions
package import DataModel
internal import MappingModels
package import PersistentStore
internal import SQLiteDatabase

/// The origin of the rows, values and links of a new store, as far as its mapping models give it without being run.
package struct Lineage {
  /// The routes of rows to the new store.
  package private(set) var routes: [RowRoute]
  /// The routes of links to the new store.
  private(set) var links: Set<LinkRoute>
  /// The entities whose rows cannot be derived, and why.
  private(set) var opaqueEntities: [String: String] = [:]
  /// The relationships whose links cannot be derived, and why.
  private(set) var opaqueRelationships: [RelationshipEnd: String] = [:]
  /// The old entities whose rows the mapping models drop.
  private(set) var removedEntities: [String] = []
  /// The version after the hops so far.
  private(set) var model: ManagedObjectModel
  /// The old store's table of an entity.
  private let table: (_ entity: String) -> String?

  /// Creates the lineage before the first hop.
  package init(_ schema: StoreSchema) {
    model = schema.model
    table = { schema.table(forEntityNamed: $0)?.name }
    let concrete = model.entities.filter { !$0.isAbstract }
    routes = concrete.map { RowRoute($0) }
    links = []
    let places = Dictionary(concrete.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    for (owner, entity) in concrete.enumerated() {
      for relationship in entity.relationships where !relationship.isTransient {
        guard let storage = LinkStorage(relationship, ofEntityNamed: entity.name, in: schema) else { continue }
        for target in model.tree(of: relationship.destinationEntityName).compactMap({ places[$0] }) {
          links.insert(
            LinkRoute(
              owner: owner, target: target, relationship: relationship.name, storage: storage,
              hasOneTarget: !relationship.isToMany, hasOneOwner: relationship.hasOneOwner(in: model)))
        }
      }
    }
    addInverses()
  }

  /// Creates the lineage of a migration in which the rows of every old entity keep their entity, and all others are new.
  package init(_ schema: StoreSchema, keptIn model: ManagedObjectModel) {
    self.init(schema)
    self.model = model
    for entity in model.entities where table(entity.name) == nil { opaqueEntities[entity.name] = "its rows are new" }
  }

  /// Adds a hop.
  mutating func follow(_ hop: MappedHop) {
    var next = self
    next.model = hop.destination
    next.opaqueEntities = opaqueEntities(after: hop)
    (next.routes, next.links, next.opaqueRelationships) = ([], [], [:])
    /// The continuations of each route.
    var extensions: [[(mapping: EntityMapping, place: Int)]] = []
    let keepsKeys = hop.keepsKeys
    let moved = Set(hop.mappings.filter(\.movesInstances).compactMap(\.sourceEntityName))
    // Rows that come by two routes are dropped only if both end.
    let kept = Set(routes.filter { moved.contains($0.destination) }.map(\.source))
    let mappingsBySource = Dictionary(grouping: hop.mappings.enumerated().filter(\.element.movesInstances)) {
      $0.element.sourceEntityName
    }
    for route in routes {
      let mappings = mappingsBySource[route.destination] ?? []
      if !kept.contains(route.source), !next.removedEntities.contains(route.source) {
        next.removedEntities.append(route.source)
      }
      var places: [(EntityMapping, Int)] = []
      for (position, mapping) in mappings where mapping.entityMigrationPolicyClassName == nil {
        guard next.opaqueEntities[mapping.destinationEntityName ?? ""] == nil,
          let extended = route.extended(by: mapping, at: position, in: hop, keepsKeys: keepsKeys)
        else { continue }
        places.append((mapping, next.routes.count))
        next.routes.append(extended)
      }
      extensions.append(places)
    }
    let linksByOwner = Dictionary(grouping: links, by: \.owner)
    for (place, route) in routes.enumerated() {
      for (mapping, owner) in extensions[place] {
        follow(mapping, from: route.destination, (place, owner), linksByOwner[place] ?? [], extensions, &next)
      }
    }
    next.forget(hop.changes)
    next.forgetContradictions(of: extensions.flatMap(\.self))
    next.addInverses()
    self = next
  }

  /// Follows the links that a mapping gives its instances.
  ///
  /// - Parameter links: Those that the route has so far.
  private func follow(
    _ mapping: EntityMapping, from source: String, _ owner: (old: Int, new: Int), _ links: [LinkRoute],
    _ extensions: [[(mapping: EntityMapping, place: Int)]], _ next: inout Lineage
  ) {
    for relationshipMapping in mapping.relationshipMappings {
      guard let expression = relationshipMapping.valueExpression,
        let entity = mapping.destinationEntityName.flatMap({ next.model.entity(named: $0) }),
        let relationship = entity.relationship(named: relationshipMapping.name), !relationship.isTransient
      else { continue }
      let isAlone = mapping.relationshipMappings.count { $0.name == relationship.name } == 1
      guard isAlone, let form = LinkExpression(expression) else {
        next.forget(relationship, of: entity.name, "'\(expression)' gives its destinations")
        continue
      }
      let family = next.model.tree(of: relationship.destinationEntityName)
      func targets(of old: Int) -> [Int] {
        extensions[old].filter { form.mappingName == nil || $0.mapping.name == form.mappingName }.map(\.place)
          .filter { family.contains(next.routes[$0].destination) }
      }
      guard let key = form.key else {
        // A row is linked with another row that the same old row has become.
        for target in targets(of: owner.old) {
          guard let table = table(routes[owner.old].source) else { continue }
          let link = LinkRoute(
            owner: owner.new, target: target, relationship: relationship.name, storage: LinkStorage(itselfIn: table),
            hasOneTarget: false, hasOneOwner: false)
          next.links.insert(link.extended(owner: owner.new, target: target, as: relationship, in: next.model))
        }
        continue
      }
      if let reason = reason(key, of: source) { next.forget(relationship, of: entity.name, reason) }
      for link in links where link.relationship == key {
        for target in targets(of: link.target) {
          next.links.insert(link.extended(owner: owner.new, target: target, as: relationship, in: next.model))
        }
      }
    }
  }

  /// The entities of which this hop or an earlier one may make rows that cannot be derived.
  private func opaqueEntities(after hop: MappedHop) -> [String: String] {
    var reasons: [String: String] = [:]
    for mapping in hop.mappings where mapping.movesInstances {
      guard let source = mapping.sourceEntityName, let destination = mapping.destinationEntityName else { continue }
      if let reason = mapping.entityMigrationPolicyClassName.map({ "the policy '\($0)' makes the rows" })
        ?? opaqueEntities[source]
      {
        reasons[destination] = reason
      }
    }
    for entity in hop.changes.entities { reasons[entity] = StageChanges.reason }
    guard let policy = hop.policyName else { return reasons }
    let filled = Set(hop.mappings.filter(\.movesInstances).compactMap(\.destinationEntityName))
    for entity in hop.destination.entities where !entity.isAbstract && !filled.contains(entity.name) {
      reasons[entity.name] = "the policy '\(policy)' may make rows"
    }
    return reasons
  }

  /// Returns the reason why the links of a relationship cannot be derived; `nil` if they can.
  package func reason(_ relationship: String, of entity: String) -> String? {
    guard let found = model.entity(named: entity)?.relationship(named: relationship) else { return nil }
    if let end = RelationshipEnd(found, of: entity, in: model), let reason = opaqueRelationships[end] { return reason }
    let owner = model.owner(ofRelationship: relationship, from: entity) ?? entity
    for name in model.tree(of: owner).union(model.tree(of: found.destinationEntityName)).sorted() {
      guard let reason = opaqueEntities[name] else { continue }
      return reason == StageChanges.reason
        ? "code of the app's migration plan changes the rows of '\(name)'" : "\(reason) of '\(name)'"
    }
    return nil
  }

  private mutating func forget(_ changes: StageChanges) {
    for property in changes.properties {
      for place in routes.indices where routes[place].destination == property.entity {
        routes[place].forget(property.name, StageChanges.reason)
      }
      if let relationship = model.entity(named: property.entity)?.relationship(named: property.name) {
        forget(relationship, of: property.entity, StageChanges.reason)
      }
    }
  }

  private mutating func forget(_ relationship: RelationshipDescription, of entity: String, _ reason: String) {
    for end in [
      RelationshipEnd(relationship, of: entity, in: model),
      relationship.inverse(in: model).flatMap {
        RelationshipEnd($0, of: relationship.destinationEntityName, in: model)
      },
    ] {
      if let end { opaqueRelationships[end] = reason }
    }
  }

  /// Forgets relationships whose two ends are given different destinations: the order of the work decides which links
  /// remain.
  private mutating func forgetContradictions(of steps: [(mapping: EntityMapping, place: Int)]) {
    let mappings = Dictionary(steps.map { ($0.place, $0.mapping) }, uniquingKeysWith: { first, _ in first })
    for link in links {
      let entity = routes[link.owner].destination
      guard let relationship = model.entity(named: entity)?.relationship(named: link.relationship),
        let inverse = relationship.inverse(in: model), !links.contains(link.reversed(as: inverse.name)),
        mappings[link.target]?.relationshipMappings.contains(where: {
          $0.name == inverse.name && $0.valueExpression != nil
        }) == true
      else { continue }
      forget(relationship, of: entity, "its two ends are given different destinations")
    }
  }

  /// Adds the links that the inverse relationships get.
  private mutating func addInverses() {
    for link in links {
      let relationship = model.entity(named: routes[link.owner].destination)?.relationship(named: link.relationship)
      guard let inverse = relationship?.inverse(in: model), !inverse.isTransient else { continue }
      links.insert(link.reversed(as: inverse.name))
    }
  }
}

extension Lineage {
  /// The greatest key that rows of a root entity can have got; `nil` where a policy may make any number of them.
  ///
  /// - Parameter added: The entities of which policies have made rows besides.
  func mostKeys(ofRootEntity root: String, in old: StoreSide, added: [String: Int64] = [:]) throws -> Int64? {
    let family = model.tree(of: root)
    guard family.allSatisfy({ opaqueEntities[$0] == nil && added[$0] == nil }) else { return nil }
    /// The greatest key of an old root entity: a store that another program has written may not count its rows.
    func greatest(_ origin: String) throws -> Int64 {
      let number = Int64(old.schema.entityNumber(origin))
      let before = old.reader.primaryKeys.filter {
        $0.entityNumber == number || $0.superentityNumber == 0 && $0.entityName == origin
      }
      let table = old.schema.table(forEntityNamed: origin)?.name.quotedIdentifier
      let inUse = try table.flatMap { try old.connection.integer("SELECT max(Z_PK) FROM \($0)") } ?? 0
      return max(inUse, before.map(\.greatestKey).max() ?? 0)
    }
    let origins = routes.filter { family.contains($0.destination) }.map {
      old.schema.model.lineage(of: $0.source).last ?? $0.source
    }
    guard origins.isEmpty else { return try origins.reduce(0) { try $0 + greatest($1) } }
    // An entity that became abstract on the way has no rows, and keeps the greatest key that it had under any name.
    return try old.schema.model.entities.filter { $0.superentityName == nil }.map { try greatest($0.name) }.max() ?? 0
  }
}

/// A relationship, by the entity that declares it.
struct RelationshipEnd: Hashable {
  let entity: String
  let name: String

  init?(_ relationship: RelationshipDescription, of entity: String, in model: ManagedObjectModel) {
    guard let owner = model.owner(ofRelationship: relationship.name, from: entity) else { return nil }
    (self.entity, name) = (owner, relationship.name)
  }
}

extension MappedHop {
  /// Whether each row has to keep its primary key: no table gets rows of several others, nothing is computed, and there
  /// is not a policy.
  fileprivate var keepsKeys: Bool {
    var roots: [String: String] = [:]
    var seen: Set<String> = []
    for mapping in mappings where mapping.movesInstances {
      guard mapping.entityMigrationPolicyClassName == nil, let from = mapping.sourceEntityName,
        let to = mapping.destinationEntityName, let root = source.lineage(of: from).last,
        let newRoot = destination.lineage(of: to).last
      else { return false }
      if roots.updateValue(root, forKey: newRoot).map({ $0 != root }) == true { return false }
      guard seen.insert("\(newRoot)\n\(from)").inserted,
        mapping.relationshipMappings.allSatisfy({ $0.valueExpression.map { LinkExpression($0) != nil } ?? true }),
        mapping.attributeMappings.allSatisfy({ $0.valueExpression.map(\.isSimple) ?? true })
      else { return false }
    }
    return true
  }
}

extension Expression {
  /// Whether a value is copied, or is the same for all rows.
  fileprivate var isSimple: Bool {
    if case .ternary(.comparison, let yes, let no) = self { return yes.isSimple && no.isSimple }
    return copiedSourceKey != nil || isIndependent
  }
}
