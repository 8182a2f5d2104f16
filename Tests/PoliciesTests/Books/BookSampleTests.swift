import Samples
import TestSupport
import Testing

/// The files in `SampleData/Books`, which `Scripts/regenerate-samples.sh` makes.
struct BookSampleTests {
  private let folder = CommittedExample("Books")

  @Test func `The library is up to date`() throws {
    try folder.expectLibrary("library-v1.sqlite", .books, count: 100)
  }

  @Test func `The folder contains nothing else`() throws {
    try folder.expectFiles(["Books.xcdatamodeld", "README.md", "library-v1.sqlite"])
  }

  @Test func `The model bundle has the versions that the mapping models need`() throws {
    try folder.expectModels(BooksModel.all)
  }

  @Test func `The mapping models agree with the code`() throws {
    try folder.expectMappingModels()
  }
}
