import DataModel
import Migration
import PersistentStore
import TestSupport
import Testing

/// Random graphs come through the default policy whole.
struct RandomGraphTests {
  @Test(arguments: 0..<60 as Range<UInt64>)
  func `Instances, values and links are unchanged after migration`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed ^ 0xABCD)
    let graph = try RandomGraph(seed: seed)
    let (old, new) = (graph.model, try graph.newVersion())
    var fixture = try ObjectFixture(
      old, to: new, encoding: seed % 3 == 0 ? "UTF-16le" : "UTF-8", sql: graph.sql)
    /// The sides that are not mapped themselves: the inverse sets them.
    var unmapped: Set<GraphEnd> = []
    for end in graph.ends where Bool.random(using: &generator) {
      guard let inverse = end.relationship.inverseName, inverse != end.relationship.name else { continue }
      let back = graph.ends.first {
        $0.entity == end.relationship.destinationEntityName && $0.relationship.name == inverse
      }
      if let back, !unmapped.contains(back) { unmapped.insert(end) }
    }
    let entityMappings = fixture.mappingModels[0].entityMappings.map { mapping in
      var mapping = mapping
      let lineage = sequence(first: mapping.sourceEntityName ?? "") { old.entity(named: $0)?.superentityName }
      mapping.relationshipMappings = graph.ends.filter { lineage.contains($0.entity) && !unmapped.contains($0) }.map {
        Self.relationshipMapping($0.relationship, old, using: &generator)
      }
      return mapping
    }
    fixture.mappingModels = [MappingModel(entityMappings: entityMappings.shuffled(using: &generator))]
    try fixture.migrate()

    #expect(try Database.integrity(fixture.destination) == ["ok"])
    let (before, after) = (GraphSQL(schema: StoreSchema(old)), GraphSQL(schema: StoreSchema(new)))
    for entity in old.entities {
      #expect(
        try after.values(of: entity, in: fixture.destination) == before.values(of: entity, in: fixture.source),
        "\(entity.name)")
    }
    for end in graph.ends {
      let wanted = (graph.links[end] ?? [:]).sorted { $0.key < $1.key }.flatMap { owner, destinations in
        (end.relationship.isOrdered ? destinations : destinations.sorted()).map { "\(owner)>\($0)" }
      }
      #expect(try before.links(end, in: fixture.source) == wanted, "the test's own source: \(end)")
      let found = try after.links(end, in: fixture.destination)
      // A side that is not mapped has the order in which the other side linked it.
      #expect(unmapped.contains(end) ? found.sorted() == wanted.sorted() : found == wanted, "\(end)")
    }
  }

  /// One of the two forms that Xcode writes; the one that names a mapping only if there is only one.
  private static func relationshipMapping(
    _ relationship: RelationshipDescription, _ model: ManagedObjectModel, using generator: inout SeededGenerator
  ) -> PropertyMapping {
    let name = relationship.name
    let family = model.entities.filter { entity in
      !entity.isAbstract
        && sequence(first: entity.name) { model.entity(named: $0)?.superentityName }
          .contains(relationship.destinationEntityName)
    }
    let isNamed = family.count == 1 && Bool.random(using: &generator)
    return PropertyMapping(
      name: name,
      valueExpression: isNamed
        ? .destinationInstances(
          entityMappingNamed: "\(family[0].name)To\(family[0].name)", sourceInstances: .source(name))
        : .destinationInstances(sourceRelationshipNamed: name, sourceInstances: .source(name)))
  }
}
