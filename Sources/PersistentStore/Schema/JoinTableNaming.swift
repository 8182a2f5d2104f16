internal import DataModel

/// Which side names the table of a many-to-many relationship, where the model alone does not decide it for certain.
///
/// That is so for two relationships of one entity. A person's word counts most. Then comes what a store has that was
/// written by Core Data with the same properties, then the rule, see `JoinTableRule`.
public struct JoinTableNaming: Sendable, Hashable {
  /// The relationships that name their tables because a person says so: `Entity.relationship`.
  public var chosen: [String]
  private var found: [Pair: JoinTableEnd] = [:]

  /// Leaves all to the rule, but for what a person says.
  public init(chosen: [String] = []) { self.chosen = chosen }

  /// Keeps the names that the tables of a store have, as long as the properties of their entities stay the same.
  public init(chosen: [String] = [], foundIn schema: StoreSchema) {
    self.chosen = chosen
    let byName = schema.model.entitiesByName
    for table in schema.joinTables {
      let (naming, inverse) = (JoinTableEnd(table.naming), JoinTableEnd(table.inverse))
      found[Pair(naming, inverse, in: byName)] = naming
    }
  }

  /// Two relationships with all that decides their table's name.
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

    /// The same under the names that the entities had before.
    func renamed(_ byName: [String: EntityDescription]) -> Pair {
      Pair(ends: Set(ends.map { $0.renamed(byName) }), properties: properties)
    }
  }

  /// The end that names the table in a store, where its properties are the same; named as in the model.
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
