import Samples
import TestSupport
import Testing

/// The files in `SampleData/Books` are what `Scripts/regenerate-samples.sh` makes.
struct BookSampleTests {
  private let folder = CommittedExample("Books")

  @Test func `the library is up to date`() throws {
    try folder.expectLibrary("library-v1.sqlite", .books, count: 100)
  }

  @Test func `nothing else lies beside it`() throws {
    try folder.expectFiles(["Books.xcdatamodeld", "README.md", "library-v1.sqlite"])
  }

  @Test func `the model bundle has the versions that the mapping models are made for`() throws {
    try folder.expectModels(BooksModel.all)
  }

  @Test func `the mapping models say what the code says`() throws {
    try folder.expectMappingModels()
  }
}
