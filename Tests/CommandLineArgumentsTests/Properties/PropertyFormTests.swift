import Testing

@testable import CommandLineArguments

/// Every form of a property declaration, which decides whether the value is required.
@Suite struct PropertyFormTests {
  struct Arguments: ParsableArguments {
    @Argument() var plain: String
    @Argument() var number: Double
    @Argument() var optional: Int64?
  }

  struct List: ParsableArguments {
    @Argument() var list: [UInt64]
  }

  @Test func `Arguments are required unless they are optional`() throws {
    let all = try Arguments.parse(["a", "1", "2"])
    #expect(all.plain == "a" && all.number == 1 && all.optional == 2)
    #expect(try Arguments.parse(["a", "1"]).optional == nil)
    #expect(throws: (any Error).self) { try Arguments.parse(["a"]) }
    #expect(try List.parse(["1", "2"]).list == [1, 2])
    #expect(throws: (any Error).self) { try List.parse([]) }
  }

  struct Stored: ParsableArguments {
    enum CodingKeys: CodingKey { case option }
    @Option var option = 1
    var stored = "kept"
  }

  @Test func `A stored property that is not decoded keeps its value`() throws {
    let parsed = try Stored.parse(["--option", "2"])
    #expect(parsed.option == 2)
    #expect(parsed.stored == "kept")
  }

  struct Undecodable: ParsableArguments {
    var stored = "lost"
  }

  @Test func `A stored property that is decoded is an error that names it`() throws {
    let error = try #require(throws: DecodingError.self) { try Undecodable.parse([]) }
    #expect("\(error)".contains("'stored' is not an argument, option, flag or option group"))
  }

  struct Defaults: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "defaults")
    @Option var format: Sample.Format = .json
    @Option var list = ["a", "b"]
    @Option var empty = ""
    @Option var number = 0.5
  }

  @Test func `The help describes values and defaults`() {
    #expect(
      Defaults.helpMessage(columns: 80) == """
        USAGE: defaults [--format <format>] [--list <list> ...] [--empty <empty>]
                 [--number <number>]

        OPTIONS:
          --format <format>       (values: table, json, csv; default: json)
          --list <list>           (default: a, b)
          --empty <empty>
          --number <number>       (default: 0.5)
          -h, --help              Show help information.

        """)
  }
}
