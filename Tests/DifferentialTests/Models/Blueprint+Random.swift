import DataModel
import TestSupport

extension Blueprint {
  /// Returns a random model with up to five levels of inheritance.
  static func random(_ random: inout SeededGenerator) -> Blueprint {
    var blueprint = Blueprint()
    for number in 0..<random.number(1...6) { blueprint.addEntity(number, &random) }
    for _ in 0..<random.number(0...5) { blueprint.addRelationship(&random) }
    return blueprint
  }

  mutating func addEntity(_ number: Int, _ random: inout SeededGenerator) {
    let parents = numbers.filter { lineage($0).count < 5 }
    let parent = random.chance(60) ? random.pick(from: parents.map { Optional($0) }, or: parents.last) : nil
    entities[number] = Entity(name: freshName("E"), parent: parent, isAbstract: random.chance(15))
    for _ in 0..<random.number(0...3) { addAttribute(to: number, &random) }
  }

  mutating func addAttribute(to number: Int, _ random: inout SeededGenerator) {
    let type = random.pick(from: RandomValue.types, or: .string)
    let isOptional = random.chance(75)
    let attribute = Attribute(
      name: freshName("a"), type: type, isOptional: isOptional, hasDefault: random.chance(isOptional ? 30 : 80),
      isExternal: random.chance(50), isTransient: random.chance(4))
    entities[number]?.attributes.append(attribute)
  }

  mutating func addRelationship(_ random: inout SeededGenerator) {
    func end(_ name: String) -> End {
      End(name: name, isToMany: random.chance(60), isOrdered: random.chance(40), isOptional: random.chance(92))
    }
    let name = freshName("r")
    let owner = random.pick(from: numbers, or: numbers.first ?? 0)
    if random.chance(10) {
      relationships.append(Relationship(owner: owner, destination: owner, end: end(name), isItsOwnInverse: true))
    } else {
      relationships.append(
        Relationship(
          owner: owner, destination: random.pick(from: numbers, or: owner), end: end(name),
          inverse: random.chance(80) ? end("\(name)Back") : nil))
    }
  }

  /// Returns a later version in which most things are unchanged.
  ///
  /// - Parameter isGentle: Whether to leave out changes that inference would refuse more often than not.
  func changed(_ random: inout SeededGenerator, isGentle: Bool) -> Blueprint {
    var new = self
    for number in numbers { new.changeEntity(number, isGentle, &random) }
    if random.chance(20) { new.addEntity((numbers.last ?? 0) + 1, &random) }
    if random.chance(30) { new.moveAttribute(&random) }
    if !isGentle || random.chance(50) { new.removeSomething(&random) }
    for place in new.relationships.indices { new.changeRelationship(place, isGentle, &random) }
    if random.chance(30) { new.addRelationship(&random) }
    return new
  }

  private mutating func changeEntity(_ number: Int, _ isGentle: Bool, _ random: inout SeededGenerator) {
    guard let old = entities[number] else { return }
    var new = old
    new.oldName = nil
    if random.chance(15) {
      new.name = freshName("E")
      if random.chance(85) { new.oldName = old.name }
    } else if random.chance(15) {
      new.oldName = old.oldName
    }
    if random.chance(4) { new.oldName = random.pick(from: entities.values.map(\.name).sorted(), or: "Nobody") }
    if random.chance(isGentle ? 2 : 6) { new.isAbstract.toggle() }
    if random.chance(8), let parent = old.parent { new.parent = entities[parent]?.parent }
    if !isGentle, random.chance(4) {
      let other = random.pick(from: numbers, or: number)
      if !lineage(other).contains(number), lineage(other).count < 5 { new.parent = other }
    }
    new.attributes = old.attributes.compactMap { change($0, isGentle, &random) }
    entities[number] = new
    if random.chance(20) { addAttribute(to: number, &random) }
    // Two of them have the same renaming identifier.
    if random.chance(1), let first = new.attributes.first, new.attributes.count > 1 {
      entities[number]?.attributes[1].oldName = first.name
    }
  }

  private mutating func change(
    _ old: Attribute, _ isGentle: Bool, _ random: inout SeededGenerator
  ) -> Attribute? {
    if random.chance(6) { return nil }
    var new = old
    if random.chance(70) { new.oldName = nil }
    if random.chance(12) {
      new.name = freshName("a")
      if random.chance(85) { new.oldName = old.name } else if !isGentle || old.isOptional { new.oldName = nil }
    }
    if random.chance(12) { new.isOptional.toggle() }
    if random.chance(12) { new.hasDefault.toggle() }
    if random.chance(2) { new.isTransient.toggle() }
    if random.chance(8) {
      switch old.type {
      case .integer16: new.type = random.pick(.integer32, .integer64, .double)
      case .integer32: new.type = random.pick(.integer64, .double)
      case .integer64, .float: new.type = .double
      default: break
      }
    }
    if !isGentle, random.chance(3) { new.type = random.pick(from: RandomValue.types, or: .string) }
    if random.chance(15) { new.isExternal.toggle() }
    return new
  }

  /// Moves an attribute to the parent of its entity, or to a child.
  private mutating func moveAttribute(_ random: inout SeededGenerator) {
    let number = random.pick(from: numbers, or: 0)
    let children = numbers.filter { entities[$0]?.parent == number }
    guard let attribute = entities[number]?.attributes.last,
      let target = random.pick(from: children.map { Optional($0) }, or: entities[number]?.parent)
    else { return }
    entities[number]?.attributes.removeLast()
    entities[target]?.attributes.append(attribute)
  }

  private mutating func removeSomething(_ random: inout SeededGenerator) {
    if random.chance(40), !relationships.isEmpty {
      relationships.remove(at: random.number(0...(relationships.count - 1)))
    }
    guard random.chance(25), entities.count > 1 else { return }
    let number = random.pick(from: numbers, or: 0)
    let parent = entities[number]?.parent
    for child in numbers where entities[child]?.parent == number { entities[child]?.parent = parent }
    entities[number] = nil
    for place in relationships.indices.reversed() {
      if relationships[place].owner == number || relationships[place].destination == number {
        relationships.remove(at: place)
      }
    }
  }

  private mutating func changeRelationship(_ place: Int, _ isGentle: Bool, _ random: inout SeededGenerator) {
    var new = relationships[place]
    func change(_ end: inout End) {
      if random.chance(70) { end.oldName = nil }
      if random.chance(12) {
        end.oldName = end.name
        end.name = freshName("r")
      }
      if random.chance(8), !end.isToMany { end.isToMany = true }
      if !isGentle, random.chance(6) { end.isToMany.toggle() }
      if random.chance(10) { end.isOrdered.toggle() }
      if random.chance(6) { end.isOptional.toggle() }
    }
    change(&new.end)
    if var inverse = new.inverse {
      change(&inverse)
      new.inverse = random.chance(5) ? nil : inverse
    } else if !new.isItsOwnInverse, random.chance(10) {
      new.inverse = End(name: freshName("r"), isToMany: random.chance(70))
    }
    if random.chance(isGentle ? 3 : 8) {
      let parent = entities[new.destination]?.parent
      new.destination = random.chance(60) ? parent ?? new.destination : random.pick(from: numbers, or: new.destination)
      if new.isItsOwnInverse { new.destination = new.owner }
    }
    relationships[place] = new
  }
}
