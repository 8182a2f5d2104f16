import CommandLineArguments
import Testing

@Suite struct ValueSemanticsTests {
  @Test func `is a value: changing a copy changes the copy only`() throws {
    let original = try Sample.Albums.parse(["library", "--limit", "1"])
    var copy = original
    copy.limit = 2
    copy.output.quiet = true
    #expect(original.limit == 1)
    #expect(!original.output.quiet)
    #expect(copy.limit == 2)
    #expect(copy.output.quiet)
  }

  @Test func `can be sent to another task if its values can`() async throws {
    let album = try Sample.Albums.parse(["library"])
    #expect(await Task.detached { album.library }.value == "library")
  }
}
