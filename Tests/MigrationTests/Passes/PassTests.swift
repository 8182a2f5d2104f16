import DataModel
import Diagnostics
import Expressions
import Migration
import PersistentStore
import TestSupport
import Testing

/// What the three passes of the default policy and the manager's functions do with associations.
struct PassTests {
  /// Notes with an image, which become notes and attachments.
  private static let old = TrackModels.model([
    EntityDescription("Note", attributes: [.init("body", .string), .init("image", .binaryData)])
  ])
  private static let new = TrackModels.model([
    EntityDescription(
      "Note", attributes: [.init("body", .string)],
      relationships: [RelationshipDescription("attachments", to: "Attachment", inverse: "note")]),
    EntityDescription(
      "Attachment",
      attributes: [.init("image", .binaryData), .init("caption", .string, defaultValue: .string("none"))],
      relationships: [RelationshipDescription("note", to: "Note", inverse: "attachments", maxCount: 1)]),
  ])

  private static let notes = [
    "INSERT INTO ZNOTE (Z_PK, Z_ENT, ZBODY, ZIMAGE) VALUES (3, 1, 'a', x'01'), (5, 1, 'b', NULL), (9, 1, 'c', x'02')"
  ]

  private static func attribute(_ name: String, _ format: String) throws -> PropertyMapping {
    PropertyMapping(name: name, valueExpression: try Expression(format: format))
  }

  /// One source entity, two destinations, one of them filtered.
  private func fixture(note format: String) throws -> ObjectFixture {
    var fixture = try ObjectFixture(Self.old, to: Self.new, sql: Self.notes)
    fixture.mappingModels[0].entityMappings.append(
      EntityMapping(
        mappingType: .transform, source: Self.old.entities[0], destination: Self.new.entity(named: "Attachment"),
        attributeMappings: [try Self.attribute("image", "$source.image")],
        relationshipMappings: [try Self.attribute("note", format)],
        filterPredicate: try Predicate(format: "image != nil")))
    return fixture
  }

  @Test func `one source becomes several destinations, a filter lets some through, and the inverse makes the link`()
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

  @Test func `a mapping that makes instances of another entity is the wrong one`() throws {
    let fixture = try fixture(
      note:
        "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'NoteToAttachment', $source)")
    let error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect(error.code == .policyFailed)
    #expect(error.subject.property == "note")
  }

