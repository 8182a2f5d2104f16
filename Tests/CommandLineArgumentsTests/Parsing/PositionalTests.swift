import CommandLineArguments
import Testing

@Suite struct PositionalTests {
  struct Arguments: ParsableArguments {
    @Argument var first: String
    @Argument var second: Int?
    @Argument(transform: { $0.uppercased() }) var others: [String] = []
    @Flag(name: .shortAndLong) var flag = false
    @Option var limit: Int?
  }

  @Test func `Arguments take the words that belong to no option, in order`() throws {
    let arguments = try Arguments.parse(["a", "--limit", "3", "2", "--flag", "b", "c"])
    #expect(arguments.first == "a")
    #expect(arguments.second == 2)
    #expect(arguments.others == ["B", "C"])
    #expect(arguments.limit == 3)
    #expect(arguments.flag)
  }

  @Test func `Arguments can be left out if they are optional or have a default`() throws {
    let arguments = try Arguments.parse(["a"])
    #expect(arguments.second == nil)
    #expect(arguments.others == [])
  }

  @Test func `Arguments take any word after two dashes`() throws {
    let arguments = try Arguments.parse(["--", "--flag", "2", "-x", "--"])
    #expect(arguments.first == "--flag")
    #expect(arguments.others == ["-X", "--"])
    #expect(!arguments.flag)
  }

  @Test func `Arguments take a single dash and negative numbers`() throws {
    let arguments = try Arguments.parse(["-", "-2", "-0.5"])
    #expect(arguments.first == "-")
    #expect(arguments.second == -2)
    #expect(arguments.others == ["-0.5"])
  }

  struct Digits: ParsableArguments {
    @Flag(name: .customShort("1")) var one = false
    @Argument var word: String?
  }

  @Test func `A negative number is a flag if there is a flag for that digit`() throws {
    let digits = try Digits.parse(["-1"])
    #expect(digits.one)
    #expect(digits.word == nil)
    #expect(try Digits.parse(["-2"]).word == "-2")
  }

  @Test func `An argument list without a default needs at least one word`() throws {
    #expect(try Sample.Artists.parse(["a", "b"]).libraries == ["a", "b"])
    #expect(throws: (any Error).self) { try Sample.Artists.parse(["--column", "name"]) }
  }
}
