import CoreDataExpressions
import TestSupport
import Testing

@testable import MappingModels
@testable import Migration

struct MappingFileMigrationTests {
  private func migrate(_ xml: [UInt8]) throws -> MigrationFixture {
    var fixture = try MigrationFixture([
      TrackRow(1, title: "One", artistName: "A", json: "{}"), TrackRow(2, title: "Two", artistName: "B", json: "{}"),
    ])
    let model = try MappingModelFile(xml: xml).mappingModel(source: TrackModels.v1, destination: TrackModels.v2)
    fixture.mappings = model.entityMappings
    try fixture.migrate()
    return fixture
  }

  @Test func `A store is migrated with an Xcode mapping file`() throws {
    let xml = MappingXML(
      MappingXML.Entity("a", from: "Track", to: "Track").attribute("title").attribute("imageURL")
        .relationship("artists", ("sourcekeypath", "string", "$source"), ("sourcemappingname", "string", "Person")),
      MappingXML.Entity("b", number: 2, from: "Track", to: "Artist").with("name", "string", "Person")
        .attribute("name", ("valueexpressiondata", "binary", try MappingXML.archive(.source("artistName")))))
    let fixture = try migrate(xml.bytes)
    #expect(try fixture.rows("SELECT ZTITLE FROM ZTRACK ORDER BY 1") == ["One", "Two"])
    let links = """
      SELECT ZTITLE || ' ' || ZNAME FROM Z_1TRACKS
      JOIN ZTRACK ON ZTRACK.Z_PK = Z_2TRACKS JOIN ZARTIST ON ZARTIST.Z_PK = Z_1ARTISTS ORDER BY 1
      """
    #expect(try fixture.rows(links) == ["One A", "Two B"])
  }

  @Test func `A mapping model migrates the same after it was written and read back`() throws {
    let writer = MappingModelWriter(
      source: TrackModels.v1, destination: TrackModels.v2, sourceModelPath: "a", destinationModelPath: "b")
    let xml = try writer.xml(of: MappingModel(entityMappings: [MigrationFixture.tracks()]))
    #expect(try migrate(Array(xml.utf8)).rows("SELECT ZTITLE FROM ZTRACK ORDER BY 1") == ["One", "Two"])
  }
}
