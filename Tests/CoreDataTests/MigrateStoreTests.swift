import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import SystemC
import TestSupport
import Testing

@testable import CoreData

/// Stores what it finds in the user info.
final class SharingPolicy: NSEntityMigrationPolicy {
  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    manager.userInfo?["seen"] = manager.userInfo?["given"]
  }
}

/// The calls with which an app migrates a store itself.
struct MigrateStoreTests {
  private let old = NSManagedObjectModel(TrackModels.v1)
  private let new = NSManagedObjectModel(TrackModels.v2)

  private func library() throws -> PolicyFixture {
    try PolicyFixture([
      TrackRow(1, json: #"{"artists":[{"id":"1","name":"X","imageURL":"u"}]}"#), TrackRow(2, json: nil),
    ])
  }

  private func migrate(
    _ fixture: PolicyFixture, policy: String?, type: String = NSSQLiteStoreType, newType: String = NSSQLiteStoreType,
    _ prepare: (NSMigrationManager) -> Void = { _ in }
  ) throws {
    let mapping = fixture.mapping("Track", in: TrackModels.v2, policy: policy)
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    prepare(manager)
    try manager.migrateStore(
      from: URL(filePath: fixture.source), sourceType: type, options: nil,
      with: NSMappingModel(MappingModel(entityMappings: [mapping])),
      toDestinationURL: URL(filePath: fixture.destination), destinationType: newType, destinationOptions: nil)
  }

  @Test func `A policy is found by its module-qualified name without registration`() throws {
    let fixture = try library()
    let before = try Files.bytes(fixture.source)
    try migrate(fixture, policy: "CoreDataTests.V2MigrationPolicy")
    #expect(try fixture.rows("SELECT ZNAME FROM ZARTIST") == ["X"])
    #expect(try fixture.rows("SELECT count(*) FROM ZTRACK") == ["2"])
    #expect(try Files.bytes(fixture.source) == before)
  }

  @Test func `Policies share the user info with the caller before and after the migration`() throws {
    let fixture = try library()
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    manager.userInfo = ["given": 7]
    let mapping = fixture.mapping("Track", in: TrackModels.v2, policy: "CoreDataTests.SharingPolicy")
    try manager.migrateStore(
      from: URL(filePath: fixture.source), sourceType: NSSQLiteStoreType, options: nil,
      with: NSMappingModel(MappingModel(entityMappings: [mapping])),
      toDestinationURL: URL(filePath: fixture.destination), destinationType: NSSQLiteStoreType, destinationOptions: nil)
    #expect(manager.userInfo?["given"] as? Int == 7)
    #expect(manager.userInfo?["seen"] as? Int == 7)
  }

  @Test func `The join table of a reflexive relationship keeps its name`() throws {
    func model(_ others: AttributeDescription...) -> ManagedObjectModel {
      TrackModels.model([
        EntityDescription("Other", attributes: others),
        EntityDescription(
          "P",
          relationships: [
            RelationshipDescription("next", to: "P", inverse: "previous"),
            RelationshipDescription("previous", to: "P", inverse: "next"),
          ]),
      ])
    }
    let (old, new) = (model(), model(AttributeDescription("new", .string)))
    let folder = try TemporaryFolder()
    let (source, destination) = (folder.file("Old.sqlite"), folder.file("New.sqlite"))
    try StoreWriter(
      path: source, schema: StoreSchema(old, joinTables: JoinTableNaming(chosen: ["P.next"])), layout: .coreData
    ).finish(metadata: .new(for: old, uuid: "ID"))
    try Database.run("INSERT INTO ZP (Z_PK, Z_ENT) VALUES (1, 2); INSERT INTO Z_2NEXT VALUES (1, 1)", in: source)
    try NSMigrationManager(
      sourceModel: NSManagedObjectModel(old), destinationModel: NSManagedObjectModel(new)
    ).migrateStore(
      from: URL(filePath: source), sourceType: NSSQLiteStoreType, options: nil,
      with: NSMappingModel(try MappingModel.inferred(from: old, to: new)),
      toDestinationURL: URL(filePath: destination), destinationType: NSSQLiteStoreType, destinationOptions: nil)
    #expect(try Database.rows("SELECT * FROM Z_2NEXT", in: destination) == ["1|1"])
  }

  @Test func `Failures are Cocoa errors and leave no file behind`() throws {
    let fixture = try library()
    let error = try #require(throws: NSError.self) { try migrate(fixture, policy: "Nowhere.Policy") }
    #expect(error.domain == NSCocoaErrorDomain)
    #expect(error.code == NSMigrationMissingMappingModelError)
    #expect(error.localizedDescription.contains("Nowhere.Policy"))
    #expect((error.userInfo[NSUnderlyingErrorKey] as? MigrationError)?.code == .missingPolicy)
    #expect(!Files.exists(fixture.destination))
    try Files.write("mine", to: fixture.destination)
    let taken = try #require(throws: NSError.self) { try migrate(fixture, policy: nil) }
    #expect(taken.code == NSMigrationManagerDestinationStoreError)
    #expect(try Files.text(fixture.destination) == "mine")
    Files.remove(fixture.destination)
    for (type, newType) in [("XML", NSSQLiteStoreType), (NSSQLiteStoreType, "XML")] {
      let error = try #require(throws: NSError.self) {
        try migrate(fixture, policy: nil, type: type, newType: newType)
      }
      #expect(error.localizedDescription.contains("stores of type 'XML' are not known here"))
      #expect(!Files.exists(fixture.destination))
    }
    let other = try PolicyFixture(Things.model, Things.rows)
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    let wrong = try #require(throws: NSError.self) {
      try manager.migrateStore(
        from: URL(filePath: other.source), sourceType: NSSQLiteStoreType, with: NSMappingModel(),
        toDestinationURL: URL(filePath: other.destination), destinationType: NSSQLiteStoreType)
    }
    #expect(wrong.code == NSMigrationMissingSourceModelError)
  }

  @Test func `a commit meanwhile is refused, so that it is not lost`() throws {
    final class Committing: NSEntityMigrationPolicy {
      var attempt: () throws -> Void = {}
      private(set) var error: (any Error)?

      override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        do { try attempt() } catch { self.error = error }
      }
    }
    let fixture = try library()
    let policy = Committing()
    policy.attempt = { try Database.run("UPDATE ZTRACK SET ZTITLE = 'changed'", in: fixture.source) }
    try migrate(fixture, policy: "Committing") { $0.policies.register("Committing") { policy } }
    #expect(policy.error.map { "\($0)" }?.contains("locked") == true)
    #expect(try Database.rows("SELECT count(*) FROM ZTRACK WHERE ZTITLE = 'changed'", in: fixture.source) == ["0"])
    try policy.attempt()
    #expect(try Database.rows("SELECT count(*) FROM ZTRACK WHERE ZTITLE = 'changed'", in: fixture.source) == ["2"])
  }

  @Test func `large values in files and the app's own tables come along`() throws {
    func model(_ others: AttributeDescription...) -> ManagedObjectModel {
      let data = AttributeDescription("data", .binaryData, allowsExternalBinaryDataStorage: true)
      return TrackModels.model([EntityDescription("Picture", attributes: [data] + others)])
    }
    let (old, new) = (model(), model(AttributeDescription("new", .string)))
    let name = "00000001-ABCD-4EF0-8123-456789ABCDEF"
    let fixture = try PolicyFixture(
      old,
      """
      INSERT INTO ZPICTURE (Z_PK, Z_ENT, ZDATA) VALUES (1, 1, CAST(x'02' || '\(name)' || x'00' AS BLOB));
      CREATE TABLE settings (a); INSERT INTO settings VALUES (7); CREATE VIEW seen AS SELECT a FROM settings
      """)
    let values = try fixture.folder.makeFolder(".Old_SUPPORT/_EXTERNAL_DATA")
    try Files.write("large", to: "\(values)/\(name)")
    let manager = NSMigrationManager(
      sourceModel: NSManagedObjectModel(old), destinationModel: NSManagedObjectModel(new))
    try manager.migrateStore(
      from: URL(filePath: fixture.source), sourceType: NSSQLiteStoreType,
      with: NSMappingModel(try MappingModel.inferred(from: old, to: new)),
      toDestinationURL: URL(filePath: fixture.destination), destinationType: NSSQLiteStoreType)
    #expect(try fixture.rows("SELECT a FROM settings") == ["7"])
    #expect(try Files.text(fixture.folder.file(".New_SUPPORT/_EXTERNAL_DATA/\(name)")) == "large")
    #expect(manager.droppedContent.map(\.name) == ["seen"])
  }

  @Test func `a policy that fails leaves the source as it was, and nothing beside it`() throws {
    final class Failing: NSEntityMigrationPolicy {
      override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        throw CocoaError(.fileNoSuchFile)
      }
    }
    let fixture = try library()
    let before = try fixture.folder.snapshot()
    let error = try #require(throws: NSError.self) {
      try migrate(fixture, policy: "Failing") { $0.policies.register("Failing") { Failing() } }
    }
    #expect(error.code == NSEntityMigrationPolicyError)
    #expect(try fixture.folder.snapshot() == before)
  }

  @Test func `Each kind of error has the code that apps expect`() {
    let codes: [Int: [MigrationError.Code]] = [
      NSPersistentStoreIncompatibleVersionHashError: [.migrationRequired],
      NSMigrationError: [.migrationFailed, .strictFindings, .validationFailed, .alreadyRunning],
      NSMigrationCancelledError: [.interrupted],
      NSMigrationMissingSourceModelError: [
        .unknownVersion, .newerVersion, .missingModel, .unusableModel, .unknownModelVersion,
      ],
      NSMigrationMissingMappingModelError: [
        .invalidMappingModel, .noMigrationPath, .ambiguousMappingModel, .missingPolicy,
      ],
      NSMigrationManagerSourceStoreError: [
        .missing, .isDirectory, .notAFile, .unreadable, .notADatabase, .notACoreDataStore, .damaged,
        .unfinishedTransaction, .unreadableWriteAheadLog, .locked,
      ],
      NSMigrationManagerDestinationStoreError: [.outputExists, .cannotCreate, .cannotReplace, .inputOutput, .diskFull],
      NSEntityMigrationPolicyError: [.policyFailed],
      NSInferredMappingModelError: [.inferenceFailed],
    ]
    #expect(
      codes.keys.sorted() == [134100, 134110, 134120, 134130, 134140, 134150, 134160, 134170, 134190])
    for (number, codes) in codes {
      for code in codes {
        let error = MigrationError(code, path: "/x").cocoaError
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == number, "\(code)")
        #expect(!error.localizedDescription.isEmpty)
      }
    }
  }

  @Test func `A policy that stops the migration does not count as failed`() throws {
    final class Policy: NSEntityMigrationPolicy {
      override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        throw MigrationError(.interrupted)
      }
    }
    let fixture = try library()
    let mapping = fixture.mapping("Track", in: TrackModels.v2, policy: "Stopping")
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    manager.policies.register("Stopping") { Policy() }
    let error = try #require(throws: NSError.self) {
      try manager.migrateStore(
        from: URL(filePath: fixture.source), sourceType: NSSQLiteStoreType,
        with: NSMappingModel(MappingModel(entityMappings: [mapping])),
        toDestinationURL: URL(filePath: fixture.destination), destinationType: NSSQLiteStoreType)
    }
    #expect(error.code == NSMigrationCancelledError)
    #expect(!Files.exists(fixture.destination))
  }

  @Test func `An entity is dropped without asking, as in Core Data, and its rows are counted`() throws {
    let fixture = try library()
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    #expect(manager.removedInstancesCountByEntity.isEmpty)
    try manager.migrateStore(
      from: URL(filePath: fixture.source), sourceType: NSSQLiteStoreType, with: NSMappingModel(),
      toDestinationURL: URL(filePath: fixture.destination), destinationType: NSSQLiteStoreType)
    #expect(try fixture.rows("SELECT count(*) FROM ZTRACK") == ["0"])
    #expect(manager.removedInstancesCountByEntity == ["Track": 2])
  }

  @Test func `A store's metadata identifies the model that it was written with`() throws {
    let fixture = try library()
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: URL(filePath: fixture.source), options: nil)
    #expect(old.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    #expect(!new.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    #expect(!old.isConfiguration(withName: "None", compatibleWithStoreMetadata: metadata))
    #expect(!old.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
    #expect(metadata[NSStoreUUIDKey] as? String == "6D3A3F1E-0C55-4C6B-9F0E-1A2B3C4D5E6F")
    #expect(metadata[NSStoreTypeKey] as? String == "SQLite")
    let error = try #require(throws: NSError.self) {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: URL(filePath: fixture.source + "x"))
    }
    #expect(error.code == NSMigrationManagerSourceStoreError)
  }

  @Test func `A store is found by a URL whose bytes are not UTF-8`() throws {
    let fixture = try library()
    let folder = try TemporaryFolder()
    // Foundation cannot name or remove such a file.
    let path = String(pathBytes: Array(folder.file("L").utf8) + [0xE9])
    #expect(rename(fixture.source, path) == 0)
    defer { unlink(path) }
    let url = try #require(URL(string: "file://\(folder.path)/L%E9"))
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
    #expect(metadata[NSStoreUUIDKey] as? String == "6D3A3F1E-0C55-4C6B-9F0E-1A2B3C4D5E6F")
  }

  @Test func `Models are compared by their content`() {
    #expect(old == NSManagedObjectModel(TrackModels.v1))
    #expect(old != new)
    #expect(old.entitiesByName == NSManagedObjectModel(TrackModels.v1).entitiesByName)
    #expect(new.entities.map(\.name) == ["Artist", "Track"])
    #expect(new.entityVersionHashesByName.count == 2)
    let track = new.entitiesByName["Track"]
    #expect(track?.attributesByName.keys.sorted() == ["imageURL", "lastPlayedAt", "title"])
    #expect(track?.relationshipsByName["artists"]?.inverseRelationship?.name == "tracks")
    #expect(track?.relationshipsByName["artists"]?.destinationEntity == new.entitiesByName["Artist"])
    #expect(track?.attributesByName["lastPlayedAt"]?.attributeType == .dateAttributeType)
    #expect(track?.propertiesByName.count == 4)
    #expect([URL(filePath: "/nonexistent.momd")].compactMap(NSManagedObjectModel.init(contentsOf:)).isEmpty)
    #expect(NSManagedObjectModel().entities.isEmpty)
  }

  @Test func `Entities know their place in the inheritance at any depth`() {
    let names = (0..<6).map { "E\($0)" }
    let model = NSManagedObjectModel(
      TrackModels.model(
        zip(names, [nil] + names.map { $0 as String? }).map { EntityDescription($0, superentityName: $1) }))
    let (top, bottom) = (model.entitiesByName["E0"], model.entitiesByName["E5"])
    #expect(bottom?.superentity?.name == "E4")
    #expect(top?.subentities.map(\.name) == ["E1"])
    #expect(top.map { bottom?.isKindOf(entity: $0) == true } == true)
    #expect(bottom.map { top?.isKindOf(entity: $0) == false } == true)
  }
}
