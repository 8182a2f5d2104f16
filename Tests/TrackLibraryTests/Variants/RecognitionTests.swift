import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing
import TrackLibrary

@Suite("A library's own model") final class RecognitionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func code(_ library: OwnModelLibrary, modelCache: [UInt8]? = nil) throws -> MigrationError.Code? {
    Files.remove(folder.file("L"))
    try library.write(to: folder.file("L"), modelCache: modelCache)
    do throws(MigrationError) {
      _ = try TrackLibraryReader(path: folder.file("L"))
      return nil
    } catch {
      return error.code
    }
  }

  private static func tracks(_ attributes: [AttributeDescription], _ others: [EntityDescription] = [])
    -> OwnModelLibrary
  {
    OwnModelLibrary("tracks", [EntityDescription("Track", attributes: attributes)] + others, [])
  }

  @Test(arguments: OwnModelLibrary.firstVersions)
  func `A model that meets the migration's needs is a first version`(library: OwnModelLibrary) throws {
    try library.write(to: folder.file("L"))
    let reader = try TrackLibraryReader(path: folder.file("L"))
    #expect(reader.version == .v1 && reader.hasCustomModel && reader.model == library.model)
    #expect(throws: MigrationError.self) { try TrackLibraryReader(migratedLibraryAt: self.folder.file("L")) }
  }

  @Test func `A model whose tracks have artists is a second version`() throws {
    #expect(try code(.people) == nil)
    #expect(try TrackLibraryReader(path: folder.file("L")).version == .v2)
  }

  @Test func `A model without JSON as text is not a track library's`() throws {
    let name = AttributeDescription("artistName", .string)
    #expect(try code(Self.tracks([name])) == .unknownVersion)
    for type in [AttributeType.binaryData, .transformable] {
      #expect(try code(Self.tracks([name, AttributeDescription("json", type)])) == .unknownVersion)
    }
    #expect(
      try code(Self.tracks([name, AttributeDescription("json", .string, isTransient: true)])) == .unknownVersion)
    // An 'Artist' entity of another shape does not make a second version.
    let artist = EntityDescription("Artist", attributes: [OwnModelLibrary.text("name")])
    #expect(try code(Self.tracks([name], [artist])) == .newerVersion)
  }

  @Test func `A missing, broken or mismatched model cache is not used`() throws {
    #expect(try code(.attributed, modelCache: []) == .unknownVersion)
    #expect(try code(.attributed, modelCache: [1, 2, 3]) == .unknownVersion)
    #expect(try code(.attributed, modelCache: OwnModelLibrary.required.model.modelCache()) == .unknownVersion)
    #expect(try code(.people, modelCache: []) == .newerVersion)
  }

  @Test func `A store with the built-in hashes does not need its model cache`() throws {
    let ours = OwnModelLibrary("ours", TrackModels.v1.entities, [])
    #expect(try code(ours, modelCache: [1, 2, 3]) == nil)
    #expect(try !TrackLibraryReader(path: folder.file("L")).hasCustomModel)
  }

  @Test func `The info report contains the library's own model and its entities`() throws {
    try OwnModelLibrary.inherited.write(to: folder.file("L"))
    let info = try LibraryInfo(path: folder.file("L"))
    #expect(info.version == .v1 && info.hasCustomModel)
    #expect(info.entities.map(\.instanceCount) == [2, 0, 1, 3, 2, 0, 0, 1])
  }
}
