import CommandLineArguments
import Testing

@Suite struct ValueSemanticsTests {
  @Test func `Changing a copy of a command does not change the original`() throws {
    let original = try Sample.Albums.parse(["library", "--limit", "1"])
    var copy = original
    copy.limit = 2
    copy.output.quiet = true
    #expect(original.limit == 1)
    #expect(!original.output.quiet)
    #expect(copy.limit == 2)
    #expect(copy.output.quiet)
  }

  @Test func `A command with sendable values can be sent to another task`() async throws {
    let album = try Sample.Albums.parse(["library"])
    #expect(await Task.detached { album.library }.value == "library")
  }
}
