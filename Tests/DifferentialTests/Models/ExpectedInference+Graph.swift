import DataModel

extension ExpectedInference {
  /// The expected instances.
  struct Result {
    var graph = PlainGraph()
    /// The relationships that keep their order.
    var ordered: Set<String> = []
    /// The relationships with several candidates for a single place, whose result is undefined.
    var contested: Set<String> = []
    /// A required property without a value, which no rule of the old version prevented.
    var violation: String?
  }

  /// Migrates instances.
  func migrate(_ graph: PlainGraph) -> Result {
    var result = Result()
    for uid in graph.uids {
      guard let object = graph.objects[uid], let pair = pair(of: object.entity) else { continue }
      var made = PlainGraph.Object(entity: pair.destination.name, uid: uid)
      for (name, attribute) in pair.destination.attributes {
        let value = self.value(of: attribute, object, pair)
        made.values[name] = value
        if value == .null, !attribute.isOptional { result.violation = "\(made.entity).\(name)" }
      }
      result.graph.objects[uid] = made
    }
    carryLinks(of: graph, &result)
    findMissingLinks(&result)
    return result
  }

  private func pair(of source: String) -> Pair? { pairs.values.first { $0.source.name == source } }

  private func value(of attribute: AttributeDescription, _ object: PlainGraph.Object, _ pair: Pair) -> Cell {
    let standard = Cell(attribute.defaultValue).normal(attribute.type)
    guard let old = pair.attributes.oldNames[attribute.name].flatMap({ pair.source.attributes[$0] }) else {
      return standard
    }
    let value = object.values[old.name] ?? .null
    if value == .null, old.isOptional, !attribute.isOptional { return standard }
    return value.normal(attribute.type)
  }

  /// Returns the old relationship that a new one was.
  private func source(of relationship: RelationshipDescription, _ entity: String) -> RelationshipDescription? {
    guard let pair = pairs[entity] else { return nil }
    return pair.relationships.oldNames[relationship.name].flatMap { pair.source.relationships[$0] }
  }

  private func carryLinks(of graph: PlainGraph, _ result: inout Result) {
    for uid in result.graph.uids {
      guard let made = result.graph.objects[uid] else { continue }
      for (name, relationship) in new.entities[made.entity]?.relationships ?? [:] {
        guard let old = source(of: relationship, made.entity) else { continue }
        if old.isOrdered, relationship.isOrdered { result.ordered.insert(name) }
        let targets = (graph.objects[uid]?.links[old.name] ?? []).filter { result.graph.objects[$0] != nil }
        let known = result.graph.objects[uid]?.links[name] ?? []
        result.graph.objects[uid]?.links[name] = targets + known.filter { !targets.contains($0) }
        if let inverse = new.inverse(of: relationship) {
          for target in targets where result.graph.objects[target]?.links[inverse.name]?.contains(uid) != true {
            result.graph.objects[target]?.links[inverse.name, default: []].append(uid)
          }
        }
      }
    }
    for uid in result.graph.uids {
      guard let made = result.graph.objects[uid] else { continue }
      for relationship in (new.entities[made.entity]?.relationships ?? [:]).values {
        findContest(relationship, made, &result)
      }
    }
  }

  private func findContest(
    _ relationship: RelationshipDescription, _ made: PlainGraph.Object, _ result: inout Result
  ) {
    let inverse = new.inverse(of: relationship)
    let names = Set([relationship.name, inverse?.name].compactMap { $0 })
    let targets = made.links[relationship.name] ?? []
    if !relationship.isToMany, targets.count > 1 { result.contested.formUnion(names) }
    if relationship.isToMany, inverse == nil {
      let owners = result.graph.objects.values.filter {
        $0.links[relationship.name]?.contains(where: targets.contains) == true
      }
      if owners.count > 1 { result.contested.formUnion(names) }
    }
    // Two relationships have become each other's inverses.
    guard let inverse, let old = source(of: relationship, made.entity) else { return }
    for target in new.family(relationship.destinationEntityName) {
      guard let other = source(of: inverse, target) else { continue }
      if old.inverseName != other.name || other.inverseName != old.name { result.contested.formUnion(names) }
    }
  }

  private func findMissingLinks(_ result: inout Result) {
    for object in result.graph.objects.values {
      for relationship in (new.entities[object.entity]?.relationships ?? [:]).values
      where !relationship.isOptional && !relationship.isToMany && object.links[relationship.name]?.isEmpty != false {
        let old = source(of: relationship, object.entity)
        let isOldRule = old.map { !$0.isOptional && $0.isToMany == relationship.isToMany } == true
        if !isOldRule { result.violation = "\(object.entity).\(relationship.name)" }
      }
    }
  }
}
