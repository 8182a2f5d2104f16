import DataModel
import TestSupport

extension ModelSketch {
  static let types: [AttributeType] = [
    .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binaryData, .uuid, .uri,
    .transformable,
  ]

  /// A random model, with inheritance up to five deep.
  static func random(_ random: inout SeededGenerator) -> ModelSketch {
    var sketch = ModelSketch()
    for id in 0..<random.number(1..<8) {
      let parents = (0..<id).filter { sketch.depth($0) < 4 }
      let parent = random.chance(65) ? parents.suffix(2).randomElement(using: &random) : nil
      sketch.entities[id] = Entity(name: "E\(id)", parent: parent, isAbstract: random.chance(15))
      let depth = sketch.depth(id)
      for index in 0..<random.number(0..<4) {
        // Sibling entities have attributes of the same names.
        sketch.entities[id]?.attributes.append(attribute(id * 10 + index, "a\(depth)\(index)", &random))
      }
    }
    for id in 0..<random.number(0..<5) { sketch.relationships.append(sketch.relationship(id, &random)) }
    return sketch
  }

  private static func attribute(_ id: Int, _ name: String, _ random: inout SeededGenerator) -> Attribute {
    let type = types.randomElement(using: &random) ?? .string
    let isOptional = random.chance(70)
    return Attribute(
      id: id, name: name, type: type, isOptional: isOptional, hasDefault: random.chance(isOptional ? 30 : 80),
      isExternal: type == .binaryData && random.chance(50))
  }

  private func relationship(_ id: Int, _ random: inout SeededGenerator) -> Relationship {
    let ids = entities.keys.sorted()
    func shape() -> Shape { Shape.allCases.randomElement(using: &random) ?? .one }
    let owner = ids.randomElement(using: &random) ?? 0
    if random.chance(10) {
      return Relationship(
        id: id, owner: owner, destination: owner, name: "r\(id)", shape: shape(), isItsOwnInverse: true)
    }
    return Relationship(
      id: id, owner: owner, destination: ids.randomElement(using: &random) ?? 0, name: "r\(id)", shape: shape(),
      inverse: random.chance(80) ? shape() : nil)
  }

  /// A later version of this one.
  ///
  /// - Parameter isGentle: Whether relationships stay as they are, so that a way by several versions loses nothing.
  func changed(_ random: inout SeededGenerator, version: Int = 2, isGentle: Bool = false) -> ModelSketch {
    var sketch = self
    for id in entities.keys.sorted() {
      if random.chance(15) {
        sketch.entities[id]?.oldName = entities[id]?.oldName ?? entities[id]?.name
        sketch.entities[id]?.name = "V\(version)E\(id)"
      }
      if random.chance(6) { sketch.entities[id]?.isAbstract.toggle() }
      if random.chance(8), let parent = entities[id]?.parent { sketch.entities[id]?.parent = entities[parent]?.parent }
      let attributes = sketch.attributes(of: id, version, &random)
      sketch.entities[id]?.attributes = attributes
    }
    sketch.relationships = relationships.compactMap { Self.changed($0, version, isGentle, &random) }
    if random.chance(40) { sketch.relationships.append(sketch.relationship(version * 100, &random)) }
    return sketch
  }

  private func attributes(of id: Int, _ version: Int, _ random: inout SeededGenerator) -> [Attribute] {
    var found = (entities[id]?.attributes ?? []).compactMap { Self.changed($0, version, &random) }
    if random.chance(25) {
      found.append(Self.attribute(id * 10 + version * 100, "b\(version)x\(depth(id))", &random))
    }
    return found
  }

  private static func changed(
    _ old: Attribute, _ version: Int, _ random: inout SeededGenerator
  ) -> Attribute? {
    if random.chance(8) { return nil }
    var new = old
    if random.chance(15) { (new.oldName, new.name) = (old.oldName ?? old.name, "v\(version)\(old.name)") }
    if random.chance(15) { new.isOptional.toggle() }
    if random.chance(15) { new.hasDefault.toggle() }
    if random.chance(3) { new.type = types.randomElement(using: &random) ?? .string }
    if new.type == .binaryData, random.chance(20) { new.isExternal.toggle() }
    if new.type != .binaryData { new.isExternal = false }
    return new
  }

  private static func changed(
    _ old: Relationship, _ version: Int, _ isGentle: Bool, _ random: inout SeededGenerator
  ) -> Relationship? {
    if random.chance(8) { return nil }
    var new = old
    if random.chance(15) { (new.oldName, new.name) = (old.oldName ?? old.name, "v\(version)\(old.name)") }
    if isGentle { return new }
    if random.chance(20) { new.shape = Shape.allCases.randomElement(using: &random) ?? .one }
    if random.chance(20) { new.inverse = random.chance(25) ? nil : Shape.allCases.randomElement(using: &random) }
    return new
  }
}
