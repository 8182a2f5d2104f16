internal import DataModel
internal import Expressions
internal import PersistentStore

/// Turns a mapping model into a plan, and collects what cannot be planned.
struct BulkPlanner {
  let mappingModel: MappingModel
  let source: StoreSchema
  let destination: StoreSchema
  private let batchMappings: Set<String>
  /// The mappings that carry rows over.
  private(set) var moves: [BulkMove] = []
  /// What the relationship mappings of each mapping give, by the mapping's place and the relationship's name.
  private(set) var contributions: [Int: [String: BulkContribution]] = [:]
  var plan = BulkPlan()
  var reasons: [BulkRefusal.Reason] = []

  init(_ mappingModel: MappingModel, source: StoreSchema, destination: StoreSchema, batchMappings: Set<String>) {
    self.mappingModel = mappingModel
    self.source = source
    self.destination = destination
    self.batchMappings = batchMappings
    for (index, mapping) in mappingModel.entityMappings.enumerated() { collect(mapping, index) }
    checkKeys()
    for move in moves { contributions[move.index] = contributions(of: move) }
  }

  private mutating func collect(_ mapping: EntityMapping, _ index: Int) {
    if let policy = mapping.entityMigrationPolicyClassName, !batchMappings.contains(mapping.name) {
      reasons.append(.customPolicy(policy, mapping: mapping.name))
    }
    guard mapping.mappingType != .add, mapping.mappingType != .remove, let from = mapping.sourceEntityName,
      let to = mapping.destinationEntityName
    else { return }
    if let move = BulkMove(index, mapping, source: source, destination: destination) {
      moves.append(move)
    } else {
      let isSourceKnown = source.table(forEntityNamed: from) != nil
      reasons.append(.unknownEntity(isSourceKnown ? to : from, mapping: mapping.name))
    }
  }

  /// Rows keep their keys, so the rows of a destination table must come from different rows of one source table.
  private mutating func checkKeys() {
    var first: [String: BulkMove] = [:]
    var seen: [String: BulkMove] = [:]
    for move in moves {
      let table = move.destinationTable.name
      let entity = "\(table)\n\(move.source.name)"
      if let other = first[table], other.sourceTable.name != move.sourceTable.name {
        reasons.append(.sharedKeys(mapping: other.mapping.name, other: move.mapping.name))
      } else if let other = seen[entity] {
        reasons.append(.sharedKeys(mapping: other.mapping.name, other: move.mapping.name))
      }
      if first[table] == nil { first[table] = move }
      seen[entity] = move
    }
  }

  private mutating func contributions(of move: BulkMove) -> [String: BulkContribution] {
    var found: [String: BulkContribution] = [:]
    for mapping in move.mapping.relationshipMappings {
      guard let expression = mapping.valueExpression else { continue }
      guard let relationship = move.destination.relationship(named: mapping.name) else {
        reasons.append(.unknownProperty(mapping.name, mapping: move.mapping.name))
        continue
      }
      // What is never stored need not be set.
      if relationship.isTransient { continue }
      // As when they are set one after the other, the last one counts.
      found[mapping.name] = contribution(to: relationship, expression, of: move)
    }
    return found
  }

  private mutating func contribution(
    to relationship: RelationshipDescription, _ expression: Expression, of move: BulkMove
  ) -> BulkContribution? {
    let name = move.mapping.name
    // `nil` takes away what the other side has set.
    if expression == .null {
      return BulkContribution(owner: move, relationship: relationship, source: nil, link: .itself, targets: [])
    }
    guard let form = RelationshipForm(expression) else {
      reasons.append(
        .relationshipExpression(expression.description, property: relationship.name, mapping: name))
      return nil
    }
    var link = SourceLink.itself
    var table = move.sourceTable.name
    var followed: RelationshipDescription?
    if let key = form.key {
      guard let found = move.source.relationship(named: key),
        let kept = SourceLink(found, of: move.source.name, in: source),
        let destinationTable = source.table(forEntityNamed: found.destinationEntityName)
      else {
        reasons.append(
          .relationshipExpression(expression.description, property: relationship.name, mapping: name))
        return nil
      }
      (link, table, followed) = (kept, destinationTable.name, found)
    }
    guard let targets = targets(of: form, relationship, followed, move) else { return nil }
    // Rows of another table have other keys, and have become nothing under this mapping.
    return BulkContribution(
      owner: move, relationship: relationship, source: followed, link: link,
      targets: targets.filter { $0.sourceTable.name == table })
  }

  /// The mappings that may have made the destinations; `nil` where the expression asks for what cannot be.
  private mutating func targets(
    of form: RelationshipForm, _ relationship: RelationshipDescription, _ followed: RelationshipDescription?,
    _ move: BulkMove
  ) -> [BulkMove]? {
    let suitable = destination.model.tree(of: relationship.destinationEntityName)
    switch form {
    case .relationship:
      let sources = source.model.tree(of: followed?.destinationEntityName ?? "")
      return moves.filter { suitable.contains($0.destination.name) && sources.contains($0.source.name) }
    case .mapping(let name, _):
      guard let index = mappingModel.entityMappings.firstIndex(where: { $0.name == name }) else {
        reasons.append(.unknownMapping(name, property: relationship.name, mapping: move.mapping.name))
        return nil
      }
      let found = moves.filter { $0.index == index }
      guard found.allSatisfy({ suitable.contains($0.destination.name) }) else {
        reasons.append(.unsuitableMapping(name, property: relationship.name, mapping: move.mapping.name))
        return nil
      }
      return found
    }
  }
}
