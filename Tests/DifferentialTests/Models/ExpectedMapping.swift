import DataModel

/// The expected result of a mapping model: first all instances, then all links, one mapping after the other.
struct ExpectedMapping {
  private let mapping: RandomMapping
  private let source: PlainGraph
  /// The destination instances of each source instance under each mapping.
  private var made: [[Int64: Int64]] = []
  private(set) var graph = PlainGraph()
  /// Whether a value cannot be computed or does not fit its attribute.
  private(set) var fails = false
  /// The relationships that were given more objects than they can hold, whose result is undefined.
  private(set) var contested: Set<String> = []
  /// Required properties without a value.
  private(set) var violation: String?

  /// - Parameter order: The source instances in primary key order.
  init(_ mapping: RandomMapping, _ source: PlainGraph, order: [Int64]) {
    (self.mapping, self.source) = (mapping, source)
    for (place, entity) in mapping.entities.enumerated() {
      made.append([:])
      for uid in order where source.objects[uid]?.entity == entity.source.name { make(uid, place, entity) }
    }
    for (place, entity) in mapping.entities.enumerated() {
      for uid in order {
        guard let instance = made[place][uid] else { continue }
        for (name, links) in entity.links { connect(instance, name, links, uid, entity) }
      }
    }
    findViolations()
  }

  private mutating func make(_ uid: Int64, _ place: Int, _ entity: RandomMapping.Entity) {
    guard let object = source.objects[uid] else { return }
    let evaluation = PlainEvaluation(model: mapping.old, graph: source, object: object)
    let key = uid + Int64(place) * 1000
    var instance = PlainGraph.Object(entity: entity.destination.name, uid: key)
    do throws(PlainValue.Failure) {
      if let filter = entity.filter {
        guard try evaluation.holds(filter) else { return }
      }
      for (name, value) in entity.attributes {
        guard let attribute = entity.destination.attributes[name] else { continue }
        instance.values[name] =
          if let value {
            try evaluation.value(value).cell(attribute.type).normal(attribute.type)
          } else {
            Cell(attribute.defaultValue).normal(attribute.type)
          }
      }
    } catch {
      fails = true
    }
    graph.objects[key] = instance
    made[place][uid] = key
  }

  private mutating func connect(
    _ instance: Int64, _ name: String, _ links: RandomMapping.Links, _ uid: Int64, _ entity: RandomMapping.Entity
  ) {
    guard let relationship = entity.destination.relationships[name] else { return }
    func targets(_ key: String?) -> [Int64] { key.map { source.objects[uid]?.links[$0] ?? [] } ?? [uid] }
    var found: [Int64]
    switch links {
    case .none: return
    case .relationship(let key):
      let family = mapping.old.family(entity.source.relationships[key]?.destinationEntityName ?? "")
      let places = mapping.entities.indices.filter { family.contains(mapping.entities[$0].source.name) }
      found = targets(key).flatMap { target in places.compactMap { made[$0][target] } }
    case .mapping(let place, let key): found = targets(key).compactMap { made[place][$0] }
    }
    let family = mapping.new.family(relationship.destinationEntityName)
    let fitting = found.filter { family.contains(graph.objects[$0]?.entity ?? "") }
    if case .mapping = links, fitting.isEmpty, !found.isEmpty { fails = true }
    found = fitting
    if !relationship.isToMany, found.count > 1 {
      contested.formUnion([name, relationship.inverseName ?? name])
      found = Array(found.prefix(1))
    }
    set(relationship, of: instance, to: found)
  }

  /// Sets the destinations of a relationship and updates its inverse.
  private mutating func set(_ relationship: RelationshipDescription, of instance: Int64, to targets: [Int64]) {
    let (name, back) = (relationship.name, relationship.inverseName)
    for target in graph.objects[instance]?.links[name] ?? [] where !targets.contains(target) {
      back.map { graph.objects[target]?.links[$0]?.removeAll { $0 == instance } }
    }
    for target in targets where graph.objects[instance]?.links[name]?.contains(target) != true {
      // A to-one inverse drops its previous destination.
      let inverse = mapping.new.inverse(of: relationship)
      let hasOne = inverse.map { !$0.isToMany } ?? relationship.isToMany
      if hasOne {
        for other in graph.uids where other != instance {
          graph.objects[other]?.links[name]?.removeAll { $0 == target }
        }
        back.map { graph.objects[target]?.links[$0] = [] }
      }
      guard let back else { continue }
      if name != back || instance != target { graph.objects[target]?.links[back, default: []].append(instance) }
    }
    graph.objects[instance]?.links[name] = targets
  }

  private mutating func findViolations() {
    for object in graph.objects.values {
      guard let entity = mapping.new.entities[object.entity] else { continue }
      for attribute in entity.attributes.values where !attribute.isOptional && object.values[attribute.name] == .null {
        violation = "\(object.entity).\(attribute.name)"
      }
      for relationship in entity.relationships.values
      where !relationship.isOptional && (!relationship.isToMany || relationship.minCount > 0)
        && object.links[relationship.name]?.isEmpty != false
      {
        violation = "\(object.entity).\(relationship.name)"
      }
    }
  }
}
