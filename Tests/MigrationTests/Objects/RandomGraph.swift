import DataModel
import PersistentStore
import TestSupport

/// A random model with random instances of its entities, and random links between them.
struct RandomGraph {
  struct Instance {
    let identity: Int64
    let entity: String
    let key: Int64
  }

  private var generator: SeededGenerator
  private var entities: [EntityDescription] = []
  private var relationships: [Int: [RelationshipDescription]] = [:]
  private(set) var model: ManagedObjectModel
  private(set) var instances: [Instance] = []
  /// The destinations of each owner of each side, by identity and in their order.
  private(set) var links: [GraphEnd: [Int64: [Int64]]] = [:]

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    model = TrackModels.model([])
    makeEntities()
    for index in 0..<Int.random(in: 1...8, using: &generator) { addRelationship(index) }
    model = try makeModel(versionHashModifier: nil)
    makeInstances()
    for entity in model.entities {
      for relationship in entity.ownRelationships { link(GraphEnd(entity: entity.name, relationship: relationship)) }
    }
  }

  /// The sides of all relationships.
  var ends: [GraphEnd] {
    model.entities.flatMap { entity in
      entity.ownRelationships.map { GraphEnd(entity: entity.name, relationship: $0) }
    }
  }

  /// The same model in another version.
  func newVersion() throws -> ManagedObjectModel { try makeModel(versionHashModifier: "2") }

  private func makeModel(versionHashModifier: String?) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: entities.enumerated().map { index, entity in
        EntityDescription(
          entity.name, isAbstract: entity.isAbstract, superentityName: entity.superentityName,
          versionHashModifier: versionHashModifier, attributes: entity.ownAttributes,
          relationships: relationships[index] ?? [])
      })
  }

  /// The statements that make the instances and links.
  var sql: [String] {
    var generator = generator
    let graph = GraphSQL(schema: StoreSchema(model))
    let byIdentity = Dictionary(instances.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
    var statements = instances.map { instance in
      let attributes = model.entity(named: instance.entity)?.attributes ?? []
      return graph.insert(
        instance.entity, key: instance.key,
        values: attributes.map { attribute in
          let literal =
            attribute.name == "identity" ? "\(instance.identity)" : Self.literal(attribute, using: &generator)
          return (attribute.name, literal)
        })
    }
    for (end, owners) in links.sorted(by: {
      $0.key.entity + $0.key.relationship.name < $1.key.entity + $1.key.relationship.name
    }) {
      for (owner, destinations) in owners.sorted(by: { $0.key < $1.key }) {
        var place = -3
        for destination in destinations {
          place += Int.random(in: 1...2000, using: &generator)
          guard let from = byIdentity[owner], let to = byIdentity[destination] else { continue }
          statements += graph.link(end, from.key, to.key, destinationEntity: to.entity, place: place)
        }
      }
    }
    return statements
  }

  private mutating func makeEntities() {
    let supply = ["Ähre", "a \"b\"", "select", "E", "x'y", "Ω"]
    for index in 0..<Int.random(in: 1...7, using: &generator) {
      let parent = generator.chance(oneIn: 2) ? entities.randomElement(using: &generator)?.name : nil
      let types: [AttributeType] = [
        .integer16, .integer64, .boolean, .double, .float, .decimal, .date, .string, .uri, .uuid, .transformable,
        .binaryData,
      ]
      var attributes = types.filter { _ in generator.chance(oneIn: 4) }.map { type in
        AttributeDescription(
          "\(type)\(index % 2 == 0 ? "" : " ü")", type,
          allowsExternalBinaryDataStorage: type == .binaryData && generator.chance(oneIn: 2))
      }
      // Siblings may have attributes of the same name, an entity and those below it may not.
      if parent != nil { attributes = attributes.map { renamed($0, "\($0.name) of \(index)") } }
      if parent == nil { attributes.append(AttributeDescription("identity", .integer64)) }
      entities.append(
        EntityDescription(
          "\(supply.randomElement(using: &generator) ?? "E")\(index)", isAbstract: generator.chance(oneIn: 6),
          superentityName: parent,
          attributes: attributes))
    }
  }

  private func renamed(_ attribute: AttributeDescription, _ name: String) -> AttributeDescription {
    var attribute = attribute
    attribute.name = name
    return attribute
  }

  /// Adds a relationship between any two entities, with an inverse or without.
  private mutating func addRelationship(_ index: Int) {
    let (from, to) = (
      Int.random(in: entities.indices, using: &generator), Int.random(in: entities.indices, using: &generator)
    )
    let (name, inverse) = ("r \(index)", "inverse \(index)")
    func relationship(_ name: String, to: Int, inverse: String?, _ isToMany: Bool, _ isOrdered: Bool)
      -> RelationshipDescription
    {
      RelationshipDescription(
        name, to: entities[to].name, inverse: inverse, maxCount: isToMany ? 0 : 1, isOrdered: isToMany && isOrdered)
    }
    let (isToMany, isOrdered, backIsToMany, backIsOrdered) = (
      generator.chance(oneIn: 2), generator.chance(oneIn: 3), generator.chance(oneIn: 2), generator.chance(oneIn: 3)
    )
    if from == to, generator.chance(oneIn: 2) {
      relationships[from, default: []].append(relationship(name, to: to, inverse: name, isToMany, false))
    } else if generator.chance(oneIn: 4) {
      relationships[from, default: []].append(relationship(name, to: to, inverse: nil, isToMany, false))
    } else {
      relationships[from, default: []].append(relationship(name, to: to, inverse: inverse, isToMany, isOrdered))
      relationships[to, default: []].append(relationship(inverse, to: from, inverse: name, backIsToMany, backIsOrdered))
    }
  }

  private mutating func makeInstances() {
    let schema = StoreSchema(model)
    var keys: [String: Int64] = [:]
    for identity in 0..<Int64.random(in: 0...60, using: &generator) {
      guard let entity = model.entities.filter({ !$0.isAbstract }).randomElement(using: &generator) else { return }
      let table = schema.table(forEntityNamed: entity.name)?.name ?? ""
      keys[table, default: 0] += Int64.random(in: 1...70, using: &generator)
      instances.append(Instance(identity: identity + 1000, entity: entity.name, key: keys[table] ?? 0))
    }
  }

  /// The identities of the instances of an entity and those below it.
  private func family(_ entity: String) -> [Int64] {
    instances.filter { instance in
      sequence(first: instance.entity) { model.entity(named: $0)?.superentityName }.contains(entity)
    }.map(\.identity)
  }

  /// Links the instances of a relationship and of its inverse.
  private mutating func link(_ end: GraphEnd) {
    guard links[end] == nil else { return }
    let relationship = end.relationship
    let inverse = relationship.inverseName.flatMap { name in
      model.entity(named: relationship.destinationEntityName)?.relationship(named: name)
    }
    let back = inverse.map { GraphEnd(entity: relationship.destinationEntityName, relationship: $0) }
    let (owners, destinations) = (family(end.entity), family(relationship.destinationEntityName))
    links[end] = [:]
    if let back { links[back] = links[back] ?? [:] }
    for _ in 0..<(owners.count * 2) {
      guard let owner = owners.randomElement(using: &generator),
        let destination = destinations.randomElement(using: &generator),
        links[end]?[owner]?.contains(destination) != true
      else { continue }
      let isFree = relationship.isToMany || links[end]?[owner] == nil
      let isBackFree =
        if let back { back.relationship.isToMany || links[back]?[destination] == nil } else {
          // A hidden key has place for one owner.
          !relationship.isToMany || links[end]?.values.contains { $0.contains(destination) } != true
        }
      guard isFree, isBackFree else { continue }
      links[end]?[owner, default: []].append(destination)
      if let back, back != end || owner != destination { links[back]?[destination, default: []].append(owner) }
    }
    if relationship.isOrdered { links[end] = links[end]?.mapValues { $0.shuffled(using: &generator) } }
    if let back, back.relationship.isOrdered { links[back] = links[back]?.mapValues { $0.shuffled(using: &generator) } }
  }

  private static func literal(_ attribute: AttributeDescription, using generator: inout SeededGenerator) -> String {
    if Int.random(in: 0..<5, using: &generator) == 0 { return "NULL" }
    let integer = Int64.random(in: -40000...40000, using: &generator)
    let text = ["''", "'a''b'", "'é' || char(0) || 'x'", "char(101, 769)", "'👩‍👩‍👧 \(integer)'"]
    switch attribute.type {
    case .integer16: return "\(integer / 2)"
    case .integer64: return "\(integer.multipliedReportingOverflow(by: 230_584_300_921_369).partialValue)"
    case .boolean: return "\(integer & 1)"
    case .double, .decimal, .date: return "\(Double(integer) / 3)"
    case .float: return "\(Double(Float(integer) / 3))"
    case .string: return text.randomElement(using: &generator) ?? "''"
    case .uri: return "'https://example.org/\(integer)'"
    case .uuid: return "zeroblob(16)"
    case .binaryData where attribute.allowsExternalBinaryDataStorage: return "x'01020\(integer & 1)'"
    default: return ["x''", "x'00'", "x'02ff'"].randomElement(using: &generator) ?? "x''"
    }
  }
}
