import CommandLineArguments
import Testing

@Suite struct OptionTests {
  struct Options: ParsableArguments {
    @Option(name: .shortAndLong) var number = 0
    @Option var kind: String?
    @Option(name: [.customShort("c"), .customLong("col")]) var columns: [String] = ["id"]
    @Option(parsing: .upToNextOption) var words: [String] = []
    @Option(parsing: .unconditional) var raw: String?
    @Option(parsing: .unconditionalSingleValue) var rawList: [String] = []
    @Option(parsing: .remaining) var rest: [String] = []
    @Option(transform: { $0.count }) var length: Int?
    @Option var ratio = 1.0
    @Option var yes: Bool?
    @Option var format: Sample.Format = .table
    @Flag(name: .short) var flag = false
    @Argument var words2: [String] = []
  }

  @Test(arguments: [
    ["-n5"], ["-n", "5"], ["-n=5"], ["--number", "5"], ["--number=5"], ["-fn5"], ["-fn", "5"], ["-fn=5"],
    ["--number", "3", "-n", "5"],
  ])
  func `An option takes its value in every spelling, and the last value counts`(words: [String]) throws {
    #expect(try Options.parse(words).number == 5)
  }

  @Test(arguments: [["-n-5"], ["-n", "-5"], ["-n=-5"], ["--number", "-5"], ["--number=-5"]])
  func `An option takes negative integers`(words: [String]) throws {
    #expect(try Options.parse(words).number == -5)
  }

  @Test(arguments: [("-.5", -0.5), ("-1e3", -1000), ("-2.25", -2.25)])
  func `An option takes negative fractions`(word: String, value: Double) throws {
    #expect(try Options.parse(["--ratio", word]).ratio == value)
  }

  @Test(arguments: ["-inf", "-nan", "-x", "--limit", "--"])
  func `An option takes no other word that starts with a dash`(word: String) throws {
    let error = try #require(throws: (any Error).self) { try Options.parse(["--ratio", word]) }
    #expect(Options.message(for: error) == "Missing value for '--ratio <ratio>'")
  }

  @Test func `An option with a bare equals sign is empty and does not take the next word`() throws {
    let options = try Options.parse(["--kind=", "1"])
    #expect(options.kind == "")
    #expect(options.words2 == ["1"])
  }

  @Test(arguments: [("--kind=a=b", "a=b"), ("--kind=-x", "-x"), ("--kind= ", " "), ("--kind=--", "--")])
  func `An option takes everything after the first equals sign`(word: String, value: String) throws {
    #expect(try Options.parse([word]).kind == value)
  }

  @Test func `An option takes a single dash, which means standard input`() throws {
    #expect(try Options.parse(["--kind", "-"]).kind == "-")
  }

  @Test func `An option that is not given is nil or its default`() throws {
    let options = try Options.parse([])
    #expect(options.kind == nil)
    #expect(options.number == 0)
    #expect(options.columns == ["id"])
    #expect(options.words == [])
  }

  @Test func `An array option collects its values instead of the default`() throws {
    #expect(try Options.parse(["-c", "a", "--col=b", "-cc"]).columns == ["a", "b", "c"])
  }

  @Test func `An option can take all words up to the next option`() throws {
    let options = try Options.parse(["--words", "a", "-", "-1", "--kind", "k", "--words", "c"])
    #expect(options.words == ["a", "-", "-1", "c"])
    #expect(options.kind == "k")
  }

  @Test func `An option can take words that look like options`() throws {
    let options = try Options.parse(["--raw", "--kind", "--raw-list", "-f", "--raw-list", "--"])
    #expect(options.raw == "--kind")
    #expect(options.rawList == ["-f", "--"])
    #expect(options.flag == false)
  }

  @Test func `An option can take all remaining words`() throws {
    #expect(try Options.parse(["--rest", "a", "--kind", "--", "-x"]).rest == ["a", "--kind", "--", "-x"])
  }

  @Test func `An option is parsed by its closure or by its type`() throws {
    let options = try Options.parse(["--length", "four", "--ratio", "0.5", "--yes", "true", "--format", "csv"])
    #expect(options.length == 4)
    #expect(options.ratio == 0.5)
    #expect(options.yes == true)
    #expect(options.format == .csv)
  }
}
