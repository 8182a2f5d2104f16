import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// The default policy's use of associations.
struct PassTests {
  /// One source entity, two destinations, one of them filtered.
  private func fixture(note format: String) throws -> ObjectFixture {
    var fixture = try ObjectFixture(Notes.old, to: Notes.new, sql: Notes.rows)
    fixture.mappingModels[0].entityMappings.append(
      EntityMapping(
        mappingType: .transform, source: Notes.old.entities[0], destination: Notes.new.entity(named: "Attachment"),
        attributeMappings: [try Notes.attribute("image", "$source.image")],
        relationshipMappings: [try Notes.attribute("note", format)],
        filterPredicate: try Predicate(format: "image != nil")))
    return fixture
  }

  @Test func `One source becomes several destinations, filters apply, and the inverse links them`()
    throws
  {
    let fixture = try fixture(
      note: "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'NoteToNote', $source)")
    let statistics = try fixture.migrate()
    #expect(statistics.sourceInstanceCounts == ["Note": 5])
    #expect(statistics.destinationInstanceCounts == ["Note": 3, "Attachment": 2])
    #expect(statistics[MigrationManager.unassociatedCounter] == 0)
    #expect(
      try fixture.rows("SELECT Z_PK, ZNOTE, hex(ZIMAGE), ZCAPTION FROM ZATTACHMENT ORDER BY 1")
        == ["1|1|01|none", "2|3|02|none"])
  }

  @Test func `A mapping that creates instances of another entity is refused`() throws {
    let fixture = try fixture(
      note:
        "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'NoteToAttachment', $source)")
    let error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect(error.code == .policyFailed)
    #expect(error.subject.property == "note")
  }

  @Test func `The first of several instances is used for a to-one relationship, and the case is counted`() throws {
    let fixture = try fixture(
      note: "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'NoteToNote', "
        + "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', 'Note', 'body >= \"b\"'), "
        + "$manager.sourceContext, NO))")
    let statistics = try fixture.migrate()
    #expect(statistics[MigrationManager.ambiguousDestinationCounter] == 2)
    #expect(
      statistics.examples[MigrationManager.ambiguousDestinationCounter] == ["Attachment 1.note", "Attachment 2.note"])
    #expect(try fixture.rows("SELECT ZNOTE FROM ZATTACHMENT") == ["2", "2"])
  }

  /// Links between entities, one of which was turned into another or removed.
  private static func linked(_ modifier: String?) -> ManagedObjectModel {
    TrackModels.model([
      EntityDescription(
        "Owner", versionHashModifier: modifier,
        relationships: [RelationshipDescription("things", to: "Thing", inverse: "owner")]),
      EntityDescription(
        "Thing", attributes: [.init("name", .string)],
        relationships: [RelationshipDescription("owner", to: "Owner", inverse: "things", maxCount: 1)]),
      EntityDescription("Copy", attributes: [.init("name", .string)]),
    ])
  }

  @Test func `A source relationship leads to fitting instances of any mapping`() throws {
    let (old, new) = (Self.linked(nil), Self.linked("2"))
    var fixture = try ObjectFixture(
      old, to: new,
      sql: [
        "INSERT INTO ZOWNER (Z_PK, Z_ENT) VALUES (1, 2)",
        "INSERT INTO ZTHING (Z_PK, Z_ENT, ZOWNER, ZNAME) VALUES (1, 3, 1, 'a'), (2, 3, 1, 'b')",
      ])
    fixture.change("Thing") {
      $0.filterPredicate = .comparison(Comparison(.key("name"), .equal, .constant(.string("a"))))
    }
    // A `Copy` is not a `Thing`: it must not replace the one that was filtered out.
    fixture.mappingModels[0].entityMappings.append(
      EntityMapping(
        mappingType: .transform, source: old.entity(named: "Thing"), destination: new.entity(named: "Copy"),
        attributeMappings: [try Notes.attribute("name", "$source.name")]))
    fixture.change("Owner") {
      $0.relationshipMappings = [
        PropertyMapping(
          name: "things",
          valueExpression: .destinationInstances(sourceRelationshipNamed: "things", sourceInstances: .source("things")))
      ]
    }
    try fixture.migrate()
    #expect(try fixture.rows("SELECT ZNAME, ZOWNER FROM ZTHING") == ["a|1"])
    #expect(try fixture.rows("SELECT ZNAME FROM ZCOPY ORDER BY 1") == ["a", "b"])
    try Database.run("UPDATE ZTHING SET ZNAME = 'b'", in: fixture.source)
    Files.remove(fixture.destination)
    try fixture.migrate()
    #expect(try fixture.rows("SELECT count(*) FROM ZTHING") == ["0"])
  }
}
