import DataModel
import Migration
import Samples
import TestSupport
import Testing

/// The contents of the examples' mapping models.
struct ExampleMappingTests {
  @Test func `Every mapping file belongs to a bundle with both of its versions`() throws {
    for file in ExampleMappingFile.all {
      let path = "SampleData/\(file.folder)/\(file.folder).xcdatamodeld"
      let bundle = try ModelBundle(path: Checkout.root.appending(path: path).path(percentEncoded: false))
      let source = try bundle.version(named: file.versions.source).model()
      let destination = try bundle.version(named: file.versions.destination).model()
      #expect(file.mappingModel.isCompatible(withSource: source, destination: destination), "\(file.name)")
      #expect(!file.mappingModel.isCompatible(withSource: destination, destination: source), "\(file.name)")
    }
    #expect(Set(ExampleMappingFile.all.map(\.name)).count == 6)
  }

  @Test func `Entity mappings have the names and order of the original ones`() {
    let names = ExampleMappingFile.all.map { $0.mappingModel.entityMappings.map(\.name) }
    #expect(
      names == [
        ["UserToUser", "Author", "BookToBook"], ["UserToUser"], ["File", "BookToBook", "AuthorToAuthor"],
        ["NoteToNote", "NoteToAttachment"], ["NoteToNote", "AttachmentToImageAttachment"], ["TrackToTrack", "Artist"],
      ])
  }

  @Test func `The expressions are the ones that Xcode writes`() throws {
    let toThree = NotesMapping.v2ToV3.entityMappings
    #expect(toThree[0].relationshipMappings.isEmpty)
    #expect(toThree[1].filterPredicate?.description == "image != nil")
    #expect(
      toThree[1].relationshipMappings.first?.valueExpression?.description
        == #"FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "NoteToNote", $source)"#)
    let toFour = NotesMapping.v3ToV4.entityMappings[1]
    #expect(
      toFour.attributeMappings.map { "\($0.name) \($0.valueExpression?.description ?? "")" } == [
        "dateCreated $source.dateCreated", "image $source.image",
      ])
    #expect(toFour.entityMigrationPolicyClassName == "Policies.AttachmentToImageAttachmentMigrationPolicyV3toV4")
    #expect(BooksMapping.v2ToV3Rest.entityMappings[1].userInfo == ["modelVersion": "3"])
  }
}
