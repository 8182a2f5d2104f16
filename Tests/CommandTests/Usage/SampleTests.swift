import Samples
import TestSupport
import Testing

/// The libraries that `sample` makes.
struct SampleTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func sample(_ words: String...) throws -> CommandResult {
    let result = try CommandRunner(["sample"] + words, folder: folder.path).run()
    result.expectSuccess()
    return result
  }

  @Test(arguments: [("books", "ZBOOK", "12 books"), ("notes", "ZNOTE", "12 notes"), ("notes-v2", "ZNOTE", "12 notes")])
  func `An example has the requested number of rows`(example: String, table: String, count: String) throws {
    let result = try sample("12", "New.sqlite", "--example", example)
    #expect(result.stderr == "Made 'New.sqlite' with \(count).\n")
    #expect(result.stdout == "")
    #expect(try Database.rows("SELECT count(*) FROM \(table)", in: folder.file("New.sqlite")) == ["12"])
    #expect(try Files.listing(folder.path) == ["New.sqlite"])
  }

  @Test func `Tracks are the default example`() throws {
    _ = try sample("12", "a", "--seed", "5", "--odd")
    _ = try sample("12", "b", "--seed", "5", "--odd", "--example", "tracks")
    var library = SampleLibrary(trackCount: 12, seed: 5)
    library.includesOddities = true
    _ = try library.write(to: folder.file("c"))
    #expect(try Files.bytes(folder.file("a")) == Files.bytes(folder.file("c")))
    #expect(try Files.bytes(folder.file("b")) == Files.bytes(folder.file("c")))
  }

  @Test func `An existing file is left alone`() throws {
    try Files.write("mine", to: folder.file("x"))
    let result = try CommandRunner(["sample", "1", "x", "--example", "books"], folder: folder.path).run()
    #expect(result.status == 73)
    #expect(try Files.text(folder.file("x")) == "mine")
  }

  @Test func `The hidden --mapping-models option writes the mapping models of an example`() throws {
    _ = try sample("0", ".", "--example", "notes", "--mapping-models")
    #expect(try Files.listing(folder.path) == ["Notes_v2_to_v3.xcmappingmodel", "Notes_v3_to_v4.xcmappingmodel"])
    _ = try sample("0", ".", "--example", "notes", "--mapping-models")
    #expect(try sample("--help").stdout.contains("mapping-models") == false)
    let failure = try CommandRunner(["sample", "0", "none", "--mapping-models"], folder: folder.path).run()
    #expect(failure.status == 73)
  }
}
