import CoreDataExpressions
import DataModel
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

@testable import Migration

/// Rows that a second thread writes for a policy that takes instances one by one.
struct RowsBehindTests {
  /// More than are handed over at a time.
  private static let rows = (1...5000).map { TrackRow(Int64($0), title: .text("Title \($0)"), json: .text("{}")) }

  /// Migrates the rows, and lets the policy look back at instances that may be on their way to the store.
  private func migrate(
    threadCount: Int, _ onInstance: @escaping (ManagedObject, MigrationManager) throws -> Void = { _, _ in }
  ) throws -> MigrationFixture {
    var fixture = try MigrationFixture(Self.rows)
    fixture.threadCount = threadCount
    fixture.use {
      ClosurePolicy(create: { instance, mapping, manager in
        let context = manager.destinationContext
        let wasHandedOver = manager.destinationObjects.changed.isEmpty
        let new = try context.insertNewObject(forEntityName: "Track")
        new.setValue(instance.value(forKey: "title"), forKey: "title")
        manager.associate(sourceInstance: instance, withDestinationInstance: new, for: mapping)
        let number = new.objectID.primaryKey
        if number > 1, wasHandedOver {
          // These are on their way this very moment.
          let title = AttributeValue.string("Title \(number - 1)")
          let request = FetchRequest(
            entityName: "Track", predicate: try Predicate(format: "title == %@", .string("Title \(number - 1)")))
          let found = try #require(try context.fetch(request).first)
          #expect(found.attributeValues.isEmpty)
          #expect(found.value(forKey: "title") == title)
          found.setValue(.string("looked at by \(number)"), forKey: "imageURL")
          let other = ManagedObjectID(
            store: .destination, entityNumber: new.objectID.entityNumber, primaryKey: number - 2)
          context.delete(try #require(context.object(with: other)))
        }
        try onInstance(new, manager)
      })
    }
    try fixture.migrate()
    return fixture
  }

  @Test func `The file is byte-for-byte the same whether or not a background thread writes the rows`() throws {
    let inStep = try migrate(threadCount: 1)
    let behind = try migrate(threadCount: 2)
    #expect(try behind.rows("SELECT count(*), count(ZIMAGEURL) FROM ZTRACK") == ["4998|2"])
    #expect(try Database.integrity(behind.destination) == ["ok"])
    #expect(try Files.bytes(inStep.destination) == Files.bytes(behind.destination))
  }

  @Test func `A policy that inserts its own rows gets exclusive access to the store`() throws {
    var inserter: InstanceInserter?
    let fixture = try migrate(threadCount: 2) { new, manager in
      let number = new.objectID.primaryKey
      #expect(manager.destinationStore.rows.isBehind == (number <= 3000))
      if number == 3000 {
        inserter = try manager.destinationStore.inserter(forEntityNamed: "Artist", properties: ["name"])
      }
      try inserter?.insert(primaryKey: number, values: [.text("Artist \(number)")])
      if number == 5000 { inserter = nil }
    }
    #expect(try fixture.rows("SELECT count(*) FROM ZTRACK") == ["4998"])
    #expect(
      try fixture.rows("SELECT count(*), min(ZNAME), max(ZNAME) FROM ZARTIST") == ["2001|Artist 3000|Artist 5000"])
    #expect(try Database.integrity(fixture.destination) == ["ok"])
  }

  @Test(arguments: [1, 2])
  func `A failed migration stops its writer and closes the store`(threadCount: Int) throws {
    struct Failure: Error {}
    let fixture = try MigrationFixture(Self.rows)
    let reader = try StoreReader(path: fixture.source)
    let writer = try StoreWriter(
      path: fixture.destination, schema: StoreSchema(TrackModels.v2), layout: reader.layout)
    var options = MigrationManager.Options()
    options.threadCount = threadCount
    options.policies.register("Failing") {
      ClosurePolicy(create: { _, _, manager in
        let new = try manager.destinationContext.insertNewObject(forEntityName: "Track")
        if new.objectID.primaryKey == 4000 { throw Failure() }
      })
    }
    let mapping = EntityMapping.suggested(
      from: MigrationFixture.entity("Track", in: TrackModels.v1),
      to: MigrationFixture.entity("Track", in: TrackModels.v2), policy: "Failing")
    let manager = try MigrationManager(
      source: reader, sourceModel: TrackModels.v1, mappingModels: [MappingModel(entityMappings: [mapping])],
      destination: writer, options: options)
    #expect(throws: MigrationError.self) { try manager.migrate() }
    // A statement that is left would be in the way.
    try writer.connection.close()
    try reader.close()
    withExtendedLifetime(manager) {}
  }

  @Test func `An SQLite error is the same from a background writer, and nothing is written after it`() throws {
    var messages: [String] = []
    for isBehind in [false, true] {
      let folder = try TemporaryFolder()
      let writer = try StoreWriter(
        path: folder.file("New.sqlite"), schema: StoreSchema(TrackModels.v2), layout: .coreData)
      let layout = try #require(EntityLayouts(writer.schema)["Track"])
      let rows = BackgroundRowWriter(writer.connection)
      if isBehind { rows.start() }
      func row(_ key: Int64) -> ChangedRow {
        ChangedRow(change: .insertion, layout: layout, primaryKey: key, values: StoredValues())
      }
      try rows.write([row(1), row(2)])
      let error = #expect(throws: SQLiteError.self) {
        try rows.write([row(3), row(2), row(4)])
        try rows.wait()
      }
      messages.append("\(error.map(\.message) ?? "")")
      if isBehind {
        #expect(throws: SQLiteError.self) { try rows.write([row(5)]) }
        #expect(throws: SQLiteError.self) { try rows.stayInStep() }
      }
      rows.close()
      #expect(try writer.connection.integer("SELECT sum(Z_PK) FROM ZTRACK") == 6)
    }
    #expect(messages.first?.contains("UNIQUE") == true)
    #expect(messages.first == messages.last)
  }
}
