internal import DataModel

/// The table of a many-to-many relationship and its inverse.
///
/// The column that is named after a relationship holds the primary keys of that relationship's destination.
package struct JoinTable: Sendable, Hashable {
  /// One of the two sides.
  package struct Side: Sendable, Hashable {
    /// The entity that declares the relationship.
    package let entityName: String
    /// The relationship of this side.
    package let relationshipName: String
    /// The column that holds the keys of the relationship's destination.
    package let destinationColumn: String
    /// The column with the order of the destinations, if the relationship is ordered.
    package let orderColumn: String?
  }

  /// The name of the table.
  package let name: String
  /// The side that the table is named after.
  ///
  /// Its destination column comes second.
  package let naming: Side
  /// The other side.
  ///
  /// Its destination column comes first.
  package let inverse: Side

  /// The rows from the point of view of one of the two relationships.
  package struct Links: Sendable, Hashable {
    package let table: JoinTable
    fileprivate let relationship: Side
    fileprivate let inverse: Side

    /// The column with the keys of the instances that have the relationship.
    package var sourceColumn: String { inverse.destinationColumn }
    /// The column with the keys of their destinations.
    package var destinationColumn: String { relationship.destinationColumn }
    /// The column with the order of the destinations of an instance, if the relationship is ordered.
    package var orderColumn: String? { relationship.orderColumn }
    /// The column with the order of the inverse's destinations, if that is ordered.
    package var inverseOrderColumn: String? { inverse.orderColumn }
    /// The entity that declares the relationship.
    package var entityName: String { relationship.entityName }
    /// The name of the relationship.
    package var relationshipName: String { relationship.relationshipName }
    /// Whether the table is named after the relationship, and not after its inverse.
    package var isNaming: Bool { relationship == table.naming }
  }

  /// The rows from the point of view of the relationship that the table is named after.
  package var namingLinks: Links { Links(table: self, relationship: naming, inverse: inverse) }
  /// The rows from the point of view of the other relationship.
  package var inverseLinks: Links { Links(table: self, relationship: inverse, inverse: naming) }
  /// Whether either side is ordered; a reflexive table has no order columns.
  package var isOrdered: Bool { !isReflexive && !orderColumns.isEmpty }

  /// Whether the relationship is its own inverse.
  package var isReflexive: Bool { inverse.destinationColumn == "REFLEXIVE" }

  /// The two key columns, in their order.
  package var keyColumns: [String] {
    let columns = [inverse.destinationColumn, naming.destinationColumn]
    return isReflexive ? columns.reversed() : columns
  }

  /// The order columns, in their order.
  package var orderColumns: [String] { [inverse.orderColumn, naming.orderColumn].compactMap { $0 } }

  /// The statement that creates the table, with Core Data's spacing.
  package var createStatement: String {
    let keys = keyColumns
    let list = (keys + orderColumns).map { "\($0.schemaIdentifier) INTEGER" }.joined(separator: ", ")
    let key = keys.map(\.schemaIdentifier).joined(separator: ", ")
    return "CREATE TABLE \(name.schemaIdentifier) ( \(list), PRIMARY KEY (\(key)) )"
  }

  /// The primary key, whose index SQLite makes with the table.
  var key: SchemaIndex { SchemaIndex(name: "", table: name, columns: keyColumns, purpose: .uniqueness) }

  /// The index for the other direction.
  var index: SchemaIndex {
    SchemaIndex(name: "\(name)_\(keyColumns[1])_INDEX", table: name, columns: keyColumns.reversed(), purpose: .key)
  }

  /// The statement that creates the index for the other direction.
  package var indexStatement: String { index.createStatement }
}

extension JoinTable {
  /// The tables of a model, each with whether its name is a best guess.
  static func all(
    in model: ManagedObjectModel, numbering: EntityNumbering, naming: JoinTableNaming = JoinTableNaming()
  ) -> [(table: JoinTable, isDoubtful: Bool)] {
    let byName = model.entitiesByName
    let sides = NamingSide(byName, naming)
    var pairs: [Pair] = []
    for entity in model.entities {
      for relationship in entity.ownRelationships where relationship.isToMany && !relationship.isTransient {
        guard let inverseName = relationship.inverseName,
          let owner = byName.owner(of: inverseName, from: relationship.destinationEntityName),
          let inverse = owner.ownRelationships.first(where: { $0.name == inverseName }), inverse.isToMany
        else { continue }
        let here = End(entity: entity.name, relationship: relationship)
        let there = End(entity: owner.name, relationship: inverse)
        // Each pair is found from both sides, and kept when it is found from the naming side.
        let (isHere, isDoubtful) = sides.isNaming(here.identity, over: there.identity)
        if isHere { pairs.append(Pair(naming: here, inverse: there, isDoubtful: isDoubtful)) }
      }
    }
    pairs.sort { sides.smallestNames.precedes($0.naming, $1.naming) }
    var names = UniqueNames(Set(FoundColumns.fixed))
    return pairs.map { ($0.table(numbering, &names), $0.isDoubtful) }
  }

