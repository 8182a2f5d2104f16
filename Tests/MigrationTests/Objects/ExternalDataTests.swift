import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// Data that may be stored in external files.
struct ExternalDataTests {
  private static let model = TrackModels.model([
    EntityDescription(
      "Photo",
      attributes: [
        AttributeDescription("data", .binaryData, allowsExternalBinaryDataStorage: true),
        AttributeDescription("name", .string), AttributeDescription("small", .binaryData),
      ])
  ])

  private static let name = "0F2B8C5A-0D0E-4C0C-9B59-3C3E5C7A9D11"

  private static func reference(_ name: String) -> String {
    let hex = name.utf8.map { String($0, radix: 16) }.joined()
    return "INSERT INTO ZPHOTO (Z_PK, Z_ENT, ZDATA) VALUES (7, 1, x'02\(hex)00')"
  }

  private func migrate(_ fixture: ObjectFixture, files: [String: [UInt8]]) throws {
    let manager = try fixture.manager()
    manager.readExternalData = { files[$0] }
    _ = try manager.migrate()
  }

  @Test func `Data is read without its marker byte and written with it`() throws {
    var fixture = try ObjectFixture(
      Self.model,
      sql: [
        "INSERT INTO ZPHOTO (Z_PK, Z_ENT, ZDATA, ZSMALL) VALUES (1, 1, x'01', x'01FF'), (2, 1, x'0102FF', x''), (3, 1, NULL, NULL)"
      ])
    var seen: [AttributeValue?] = []
    fixture.use(
      ClosurePolicy(relate: { instance, manager in
        let sources = manager.sourceInstances(forEntityMappingName: "PhotoToPhoto", destinationInstances: [instance])
        seen += sources.map { $0.value(forKey: "data") }
      }), for: "Photo")
    try fixture.migrate()
    #expect(seen == [.data([]), .data([2, 255]), nil])
    #expect(
      try fixture.rows("SELECT ZDATA, ZSMALL FROM ZPHOTO ORDER BY Z_PK") == [
        "x'01'|x'01FF'", "x'0102FF'|x''", "NULL|NULL",
      ])
  }

  /// Adds a policy that sets what it has read.
  private func setting(_ fixture: inout ObjectFixture) {
    fixture.use(
      ClosurePolicy(relate: { instance, manager in
        for source in manager.sourceInstances(forEntityMappingName: "PhotoToPhoto", destinationInstances: [instance]) {
          instance.setValue(source.value(forKey: "data"), forKey: "data")
        }
      }), for: "Photo")
  }

  @Test func `An external file that a policy reads is written with the row`() throws {
    var fixture = try ObjectFixture(Self.model, sql: [Self.reference(Self.name)])
    setting(&fixture)
    try migrate(fixture, files: [Self.name: [9, 8]])
    #expect(try fixture.rows("SELECT ZDATA FROM ZPHOTO") == ["x'010908'"])
  }

  @Test func `Data that is copied stays in its external file, which no second row refers to`() throws {
    var fixture = try ObjectFixture(Self.model, sql: [Self.reference(Self.name)])
    var again = try #require(fixture.mappingModels.first?.entityMappings.first)
    again.name = "Again"
    fixture.mappingModels[0].entityMappings.append(again)
    try migrate(fixture, files: [Self.name: [9, 8]])
    #expect(
      try fixture.rows("SELECT length(ZDATA), hex(substr(ZDATA, 1, 3)) FROM ZPHOTO ORDER BY Z_PK")
        == ["38|023046", "3|010908"])
  }

  @Test func `A missing external file is an error that names the row`() throws {
    var fixture = try ObjectFixture(Self.model, sql: [Self.reference(Self.name)])
    setting(&fixture)
    let error = try #require(throws: MigrationError.self) { try migrate(fixture, files: [:]) }
    #expect(error.code == .missingExternalFile)
    #expect((error.subject.entity, error.subject.property, error.subject.row) == ("Photo", "data", 7))
    #expect(error.detail?.contains(Self.name) == true)
    Files.remove(fixture.destination)
    #expect(try #require(throws: MigrationError.self) { try fixture.migrate() }.code == .missingExternalFile)
  }

  @Test func `An external file that is not needed is not read`() throws {
    var fixture = try ObjectFixture(Self.model, sql: [Self.reference(Self.name)])
    fixture.change("Photo") { $0.attributeMappings = [PropertyMapping(name: "name", valueExpression: .source("name"))] }
    try fixture.migrate()
    #expect(try fixture.rows("SELECT Z_PK, ZDATA FROM ZPHOTO") == ["1|NULL"])
  }

  @Test func `Data that only resembles a reference is kept as data`() throws {
    for name in ["../../../../../../../../../../etc/pa", String(repeating: "A", count: 36)] {
      let fixture = try ObjectFixture(Self.model, sql: [Self.reference(name)])
      try migrate(fixture, files: [name: [1]])
      #expect(try fixture.rows("SELECT length(ZDATA), hex(substr(ZDATA, 1, 2)) FROM ZPHOTO") == ["39|0102"])
    }
  }

  @Test func `Predicates see the data and not the column`() throws {
    var fixture = try ObjectFixture(
      Self.model, sql: ["INSERT INTO ZPHOTO (Z_PK, Z_ENT, ZDATA) VALUES (1, 1, x'01AA'), (2, 1, x'01BB'), (3, 1, NULL)"]
    )
    var found: [[Int64]] = []
    fixture.use(
      ClosurePolicy(endCreation: { _, manager in
        for predicate in [try Predicate(format: "data == %@", .data([0xAA])), try Predicate(format: "data != nil")] {
          for context in [manager.sourceContext, manager.destinationContext] {
            found.append(
              try context.fetch(FetchRequest(entityName: "Photo", predicate: predicate)).map(\.objectID.primaryKey))
          }
        }
      }), for: "Photo")
    try fixture.migrate()
    #expect(found == [[1], [1], [1, 2], [1, 2]])
  }
}
