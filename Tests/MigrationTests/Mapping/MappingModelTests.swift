import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

struct MappingModelTests {
  private let v1 = MigrationFixture.entity("Track", in: TrackModels.v1)
  private let v2 = MigrationFixture.entity("Track", in: TrackModels.v2)

  private func fits(_ mapping: EntityMapping) -> Bool {
    MappingModel(entityMappings: [mapping]).isCompatible(withSource: TrackModels.v1, destination: TrackModels.v2)
  }

  @Test func `The version hashes decide whether a mapping model fits`() {
    #expect(fits(MigrationFixture.tracks()))
    #expect(MappingModel(entityMappings: []).isCompatible(withSource: TrackModels.v1, destination: TrackModels.v2))
    let backwards = EntityMapping.suggested(from: v2, to: v1)
    #expect(!fits(backwards))
  }

  @Test func `A mapping without hashes fits every version that has its entities`() {
    var mapping = MigrationFixture.tracks()
    mapping.sourceEntityVersionHash = nil
    mapping.destinationEntityVersionHash = nil
    #expect(fits(mapping))
    mapping.sourceEntityName = "Artist"
    #expect(!fits(mapping))
    mapping.sourceEntityName = nil
    mapping.destinationEntityName = "Nobody"
    #expect(!fits(mapping))
  }

  @Test(arguments: [true, false])
  func `A single different byte in a hash prevents a match`(isSource: Bool) {
    var mapping = MigrationFixture.tracks()
    let keyPath = isSource ? \EntityMapping.sourceEntityVersionHash : \.destinationEntityVersionHash
    var bytes = mapping[keyPath: keyPath]?.bytes ?? []
    bytes[31] ^= 1
    mapping[keyPath: keyPath] = VersionHash(bytes: bytes)
    #expect(!fits(mapping))
  }

  @Test func `A suggested mapping copies the properties that both versions have`() {
    let mapping = MigrationFixture.tracks(policy: "P")
    #expect(mapping.name == "TrackToTrack")
    #expect(mapping.mappingType == .custom)
    #expect(
      mapping.attributeMappings
        == ["imageURL", "lastPlayedAt", "title"].map {
          PropertyMapping(name: $0, valueExpression: .source($0))
        })
    #expect(MigrationFixture.tracks().mappingType == .transform)
    let model = MappingModel(entityMappings: [mapping])
    #expect(model.entityMapping(named: "TrackToTrack") == mapping)
    #expect(model.entityMapping(named: "x") == nil)
    #expect(EntityMapping(mappingType: .add, source: nil, destination: v2).name == "Track")
  }

  @Test(
    arguments: [
      (Expression.source("title"), "title"), (.source, nil), (.constant(.integer(1)), nil),
      (.key("album", "title", of: .source), nil),
      (.destinationInstances(entityMappingNamed: "x", sourceInstances: .source), nil),
    ] as [(CoreDataExpressions.Expression, String?)])
  func `Only a plain attribute of the source counts as a copy`(expression: CoreDataExpressions.Expression, key: String?)
  {
    #expect(expression.copiedSourceKey == key)
  }

  @Test func `A migration with a mapping model of other versions does not begin`() throws {
    var fixture = try MigrationFixture([])
    fixture.mappings = [EntityMapping.suggested(from: v2, to: v1)]
    let error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect(error.code == .invalidMappingModel)
    #expect(error.exitStatus == 78)
  }

  @Test func `A policy is found by its class name with or without a module`() throws {
    for name in ["Custom", "MyApp.Custom", "_TtC.MyApp.Custom"] {
      var fixture = try MigrationFixture([])
      fixture.use { EntityMigrationPolicy() }
      fixture.mappings = [MigrationFixture.tracks(policy: name)]
      #expect(throws: Never.self) { try fixture.migrate() }
    }
    var fixture = try MigrationFixture([])
    fixture.mappings = [MigrationFixture.tracks(policy: "Unknown")]
    let error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect(error.code == .missingPolicy)
    #expect(error.subject.name == "Unknown")
  }
}
