import DataModel
import TestSupport

extension PlainGraph {
  /// Returns random instances of a model that satisfy its rules; `nil` if they do not.
  static func random(_ model: PlainModel, _ random: inout SeededGenerator) -> PlainGraph? {
    var graph = PlainGraph()
    for name in model.names {
      guard let entity = model.entities[name], !entity.isAbstract else { continue }
      for _ in 0..<random.number(0...4) {
        var object = Object(entity: name, uid: Int64(graph.objects.count + 1))
        for attribute in entity.attributes.values.sorted(by: { $0.name < $1.name }) {
          let isEmpty = attribute.isOptional && random.chance(25)
          object.values[attribute.name] = isEmpty ? .null : RandomValue.random(attribute.type, &random)
        }
        object.values["uid"] = .integer(object.uid)
        graph.objects[object.uid] = object
      }
    }
    var done: Set<String> = []
    for name in model.names {
      for relationship in (model.entities[name]?.relationships ?? [:]).values.sorted(by: { $0.name < $1.name })
      where !done.contains(relationship.name) {
        // The topmost entity with the property declares it.
        let owner = model.lineage(name).last { model.entities[$0]?.relationships[relationship.name] != nil } ?? name
        done.formUnion([relationship.name, relationship.inverseName ?? ""])
        graph.connect(relationship, of: model.family(owner), model, &random)
      }
    }
    return graph.keepsRules(of: model) ? graph : nil
  }

  private mutating func connect(
    _ relationship: RelationshipDescription, of owners: [String], _ model: PlainModel, _ random: inout SeededGenerator
  ) {
    let inverse = model.inverse(of: relationship)
    let targetNames = model.family(relationship.destinationEntityName)
    let here = uids.filter { owners.contains(objects[$0]?.entity ?? "") }
    let there = uids.filter { targetNames.contains(objects[$0]?.entity ?? "") }
    guard let anyOwner = here.last, let anyTarget = there.last else { return }
    // Without an inverse, the destination of a to-many relationship stores its only source.
    var claimed: Set<Int64> = []
    for attempt in 0..<(here.count * 3) {
      // Each instance comes once at first, so required relationships are filled.
      let owner = attempt < here.count ? here[attempt] : random.pick(from: here, or: anyOwner)
      let target = random.pick(from: there, or: anyTarget)
      guard random.chance(relationship.isOptional ? 50 : 95) else { continue }
      let (mine, others) = (objects[owner]?.links[relationship.name] ?? [], back(inverse, of: target))
      guard relationship.isToMany || mine.isEmpty, !mine.contains(target) else { continue }
      if let inverse {
        guard inverse.isToMany || others.isEmpty, inverse.name != relationship.name || owner != target else { continue }
        if inverse.name == relationship.name, !relationship.isToMany, !back(inverse, of: owner).isEmpty { continue }
        objects[target]?.links[inverse.name, default: []].append(owner)
      } else if relationship.isToMany {
        guard claimed.insert(target).inserted else { continue }
      }
      objects[owner]?.links[relationship.name, default: []].append(target)
    }
    for uid in uids {
      objects[uid]?.links[relationship.name]?.shuffle(using: &random)
      if let inverse { objects[uid]?.links[inverse.name]?.shuffle(using: &random) }
    }
  }

  private func back(_ inverse: RelationshipDescription?, of target: Int64) -> [Int64] {
    inverse.flatMap { objects[target]?.links[$0.name] } ?? []
  }

  private func keepsRules(of model: PlainModel) -> Bool {
    objects.values.allSatisfy { object in
      model.entities[object.entity]?.relationships.values.allSatisfy {
        $0.isOptional || object.links[$0.name]?.isEmpty == false
      } == true
    }
  }
}
