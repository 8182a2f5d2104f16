import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@testable import Migration

/// Links as policies give them: by the names of relationships, whose columns they do not know.
struct LinkBufferTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("New.sqlite")
  }

  private func write(_ model: ManagedObjectModel, _ links: (DestinationStore) throws -> Void) throws -> [String: Int] {
    let writer = try StoreWriter(path: path, schema: StoreSchema(model), layout: .coreData)
    let store = DestinationStore(writer)
    try links(store)
    let counts = try store.writeLinks()
    try writer.finish(metadata: .new(for: model, uuid: "ID"))
    return counts
  }

  @Test func `A link is the same from either side`() throws {
    let counts = try write(TrackModels.v2) { store in
      let artists = try store.links(forRelationship: "artists", ofEntityNamed: "Track")
      artists.append(from: 1, to: 20)
      artists.append(from: 2, to: 10)
      try store.links(forRelationship: "tracks", ofEntityNamed: "Artist").append(from: 20, to: 1)
    }
    #expect(counts == ["Z_1TRACKS": 2])
    #expect(
      try Database.rows("SELECT Z_1ARTISTS, Z_2TRACKS FROM Z_1TRACKS ORDER BY 1", in: path) == ["10|2", "20|1"])
  }

  @Test(arguments: ["Artist", "Track"])
  func `A property that is no many-to-many relationship has no links`(entity: String) throws {
    #expect(throws: (any Error).self) {
      _ = try write(TrackModels.v2) { _ = try $0.links(forRelationship: "title", ofEntityNamed: entity) }
    }
  }

  @Test(arguments: ["naming", "other"])
  func `Links are refused from either side where one side is ordered`(ordered: String) throws {
    let model = TrackModels.model([
      EntityDescription("A", relationships: [BulkFixture.many("naming", "B", "other", isOrdered: ordered == "naming")]),
      EntityDescription("B", relationships: [BulkFixture.many("other", "A", "naming", isOrdered: ordered == "other")]),
    ])
    let counts = try write(model) { store in
      for (name, entity) in [("naming", "A"), ("other", "B")] {
        let error = try #require(throws: MigrationError.self) {
          try store.links(forRelationship: name, ofEntityNamed: entity)
        }
        #expect(error.detail == "an ordered relationship cannot be written in bulk")
      }
    }
    #expect(counts.isEmpty)
  }
}
