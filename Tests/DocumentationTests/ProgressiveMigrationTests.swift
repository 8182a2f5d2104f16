import DataModel
import Migration
import MigrationDiagnostics
import Policies
import TestSupport
import Testing

@Suite("Progressive migrations")
struct ProgressiveMigrationTests {
  private let folder: TemporaryFolder
  private let store: String
  private var tool: MigrationTool

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("Notes.sqlite")
    let sample = Checkout.root.appending(path: "SampleData/Notes").path(percentEncoded: false)
    try Files.write(try Files.bytes("\(sample)/library-v1.sqlite"), to: store)
    tool = MigrationTool(modelPath: "\(sample)/Notes.xcdatamodeld", policies: .builtIn())
  }

  @Test func `Notes take three hops, and only the last result replaces the store`() throws {
    let notes = try Database.rows("SELECT Z_PK, hex(ZTITLE), hex(ZBODY) FROM ZNOTE ORDER BY 1", in: store)
    guard case .migrated(let result) = try tool.migrate(storeAt: store) else { throw NothingToDo() }
    #expect(
      result.steps.map { "\($0.sourceName) > \($0.destinationName), \($0.method.summary)" } == [
        "Notes > Notes 2, by inference (lightweight)",
        "Notes 2 > Notes 3, by 'Notes_v2_to_v3.xcmappingmodel'",
        "Notes 3 > Notes 4, by 'Notes_v3_to_v4.xcmappingmodel'",
      ])
    #expect(try folder.listing() == ["Notes.sqlite", "Notes.sqlite.Notes-backup"])
    #expect(try Database.rows("SELECT Z_PK, hex(ZTITLE), hex(ZBODY) FROM ZNOTE ORDER BY 1", in: store) == notes)
    #expect(
      try Database.rows("SELECT Z_NAME FROM Z_PRIMARYKEY ORDER BY 1", in: store)
        == ["Attachment", "ImageAttachment", "Note"])
    #expect(try tool.plan(forStoreAt: store).steps.isEmpty)
  }

  @Test func `A hop without a mapping is an error with the reason`() throws {
    var tool = tool
    tool.allowsInference = false
    let error = try #require(throws: MigrationError.self) { try tool.migrate(storeAt: store) }
    #expect(error.code == .noMigrationPath)
    #expect(error.detail?.contains("inference is turned off") == true)
  }

  @Test func `A mapping model between the first and the last version makes one hop`() throws {
    let versions = try LoadedModelVersion.all(in: ModelBundle(path: tool.modelPath))
    let (first, last) = (try #require(versions.first), try #require(versions.last))
    let mappings = try zip(versions, versions.dropFirst()).map { try mapping(from: $0, to: $1) }
    let hops = try MigrationPlanner(versions: versions, mappings: mappings).plan(from: first, to: last).steps
    #expect(hops.map(\.destination.name) == ["Notes 2", "Notes 3", "Notes 4"])
    let direct = try MigrationPlanner(versions: versions, mappings: mappings + [mapping(from: first, to: last)])
      .plan(from: first, to: last).steps
    #expect(direct.map(\.destination.name) == ["Notes 4"])
  }

  private func mapping(from source: LoadedModelVersion, to destination: LoadedModelVersion) throws -> LoadedMappingModel
  {
    let note = EntityMapping.suggested(
      from: try #require(source.model.entity(named: "Note")),
      to: try #require(destination.model.entity(named: "Note")))
    return LoadedMappingModel(
      name: "\(source.name) to \(destination.name)", sourceVersionName: source.name,
      destinationVersionName: destination.name, mappingModel: MappingModel(entityMappings: [note]))
  }

  @Test func `A failed hop leaves the store unchanged and nothing beside it`() throws {
    var tool = tool
    tool.policies.register(AttachmentToImageAttachmentMigrationPolicyV3toV4.className) { FailingPolicy() }
    let before = try folder.snapshot()
    let error = try #require(throws: MigrationError.self) { try tool.migrate(storeAt: store) }
    #expect(error.code == .policyFailed || error.code == .migrationFailed)
    #expect(try folder.snapshot() == before)
  }

  private final class FailingPolicy: EntityMigrationPolicy {
    override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws { throw NothingToDo() }
  }

  private struct NothingToDo: Error {}
}
