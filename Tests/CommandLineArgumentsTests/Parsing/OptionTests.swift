import Testing

@testable import CommandLineArguments

@Suite struct OptionTests {
  struct Options: ParsableArguments {
    @Option(name: .shortAndLong) var number = 0
    @Option() var kind: String?
    @Option(name: .shortAndLong) var columns: [String] = ["id"]
    @Option var ratio = 1.0
    @Option var format: Sample.Format = .table
    @Flag(name: .shortAndLong) var quiet = false
    @Argument() var word: String?
  }

  @Test(arguments: [
    ["-n5"], ["-n", "5"], ["-n=5"], ["--number", "5"], ["--number=5"], ["-qn5"], ["-qn", "5"], ["-qn=5"],
    ["--number", "3", "-n", "5"],
  ])
  func `An option takes its value in every spelling, and the last value counts`(words: [String]) throws {
    #expect(try Options.parse(words).number == 5)
  }

  @Test(arguments: [["-n-5"], ["-n", "-5"], ["-n=-5"], ["--number", "-5"], ["--number=-5"]])
  func `An option takes negative integers`(words: [String]) throws {
    #expect(try Options.parse(words).number == -5)
  }

  /// A word that may start with a dash.
  struct Dashed: ExpressibleByArgument {
    let argument: String
    init(argument: String) { self.argument = argument }
    static var allowsLeadingDash: Bool { true }
  }

  struct DashedOptions: ParsableArguments {
    @Option(name: .shortAndLong) var sort: Dashed?
    @Flag(name: .shortAndLong) var quiet = false
  }

  @Test(arguments: [["--sort", "-q"], ["--sort=-q"], ["-s", "-q"], ["-s-q"]])
  func `A value starts with a dash where its type allows it`(words: [String]) throws {
    let options = try DashedOptions.parse(words)
    #expect(options.sort?.argument == "-q")
    #expect(!options.quiet)
    #expect(throws: (any Error).self) { try DashedOptions.parse(["--sort", "--quiet"]) }
    #expect(throws: (any Error).self) { try Options.parse(["--kind", "-q"]) }
  }

  @Test(arguments: [("-.5", -0.5), ("-1e3", -1000), ("-2.25", -2.25)])
  func `An option takes negative fractions`(word: String, value: Double) throws {
    #expect(try Options.parse(["--ratio", word]).ratio == value)
  }

  @Test(arguments: ["-inf", "-nan", "-x", "--limit", "--"])
  func `An option takes no other word that starts with a dash`(word: String) throws {
    let error = try #require(throws: (any Error).self) { try Options.parse(["--ratio", word]) }
    #expect(Options.message(for: error) == "the value of '--ratio <ratio>' is missing.")
  }

  @Test func `An option with a bare equals sign is empty and does not take the next word`() throws {
    let options = try Options.parse(["--kind=", "1"])
    #expect(options.kind == "")
    #expect(options.word == "1")
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
  }

  @Test func `An array option collects its values instead of the default`() throws {
    #expect(try Options.parse(["-c", "a", "--columns=b", "-cc"]).columns == ["a", "b", "c"])
  }

  @Test func `An option is parsed by its type`() throws {
    let options = try Options.parse(["--ratio", "0.5", "--format", "csv"])
    #expect(options.ratio == 0.5)
    #expect(options.format == .csv)
  }
}
