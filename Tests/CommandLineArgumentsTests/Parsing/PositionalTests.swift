import Testing

@testable import CommandLineArguments

@Suite struct PositionalTests {
  struct Arguments: ParsableArguments {
    @Argument() var first: String
    @Argument() var second: Int?
    @Flag(name: .shortAndLong) var flag = false
    @Option() var limit: Int?
  }

  @Test func `Arguments take the words that belong to no option, in order`() throws {
    let arguments = try Arguments.parse(["a", "--limit", "3", "2", "--flag"])
    #expect(arguments.first == "a")
    #expect(arguments.second == 2)
    #expect(arguments.limit == 3)
    #expect(arguments.flag)
  }

  @Test func `Arguments can be left out if they are optional`() throws {
    #expect(try Arguments.parse(["a"]).second == nil)
  }

  @Test func `Arguments take any word after two dashes`() throws {
    let libraries = try Sample.Artists.parse(["--", "--column", "2", "-x", "--"]).libraries
    #expect(libraries == ["--column", "2", "-x", "--"])
  }

  @Test func `Arguments take a single dash and negative numbers`() throws {
    #expect(try Sample.Artists.parse(["-", "-2", "-0.5"]).libraries == ["-", "-2", "-0.5"])
  }

  @Test func `An argument list without a default needs at least one word`() throws {
    #expect(try Sample.Artists.parse(["a", "b"]).libraries == ["a", "b"])
    #expect(throws: (any Error).self) { try Sample.Artists.parse(["--column", "name"]) }
  }
}
