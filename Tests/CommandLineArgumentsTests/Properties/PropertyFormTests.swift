import CommandLineArguments
import Testing

/// Every form of a property declaration, which decides whether the value is required.
@Suite struct PropertyFormTests {
  private static let upper: @Sendable (String) throws -> String = { $0.uppercased() }

  struct RequiredArguments: ParsableArguments {
    @Argument var plain: Substring
    @Argument(transform: upper) var transformed: String
    @Argument var list: [Double]
  }

  struct OptionalArguments: ParsableArguments {
    @Argument var plain: Int?
    @Argument var nilled: UInt8? = nil
    @Argument(transform: upper) var transformed: String?
    @Argument(transform: upper) var transformedNil: String? = nil
    @Argument(transform: upper) var transformedDefault = "d"
    @Argument(transform: upper) var list = ["l"]
  }

  struct RequiredList: ParsableArguments {
    @Argument(transform: upper) var list: [String]
  }

  @Test func `Arguments without a default are required`() throws {
    let all = try RequiredArguments.parse(["a", "b", "1", "2"])
    #expect(all.plain == "a")
    #expect(all.transformed == "B")
    #expect(all.list == [1, 2])
    #expect(throws: (any Error).self) { try RequiredArguments.parse(["a", "b"]) }
    #expect(throws: (any Error).self) { try RequiredArguments.parse(["a"]) }
    #expect(try RequiredList.parse(["a"]).list == ["A"])
    #expect(throws: (any Error).self) { try RequiredList.parse([]) }
  }

  @Test func `Optional arguments can be left out from the last to the first`() throws {
    let none = try OptionalArguments.parse([])
    #expect(none.plain == nil && none.nilled == nil && none.transformed == nil && none.transformedNil == nil)
    #expect(none.transformedDefault == "d")
    #expect(none.list == ["l"])
    let all = try OptionalArguments.parse(["1", "2", "a", "b", "c", "e", "f"])
    #expect(all.plain == 1 && all.nilled == 2 && all.transformed == "A" && all.transformedNil == "B")
    #expect(all.transformedDefault == "C")
    #expect(all.list == ["E", "F"])
  }

  struct RequiredOptions: ParsableArguments {
    @Option var plain: Int
    @Option(transform: upper) var transformed: String
    @Option var list: [Int]
    @Option(transform: upper) var transformedList: [String]
  }

  struct OptionalOptions: ParsableArguments {
    @Option var nilled: Int? = nil
    @Option(transform: upper) var transformedNil: String? = nil
    @Option(transform: upper) var transformedDefault = "d"
    @Option(transform: upper) var transformedList = ["l"]
  }

  @Test(arguments: 0..<4) func `Options without a default are required`(missing: Int) throws {
    let words = [["--plain", "1"], ["--transformed", "a"], ["--list", "2"], ["--transformed-list", "b"]]
    let all = try RequiredOptions.parse(words.flatMap(\.self))
    #expect(all.plain == 1 && all.transformed == "A" && all.list == [2] && all.transformedList == ["B"])
    let rest = words.enumerated().filter { $0.offset != missing }.flatMap(\.element)
    let error = try #require(throws: (any Error).self) { try RequiredOptions.parse(rest) }
    #expect(RequiredOptions.message(for: error).hasPrefix("Missing expected argument '\(words[missing][0]) <"))
  }

  @Test func `Options with a default can be left out`() throws {
    let none = try OptionalOptions.parse([])
    #expect(none.nilled == nil && none.transformedNil == nil)
    #expect(none.transformedDefault == "d")
    #expect(none.transformedList == ["l"])
    let all = try OptionalOptions.parse([
      "--nilled=1", "--transformed-nil=a", "--transformed-default=b", "--transformed-list=c",
    ])
    #expect(all.nilled == 1 && all.transformedNil == "A" && all.transformedDefault == "B")
    #expect(all.transformedList == ["C"])
  }

  struct Flags: ParsableArguments {
    @Flag(inversion: .prefixedNo) var required: Bool
    @Flag(inversion: .prefixedNo) var nilled: Bool? = nil
    @Flag var count = 10
    @Flag var order: Sample.Order?
    @Flag var depth: Sample.Depth? = nil
  }

  struct RequiredFlags: ParsableArguments {
    @Flag var depths: [Sample.Depth]
  }

  @Test func `Flags can be required, optional or counted`() throws {
    let few = try Flags.parse(["--no-required"])
    #expect(!few.required && few.nilled == nil && few.count == 10 && few.order == nil && few.depth == nil)
    let all = try Flags.parse(["--required", "--no-nilled", "--count", "--count", "--ascending", "--full"])
    #expect(all.required && all.nilled == false && all.count == 12 && all.order == .ascending && all.depth == .full)
    #expect(throws: (any Error).self) { try Flags.parse([]) }
    #expect(throws: (any Error).self) { try RequiredFlags.parse([]) }
    #expect(try RequiredFlags.parse(["--brief"]).depths == [.brief])
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

  enum Plain: CaseIterable, ExpressibleByArgument {
    case first, second

    init?(argument: String) {
      guard let value = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
      self = value
    }
  }

  struct Defaults: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "defaults")
    @Option var plain: Plain = .second
    @Option var list = ["a", "b"]
    @Option var empty = ""
    @Option(transform: { Double($0) ?? 0 }) var number = 0.5
  }

  @Test func `The help describes values and defaults`() {
    #expect(
      Defaults.helpMessage(columns: 80) == """
        USAGE: defaults [--plain <plain>] [--list <list> ...] [--empty <empty>] [--number <number>]

        OPTIONS:
          --plain <plain>         (values: first, second; default: second)
          --list <list>           (default: a, b)
          --empty <empty>
          --number <number>       (default: 0.5)
          -h, --help              Show help information.

        """)
  }
}
