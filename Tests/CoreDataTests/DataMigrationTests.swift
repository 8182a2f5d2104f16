import CoreData
import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

/// The notes example's own migration from the first version to the last, with the models and mapping models of this
/// package.
struct DataMigrationTests {
  private let folder: TemporaryFolder
  private let bundle: Bundle

  init() throws {
    folder = try TemporaryFolder()
    bundle = try #require(Bundle(path: Checkout.root.appending(path: "SampleData/Notes").path(percentEncoded: false)))
  }

  private func model(_ version: String) throws -> NSManagedObjectModel {
    try #require(
      NSManagedObjectModel(
        contentsOf: bundle.bundleURL.appending(path: "Notes.xcdatamodeld/\(version).xcdatamodel")))
  }

  @Test func `A store goes through all versions by inference, mapping models and a policy`() throws {
    let path = folder.file("Notes.sqlite")
    try Files.copy(bundle.bundleURL.appending(path: "library-v1.sqlite").path(percentEncoded: false), to: path)
    let count = try Database.rows("SELECT count(*) FROM ZNOTE", in: path)
    // The example's policy takes 80 characters even if there are fewer.
    try Database.run("UPDATE ZNOTE SET ZBODY = printf('%090d', Z_PK)", in: path)
    let manager = DataMigrationManager(modelNamed: "Notes", bundle: bundle, storeURL: URL(filePath: path))
    manager.policies = [AttachmentToImageAttachmentMigrationPolicyV3toV4.self]
    #expect(manager.storeModel == (try model("Notes")))
    #expect(manager.performMigration())
    #expect(manager.storeModel == (try model("Notes 4")))
    #expect(manager.performMigration())
    #expect(try Database.rows("SELECT count(*) FROM ZNOTE", in: path) == count)
    #expect(try folder.listing() == ["Notes.sqlite"])
    #expect(try Database.integrity(path) == ["ok"])
  }

  @Test func `Pictures become attachments with the captions of their notes`() throws {
    let path = folder.file("Notes.sqlite")
    try Files.copy(bundle.bundleURL.appending(path: "library-v2.sqlite").path(percentEncoded: false), to: path)
    let count = try Database.rows("SELECT count(*) FROM ZNOTE WHERE ZIMAGE IS NOT NULL", in: path)
    try Database.run("UPDATE ZNOTE SET ZBODY = printf('%090d', Z_PK)", in: path)
    let manager = DataMigrationManager(modelNamed: "Notes", bundle: bundle, storeURL: URL(filePath: path))
    manager.policies = [AttachmentToImageAttachmentMigrationPolicyV3toV4.self]
    #expect(manager.performMigration())
    #expect(try Database.rows("SELECT count(*) FROM ZATTACHMENT", in: path) == count)
    #expect(count != ["0"])
    #expect(
      try Database.rows(
        "SELECT count(*) FROM ZATTACHMENT AS a JOIN ZNOTE AS n ON n.Z_PK = a.ZNOTE WHERE ZCAPTION = substr(ZBODY, 1, 80)",
        in: path) == count)
  }

  @Test func `A mapping model is found only for its own two versions`() throws {
    let (two, three, four) = (try model("Notes 2"), try model("Notes 3"), try model("Notes 4"))
    let found = NSMappingModel(from: [bundle], forSourceModel: two, destinationModel: three)
    #expect(found?.entityMappings?.map { $0.name } == ["NoteToNote", "NoteToAttachment"])
    #expect(
      found?.entityMappingsByName["NoteToAttachment"]?.sourceExpression?.description.contains("image != nil") == true)
    let last = NSMappingModel(from: [bundle], forSourceModel: three, destinationModel: four)
    #expect(last?.mappings(with: "AttachmentToImageAttachmentMigrationPolicyV3toV4") == 1)
    #expect(NSMappingModel(from: [bundle], forSourceModel: three, destinationModel: two) == nil)
    #expect(NSMappingModel(from: [bundle], forSourceModel: two, destinationModel: four) == nil)
    #expect(NSMappingModel(from: [], forSourceModel: two, destinationModel: three) == nil)
    #expect(NSMappingModel(from: [bundle], forSourceModel: nil, destinationModel: three) == nil)
  }

  @Test func `A failed inference is a Cocoa error with the reason`() throws {
    let inferred = try NSMappingModel.inferredMappingModel(
      forSourceModel: try model("Notes"), destinationModel: try model("Notes 2"))
    #expect(inferred.entityMappings?.map { $0.destinationEntityName } == ["Note"])
    let old = NSManagedObjectModel(TrackModels.model([EntityDescription("A")]))
    let new = NSManagedObjectModel(
      TrackModels.model([EntityDescription("A", attributes: [AttributeDescription("must", .date, isOptional: false)])]))
    let error = try #require(throws: NSError.self) {
      try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
    }
    #expect(error.code == NSInferredMappingModelError)
    #expect(error.localizedDescription.contains("must"))
  }
}

extension NSMappingModel {
  fileprivate func mappings(with policy: String) -> Int {
    entityMappings.count { $0.entityMigrationPolicyClassName?.hasSuffix(policy) == true }
  }
}
