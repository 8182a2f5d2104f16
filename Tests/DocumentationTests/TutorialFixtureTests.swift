import Foundation
import TestSupport
import Testing

@Suite("The tutorial's files", .serialized)
struct TutorialFixtureTests {
  /// Set by whoever wants them written again.
  private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_TUTORIAL"] != nil
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    guard Self.isUpdating else { return }
    Files.remove(TutorialFixture.store)
    try TutorialFixture.writeStore(to: TutorialFixture.store)
    try? FileManager.default.createDirectory(atPath: TutorialFixture.mapping, withIntermediateDirectories: true)
    try Files.write(try TutorialFixture.mappingXML(), to: TutorialFixture.mapping + "/xcmapping.xml")
  }

  @Test func `The store is the one that this test writes`() throws {
    let path = folder.file("Store.sqlite")
    try TutorialFixture.writeStore(to: path)
    try Files.write(Files.bytes(TutorialFixture.store), to: folder.file("Copy.sqlite"))
    // The files are not compared byte by byte, because SQLite writes its own version into a changed file.
    for sql in [
      "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2", "SELECT * FROM Z_METADATA",
      "SELECT * FROM Z_PRIMARYKEY", "SELECT * FROM ZRECIPE",
    ] {
      #expect(try Database.rows(sql, in: folder.file("Copy.sqlite")) == Database.rows(sql, in: path))
    }
    #expect(try Files.listing(TutorialFixture.folder + "/Migration/Tests/Stores") == ["MyApp-v1.sqlite"])
  }

  @Test func `The mapping model is the one that this test writes`() throws {
    #expect(try Files.text(TutorialFixture.mapping + "/xcmapping.xml") == TutorialFixture.mappingXML())
  }
}
