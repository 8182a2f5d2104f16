import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// Associations, and what else lasts from one mapping to the next.
struct AssociationTests {
  @Test func `Several mapping models fill one destination, and policies share data across them`() throws {
    var fixture = try ObjectFixture(Notes.old, to: Notes.new, sql: Notes.rows)
    var related: [String] = []
    let filters = ["body == 'a'", "body != 'a'"]
    fixture.mappingModels = try filters.enumerated().map { index, format in
      var mapping = EntityMapping.suggested(
        from: Notes.old.entities[0], to: MigrationFixture.entity("Note", in: Notes.new))
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

  @Test func `A policy error names the instance in both passes that have one`() throws {
    var fixture = try ObjectFixture(Notes.old, sql: Notes.rows)
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

  @Test func `Associations are found in both directions regardless of the order they were made in`() throws {
    var fixture = try ObjectFixture(Notes.old, sql: Notes.rows)
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
          // A deleted instance is no longer a destination.
          manager.destinationContext.delete(made[1])
          #expect(destinations(0) == [4, 1])
        }), for: "Note")
    let statistics = try fixture.migrate()
    #expect(statistics.destinationInstanceCounts == ["Note": 3])
    #expect(statistics[MigrationManager.unassociatedCounter] == 0)
  }
}