  @Test func `of several instances for a to-one relationship the first is taken, and the case is counted`() throws {
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

  /// Links between entities of which one has become another, or nothing at all.
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

  @Test func `a source relationship leads to what fits, under whichever mappings`() throws {
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
    // A copy is no thing: it must not stand in for the one that was filtered out.
    fixture.mappingModels[0].entityMappings.append(
      EntityMapping(
        mappingType: .transform, source: old.entity(named: "Thing"), destination: new.entity(named: "Copy"),
        attributeMappings: [try Self.attribute("name", "$source.name")]))
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

  /// Expressions that the default policy works out beforehand, and the same in a form that it has to evaluate.
  @Test(arguments: [
    ("$source.body", "TERNARY(1 == 1, $source.body, nil)"), ("'x'", "TERNARY($source == nil, nil, 'x')"),
    ("nil", "TERNARY($source == nil, 'x', nil)"),
  ])
  func `what is worked out beforehand gives what evaluation gives`(plain: String, evaluated: String) throws {
    var results: [[String]] = []
    for format in [plain, evaluated] {
      var fixture = try ObjectFixture(Self.old, sql: Self.notes)
      let mapping = try Self.attribute("body", format)
      fixture.change("Note") { $0.attributeMappings = [mapping] }
      try fixture.migrate()
      results.append(try fixture.rows("SELECT ZBODY FROM ZNOTE"))
    }
    #expect(results[0] == results[1])
  }

  @Test func `a policy may hand a changed mapping to the default, from one instance to the next`() throws {
    final class Policy: EntityMigrationPolicy {
      override func createDestinationInstances(
        forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
      ) throws {
        var mapping = mapping
        mapping.attributeMappings = [
          PropertyMapping(name: "body", valueExpression: .constant(.string("\(sInstance.objectID.primaryKey)")))
        ]
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
      }
    }
    var fixture = try ObjectFixture(Self.old, sql: Self.notes)
    fixture.use(Policy(), for: "Note")
    try fixture.migrate()
    #expect(try fixture.rows("SELECT ZBODY FROM ZNOTE") == ["3", "5", "9"])
  }

  @Test func `expressions reach the policy, the mapping and what it says of itself`() throws {
    final class Policy: EntityMigrationPolicy {
      override func perform(
        _ selector: String, with arguments: [ExpressionValue], manager: MigrationManager
      ) throws -> ExpressionValue? {
        guard selector == "shout:", case .string(let text) = arguments[0] else { return nil }
        return .string(text.uppercased() + "!")
      }
    }
    for (format, wanted) in [
      ("FUNCTION($entityPolicy, 'shout:', $source.body)", "A!"), ("$entityMapping.userInfo.version", "2"),
      ("$entityMapping.name", "NoteToNote"), ("$source.body", "a"),
    ] {
      var fixture = try ObjectFixture(Self.old, sql: Self.notes)
      let mapping = try Self.attribute("body", format)
      fixture.use(Policy(), for: "Note")
      fixture.change("Note") {
        $0.attributeMappings = [mapping]
        $0.userInfo = ["version": "2"]
      }
      try fixture.migrate()
      #expect(try fixture.rows("SELECT ZBODY FROM ZNOTE").first == wanted)
    }
    var fixture = try ObjectFixture(Self.old, sql: Self.notes)
    let mapping = try Self.attribute("body", "FUNCTION($entityPolicy, 'whisper:', $source.body)")
    fixture.use(Policy(), for: "Note")
    fixture.change("Note") { $0.attributeMappings = [mapping] }
    #expect(try #require(throws: MigrationError.self) { try fixture.migrate() }.code == .invalidMappingModel)
  }

  @Test func `several mapping models fill one destination, and what policies share outlasts each`() throws {
    var fixture = try ObjectFixture(Self.old, to: Self.new, sql: Self.notes)
    var related: [String] = []
    let filters = ["body == 'a'", "body != 'a'"]
    fixture.mappingModels = try filters.enumerated().map { index, format in
      var mapping = EntityMapping.suggested(
        from: Self.old.entities[0], to: MigrationFixture.entity("Note", in: Self.new))
      mapping.filterPredicate = try Predicate(format: format)
      mapping.entityMigrationPolicyClassName = "Note"
      mapping.userInfo = ["pass": "\(index)"]
      return MappingModel(entityMappings: [mapping])
    }
    fixture.registry.register("Note") {
      ClosurePolicy(
        begin: { mapping, manager in
          let seen = try manager.destinationContext.count(for: FetchRequest(entityName: "Note"))
          let shared = manager.userInfo["passes"] as? [String] ?? []
          manager.userInfo["passes"] = shared + ["\(mapping.userInfo["pass"] ?? ""): \(seen)"]
          let key = "note"
          _ = manager.lookup(withKey: key).value(forKey: UnsafeRawBufferPointer(start: nil, count: 0)) { 1 }
          #expect(manager.lookup(withKey: key).count == 1)
        },
        relate: { instance, manager in
          related.append("\(manager.currentEntityMapping?.userInfo["pass"] ?? "") \(instance.objectID.primaryKey)")
        },
        endCreation: { mapping, manager in
          // The associations of the earlier model are there, under the same name.
          let count = manager.destinationInstances(forEntityMappingName: mapping.name).count
          #expect(count == (mapping.userInfo["pass"] == "0" ? 1 : 3))
          if mapping.userInfo["pass"] == "1" {
            let note = try manager.destinationContext.fetch(
              FetchRequest(entityName: "Note", predicate: try Predicate(format: "body == 'a'"))
            ).first
            note?.setValue(.string("changed later"), forKey: "body")
            #expect(manager.userInfo["passes"] as? [String] == ["0: 0", "1: 1"])
          }
        })
    }
    try fixture.migrate()
    // Each model connects what it made itself.
    #expect(related == ["0 1", "1 2", "1 3"])
    #expect(try fixture.rows("SELECT ZBODY FROM ZNOTE ORDER BY Z_PK") == ["changed later", "b", "c"])
  }

  private struct Refusal: Error, CustomStringConvertible { let description = "no, thanks" }

  @Test func `an error of a policy names the instance in both passes that have one`() throws {
    var fixture = try ObjectFixture(Self.old, sql: Self.notes)
    fixture.use(
      ClosurePolicy(create: {
        if $0.objectID.primaryKey == 5 { throw Refusal() }; _ = ($1, $2)
      }), for: "Note")
    var error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect((error.subject.entity, error.subject.row, error.subject.name) == ("Note", 5, "NoteToNote"))
    Files.remove(fixture.destination)
    fixture.use(
      ClosurePolicy(relate: {
        if $0.objectID.primaryKey == 2 { throw Refusal() }; _ = $1
      }), for: "Note")
    error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect((error.subject.entity, error.subject.row, error.subject.name) == ("Note", 2, "NoteToNote"))
    #expect(error.detail == "no, thanks")
  }

  @Test func `associations that are made in any order are found both ways`() throws {
    var fixture = try ObjectFixture(Self.old, sql: Self.notes)
    fixture.use(
      ClosurePolicy(
        create: { _, _, _ in },
        endCreation: { mapping, manager in
          let sources = try manager.sourceContext.fetch(FetchRequest(entityName: "Note"))
          let made = try (0..<4).map { _ in try manager.destinationContext.insertNewObject(forEntityName: "Note") }
          func pair(_ source: Int, _ destination: Int) {
            manager.associate(sourceInstance: sources[source], withDestinationInstance: made[destination], for: mapping)
          }
          func destinations(_ source: Int) -> [Int64] {
            manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sources[source]])
              .map(\.objectID.primaryKey)
          }
          func origins(_ destination: Int) -> [Int64] {
            manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [made[destination]])
              .map(\.objectID.primaryKey)
          }
          pair(0, 1)
          pair(1, 1)
          pair(1, 2)
          #expect([destinations(0), destinations(1), destinations(2)] == [[2], [2, 3], []])
          #expect([origins(0), origins(1), origins(2)] == [[], [3, 5], [5]])
          pair(2, 0)
          pair(0, 3)
          pair(0, 0)
          #expect([destinations(0), destinations(1), destinations(2)] == [[2, 4, 1], [2, 3], [1]])
          #expect([origins(0), origins(1), origins(2), origins(3)] == [[9, 3], [3, 5], [5], [3]])
          let all = manager.destinationInstances(forEntityMappingName: mapping.name).map(\.objectID.primaryKey)
          #expect(all == [2, 3, 1, 4])
          #expect(manager.sourceInstances(forEntityMappingName: mapping.name).map(\.objectID.primaryKey) == [3, 5, 9])
          // What was deleted is no destination any more.
          manager.destinationContext.delete(made[1])
          #expect(destinations(0) == [4, 1])
        }), for: "Note")
    let statistics = try fixture.migrate()
    #expect(statistics.destinationInstanceCounts == ["Note": 3])
    #expect(statistics[MigrationManager.unassociatedCounter] == 0)
  }
}