  fileprivate struct End {
    let entity: String
    let relationship: RelationshipDescription

    var identity: JoinTableEnd { JoinTableEnd(entity: entity, relationship: relationship.name) }
  }

  /// Decides which side names a table.
  private struct NamingSide {
    let smallestNames: SmallestNames
    private let byName: [String: EntityDescription]
    private let naming: JoinTableNaming
    private let chosen: Set<JoinTableEnd>

    init(_ byName: [String: EntityDescription], _ naming: JoinTableNaming) {
      (self.byName, self.naming) = (byName, naming)
      smallestNames = SmallestNames(byName)
      chosen = Set(
        naming.chosen.compactMap { JoinTableEnd($0) }.map { end in
          // The user may have named an entity that inherits the relationship.
          let owner = byName.owner(of: end.relationship, from: end.entity)?.name
          return JoinTableEnd(entity: owner ?? end.entity, relationship: end.relationship)
        })
    }

    func isNaming(_ end: JoinTableEnd, over other: JoinTableEnd) -> (Bool, isDoubtful: Bool) {
      if end == other { return (true, false) }
      if chosen.contains(end) != chosen.contains(other) { return (chosen.contains(end), false) }
      if end.entity == other.entity {
        if let found = naming.found(end, other, in: byName) { return (found == end, false) }
        guard let entity = byName[end.entity] else { return (false, true) }
        let (name, isCertain) = JoinTableRule(entity).naming(end.relationship, other.relationship)
        return (name == end.relationship, !isCertain)
      }
      // The side with the smaller name of entity or descendant names the table.
      let (name, otherName) = (smallestNames[end.entity], smallestNames[other.entity])
      if name != otherName { return (name.precedesByBytes(otherName), false) }
      // An entity and its ancestor may share the smallest name; Core Data's rule for that is not known.
      if let found = naming.found(end, other, in: byName) { return (found == end, false) }
      return (end.entity.precedesByBytes(other.entity), true)
    }
  }

  fileprivate struct Pair {
    let naming: End
    let inverse: End
    let isDoubtful: Bool

    func table(_ numbering: EntityNumbering, _ names: inout UniqueNames) -> JoinTable {
      let isReflexive = naming.entity == inverse.entity && naming.relationship.name == inverse.relationship.name
      let namingName = naming.relationship.name.uppercased()
      let inverseName = inverse.relationship.name.uppercased()
      // A column carries the number of the entity whose keys it holds.
      let inverseColumn = isReflexive ? "REFLEXIVE" : names.unique("Z_\(numbering[naming.entity])\(inverseName)")
      let namingColumn = names.unique("Z_\(numbering[inverse.entity])\(namingName)")
      func order(_ end: End, _ column: String) -> String? {
        end.relationship.isOrdered ? "Z_FOK_\(column.dropFirst(2))" : nil
      }
      return JoinTable(
        name: "Z_\(numbering[naming.entity])\(namingName)",
        naming: Side(
          entityName: naming.entity, relationshipName: naming.relationship.name, destinationColumn: namingColumn,
          orderColumn: order(naming, namingColumn)),
        inverse: Side(
          entityName: inverse.entity, relationshipName: inverse.relationship.name, destinationColumn: inverseColumn,
          orderColumn: isReflexive ? nil : order(inverse, inverseColumn)))
    }
  }

  /// The smallest name, by bytes, among each entity and all its descendants.
  fileprivate struct SmallestNames {
    private var names: [String: String] = [:]

    init(_ byName: [String: EntityDescription]) {
      for entity in byName.values {
        var ancestor = entity.superentityName
        keep(entity.name, for: entity.name)
        while let name = ancestor {
          keep(entity.name, for: name)
          ancestor = byName[name]?.superentityName
        }
      }
    }

    private mutating func keep(_ candidate: String, for name: String) {
      if let known = names[name], !candidate.precedesByBytes(known) { return }
      names[name] = candidate
    }

    subscript(name: String) -> String { names[name] ?? name }

    func precedes(_ left: End, _ right: End) -> Bool {
      let (leftName, rightName) = (self[left.entity], self[right.entity])
      return leftName == rightName
        ? left.relationship.name.precedesByBytes(right.relationship.name) : leftName.precedesByBytes(rightName)
    }
  }
}

