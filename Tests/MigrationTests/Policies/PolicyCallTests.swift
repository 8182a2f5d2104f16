import Migration
import MigrationDiagnostics
import TestSupport
import Testing

struct PolicyCallTests {
  private let log = CallLog()

  private static let rows = [TrackRow(5, json: nil), TrackRow(9, json: nil)]

  /// Two mappings with a policy each.
  private func fixture(onCall: @escaping (String, MigrationManager) throws -> Void = { _, _ in }) throws
    -> MigrationFixture
  {
    var fixture = try MigrationFixture(Self.rows)
    let log = log
    fixture.use { RecordingPolicy(log, onCall: onCall) }
    fixture.mappings = ["A", "B"].map { MigrationFixture.tracks(policy: "Custom", name: $0) }
    return fixture
  }

  @Test func `Three passes call all seven methods, mapping after mapping`() throws {
    try fixture().migrate()
    #expect(
      log.calls == [
        "A begin", "A create 5", "A create 9", "A endInstanceCreation",
        "B begin", "B create 5", "B create 9", "B endInstanceCreation",
        "A relate 1", "A relate 2", "A endRelationshipCreation",
        "B relate 3", "B relate 4", "B endRelationshipCreation",
        "A validate", "A end", "B validate", "B end",
      ])
  }

  private struct Refusal: Error, CustomStringConvertible { let description = "no, thanks" }

  private static let calls = [
    "begin", "create 9", "endInstanceCreation", "relate 2", "endRelationshipCreation", "validate", "end",
  ]

  @Test(arguments: calls)
  func `An error from a policy ends the migration at once`(call: String) throws {
    let fixture = try fixture { name, _ in if name == call { throw Refusal() } }
    let before = try Files.bytes(fixture.source)
    let error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect(log.calls.last == "A \(call)")
    #expect(error.code == .policyFailed)
    #expect(error.detail == "no, thanks")
    #expect(error.subject.name == "A")
    #expect(try Files.bytes(fixture.source) == before)
    #expect(throws: (any Error).self) { try fixture.rows("SELECT * FROM Z_METADATA") }
  }

  @Test(arguments: calls)
  func `A migration error thrown by a policy is passed on unchanged`(call: String) throws {
    let fixture = try fixture { name, _ in if name == call { throw MigrationError(.strictFindings, path: "x") } }
    #expect(try #require(throws: MigrationError.self) { try fixture.migrate() }.code == .strictFindings)
  }

  @Test(arguments: calls)
  func `A policy can cancel the migration as soon as it returns`(call: String) throws {
    let fixture = try fixture { name, manager in if name == call { manager.cancelMigrationWithError(Refusal()) } }
    let error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect(log.calls.last == "A \(call)")
    #expect(error.code == .policyFailed)
    #expect(error.detail == "no, thanks")
  }

  @Test(arguments: calls)
  func `An outside request cancels the migration`(call: String) throws {
    let cancellation = MigrationCancellation()
    var fixture = try fixture { name, _ in if name == call { cancellation.cancel() } }
    fixture.cancellation = cancellation
    let error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect(log.calls.last == "A \(call)")
    #expect(error.code == .interrupted)
    #expect(error.exitStatus == 75)
  }

  @Test func `An earlier cancellation stops the migration in its first statement`() throws {
    let fixture = try fixture()
    fixture.cancellation.cancel()
    #expect(try #require(throws: MigrationError.self) { try fixture.migrate() }.code == .interrupted)
    #expect(log.calls.count <= 1)
  }

  @Test func `Progress counts every instance up to the total`() throws {
    var seen: [String] = []
    try fixture().migrate { seen.append("\($0.entityName) \($0.completedCount)/\($0.totalCount)") }
    #expect(seen == ["Track 1/2", "Track 2/2", "Track 1/2", "Track 2/2"])
  }

  @Test(arguments: [EntityMapping.MappingType.add, .remove])
  func `A mapping that adds or removes has no source instances`(type: EntityMapping.MappingType) throws {
    var fixture = try fixture()
    fixture.mappings = [MigrationFixture.tracks(policy: "Custom", name: "A")]
    fixture.mappings[0].mappingType = type
    let statistics = try fixture.migrate()
    #expect(
      log.calls == [
        "A begin", "A endInstanceCreation", "A endRelationshipCreation", "A validate", "A end",
      ])
    #expect(statistics.destinationInstanceCounts.isEmpty)
  }

  @Test func `Data that policies share lasts for the whole migration`() throws {
    let fixture = try fixture { call, manager in
      if call == "begin" { manager.userInfo["n", default: 0] = (manager.userInfo["n"] as? Int ?? 0) + 1 }
      if call == "end" { #expect(manager.userInfo["n"] as? Int == 2) }
    }
    try fixture.migrate()
    #expect(log.calls.last == "B end")
  }
}
