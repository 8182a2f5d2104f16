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
  func `is of the first version if it has what the migration needs`(library: OwnModelLibrary) throws {
    try library.write(to: folder.file("L"))
    let reader = try TrackLibraryReader(path: folder.file("L"))
    #expect(reader.version == .v1 && reader.hasCustomModel && reader.model == library.model)
    #expect(throws: MigrationError.self) { try TrackLibraryReader(migratedLibraryAt: self.folder.file("L")) }
  }

  @Test func `is of the second version if its tracks have artists`() throws {
    #expect(try code(.people) == nil)
    #expect(try TrackLibraryReader(path: folder.file("L")).version == .v2)
  }

  @Test func `is not ours without JSON as text`() throws {
    let name = AttributeDescription("artistName", .string)
    #expect(try code(Self.tracks([name])) == .unknownVersion)
    for type in [AttributeType.binaryData, .transformable] {
      #expect(try code(Self.tracks([name, AttributeDescription("json", type)])) == .unknownVersion)
    }
    #expect(
      try code(Self.tracks([name, AttributeDescription("json", .string, isTransient: true)])) == .unknownVersion)
    // Artists that are no entity's, and those of another shape, are none.
    let artist = EntityDescription("Artist", attributes: [OwnModelLibrary.text("name")])
    #expect(try code(Self.tracks([name], [artist])) == .newerVersion)
  }

  @Test func `is not looked for without a cache, in a broken one, and in that of another model`() throws {
    #expect(try code(.attributed, modelCache: []) == .unknownVersion)
    #expect(try code(.attributed, modelCache: [1, 2, 3]) == .unknownVersion)
    #expect(try code(.attributed, modelCache: OwnModelLibrary.required.model.modelCache()) == .unknownVersion)
    #expect(try code(.people, modelCache: []) == .newerVersion)
  }

  @Test func `is not needed where the hashes are ours`() throws {
    let ours = OwnModelLibrary("ours", TrackModels.v1.entities, [])
    #expect(try code(ours, modelCache: [1, 2, 3]) == nil)
    #expect(try !TrackLibraryReader(path: folder.file("L")).hasCustomModel)
  }

  @Test func `is told by info, with its entities`() throws {
    try OwnModelLibrary.inherited.write(to: folder.file("L"))
    let info = try LibraryInfo(path: folder.file("L"))
    #expect(info.version == .v1 && info.hasCustomModel)
    #expect(info.entities.map(\.instanceCount) == [2, 0, 1, 3, 2, 0, 0, 1])
  }
}