extension [String: EntityDescription] {
  /// The entity among this one and its ancestors that declares a relationship itself.
  fileprivate func owner(of relationship: String, from entityName: String) -> EntityDescription? {
    var entity = self[entityName]
    while let current = entity {
      if current.ownRelationships.contains(where: { $0.name == relationship }) { return current }
      entity = current.superentityName.flatMap { self[$0] }
    }
    return nil
  }
}

/// Which side names the table of a many-to-many relationship, if the model alone does not decide it for certain.
///
/// That is the case for two relationships of one entity. The user's choice comes first, then the name in a store that Core
/// Data wrote with the same properties, then `JoinTableRule`.
package struct JoinTableNaming: Sendable, Hashable {
  /// The relationships that name their tables by the user's choice: `Entity.relationship`.
  package var chosen: [String]
  private var found: [Pair: JoinTableEnd] = [:]

  /// Uses the rule, except for the user's choices.
  package init(chosen: [String] = []) { self.chosen = chosen }

  /// Uses the names of the tables in a store, as long as the properties of their entities stay the same.
  package init(chosen: [String] = [], foundIn schema: StoreSchema) {
    self.chosen = chosen
    let byName = schema.model.entitiesByName
    for table in schema.joinTables {
      let (naming, inverse) = (JoinTableEnd(table.naming), JoinTableEnd(table.inverse))
      found[Pair(naming, inverse, in: byName)] = naming
    }
  }

  /// Two relationships with everything that determines the name of their table.
  private struct Pair: Hashable {
    let ends: Set<JoinTableEnd>
    let properties: Set<[JoinTableRule.Property]>

    init(_ ends: JoinTableEnd..., in byName: [String: EntityDescription]) {
      self.ends = Set(ends)
      properties = Set(ends.compactMap { byName[$0.entity].map { JoinTableRule($0).properties } })
    }

    init(ends: Set<JoinTableEnd>, properties: Set<[JoinTableRule.Property]>) {
      (self.ends, self.properties) = (ends, properties)
    }

    /// The same pair with the former names of the entities.
    func renamed(_ byName: [String: EntityDescription]) -> Pair {
      Pair(ends: Set(ends.map { $0.renamed(byName) }), properties: properties)
    }
  }

  /// The end that names the table in a store with the same properties, with its name in the model.
  func found(_ one: JoinTableEnd, _ other: JoinTableEnd, in byName: [String: EntityDescription]) -> JoinTableEnd? {
    guard !found.isEmpty else { return nil }
    let pair = Pair(one, other, in: byName)
    if let naming = found[pair] { return naming }
    guard let naming = found[pair.renamed(byName)] else { return nil }
    return [one, other].first { $0.renamed(byName) == naming }
  }
}

/// One of the two relationships of a join table, with the entity that declares it.
struct JoinTableEnd: Hashable {
  let entity: String
  let relationship: String

  init(entity: String, relationship: String) {
    (self.entity, self.relationship) = (entity, relationship)
  }

  /// Reads `Entity.relationship`.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts.contains("") else { return nil }
    self.init(entity: parts[0], relationship: parts[1])
  }

  init(_ side: JoinTable.Side) {
    self.init(entity: side.entityName, relationship: side.relationshipName)
  }

  fileprivate func renamed(_ byName: [String: EntityDescription]) -> JoinTableEnd {
    JoinTableEnd(entity: byName[entity]?.renamingIdentifier ?? entity, relationship: relationship)
  }
}

/// Which of two relationships of one entity, each the other's inverse, names their join table.
///
/// The names of an entity's properties are in a hash table with the layout of CoreFoundation on 32-bit Mac OS X 10.4, which
/// has been kept ever since. The relationship that comes first in it names the table. This explains all known tables of
/// stores that Core Data wrote; a few details of the hash table are uncertain, see ``Variant``.
struct JoinTableRule {
  /// The aspects of a property that the rule uses.
  struct Property: Hashable {
    enum Kind { case attribute, toOne, toMany }

    let name: String
    let kind: Kind
    let isTransient: Bool
  }

  /// The properties, inherited ones included, in the order in which they are inserted.
  let properties: [Property]
  /// Whether the known cases apply to the entity: none is known with parents or children.
  private let isKnownCase: Bool

