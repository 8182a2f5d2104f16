import Samples
import TestSupport
import Testing

/// The files in `SampleData/Notes`, which `Scripts/regenerate-samples.sh` makes.
struct NoteSampleTests {
  private let folder = CommittedExample("Notes")

  @Test func `The libraries are up to date`() throws {
    try folder.expectLibrary("library-v1.sqlite", .notes, count: 60)
    try folder.expectLibrary("library-v2.sqlite", .notesV2, count: 60)
  }

  @Test func `The folder contains nothing else`() throws {
    try folder.expectFiles([
      "Notes.xcdatamodeld", "README.md", "library-v1.sqlite", "library-v2.sqlite",
    ])
  }

  @Test func `The model bundle has the versions that the mapping models need`() throws {
    try folder.expectModels(NotesModel.all)
  }

  @Test func `The mapping models agree with the code`() throws {
    try folder.expectMappingModels()
  }
}