  init(_ entity: EntityDescription) {
    let attributes = entity.attributes.map {
      Property(name: $0.name, kind: .attribute, isTransient: $0.isTransient)
    }
    let relationships = entity.relationships.map {
      Property(name: $0.name, kind: $0.isToMany ? .toMany : .toOne, isTransient: $0.isTransient)
    }
    properties = (attributes + relationships).sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
    isKnownCase =
      entity.superentityName == nil && entity.subentityNames.isEmpty && entity.ownFetchedProperties.isEmpty
      && entity.ownComposites.isEmpty && properties.allSatisfy { $0.name.utf16.count <= Self.lengthLimit }
  }

  /// The relationship that names the table, and whether all uncertain details lead to the same one.
  func naming(_ first: String, _ second: String) -> (name: String, isCertain: Bool) {
    var answers: [String] = []
    for variant in Variant.all {
      let keys = keys(variant)
      guard let slots = Self.slots(keys, variant), let name = slots.first(where: { $0 == first || $0 == second }) else {
        return (first.precedesByBytes(second) ? first : second, false)
      }
      answers.append(name)
      if keys.count > Self.countLimit { return (answers[0], false) }
    }
    return (answers[0], isKnownCase && Set(answers).count == 1)
  }

  /// CoreFoundation hashes longer strings another way, and no case of one is known.
  private static let lengthLimit = 96
  /// No case with more keys is known.
  private static let countLimit = 47

  /// The uncertain details of the hash table.
  ///
  /// The first variant explains all known cases; each of the others could turn out to be right for an unknown one.
  private struct Variant {
    var hasForeignKeys = true
    var hasTransientProperties = true
    var beginsWithFixedColumns = false
    var refillsUpwards = false

    static let all: [Variant] = [true, false].flatMap { hasForeignKeys in
      [true, false].flatMap { hasTransientProperties in
        [false, true].flatMap { beginsWithFixedColumns in
          [false, true].map { refillsUpwards in
            Variant(
              hasForeignKeys: hasForeignKeys, hasTransientProperties: hasTransientProperties,
              beginsWithFixedColumns: beginsWithFixedColumns, refillsUpwards: refillsUpwards)
          }
        }
      }
    }
  }

  /// The inserted keys, in order.
  private func keys(_ variant: Variant) -> [String] {
    let names = properties.filter { variant.hasTransientProperties || !$0.isTransient }.flatMap { property in
      variant.hasForeignKeys && property.kind == .toOne
        ? [property.name, "Z" + property.name.uppercased()] : [property.name]
    }
    let fixed = ["Z_PK", "Z_ENT", "Z_OPT"]
    return variant.beginsWithFixedColumns ? fixed + names : names + fixed
  }

  /// The capacity of each table, and its number of slots.
  private static let sizes = [
    (4, 5), (8, 11), (17, 23), (29, 41), (47, 67), (76, 113), (123, 199), (199, 317), (322, 521), (521, 839),
    (843, 1361),
  ]

  /// The keys in the order of their slots; `nil` for more keys than any table takes.
  private static func slots(_ keys: [String], _ variant: Variant) -> [String]? {
    var slots: [String?] = []
    var known: Set<String> = []
    var sizes = Self.sizes.makeIterator()
    var limit = 0
    for key in keys where !known.contains(key) {
      if known.count == limit {
        guard let (next, slotCount) = sizes.next() else { return nil }
        let kept = slots.compactMap { $0 }
        slots = Array(repeating: nil, count: slotCount)
        for old in variant.refillsUpwards ? kept : kept.reversed() { insert(old, into: &slots) }
        limit = next
      }
      insert(key, into: &slots)
      known.insert(key)
    }
    return slots.compactMap { $0 }
  }

  private static func insert(_ key: String, into slots: inout [String?]) {
    var slot = Int(hash(key)) % slots.count
    while slots[slot] != nil { slot = (slot + 1) % slots.count }
    slots[slot] = key
  }

  /// CoreFoundation's hash of a string, as it was with 32 bits.
  private static func hash(_ name: String) -> UInt32 {
    let units = name.utf16.map { UInt32($0) }
    var result = UInt32(truncatingIfNeeded: units.count)
    var rest = units[...]
    while rest.count >= 4 {
      let four = Array(rest.prefix(4))
      result = result &* 67_503_105 &+ four[0] &* 16_974_593 &+ four[1] &* 66_049 &+ four[2] &* 257 &+ four[3]
      rest = rest.dropFirst(4)
    }
    for unit in rest { result = result &* 257 &+ unit }
    return result &+ (result << UInt32(units.count % 32))
  }
}
