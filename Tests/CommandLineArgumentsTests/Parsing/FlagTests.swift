import CommandLineArguments
import Testing

@Suite struct FlagTests {
  struct Flags: ParsableArguments {
    @Flag(name: .shortAndLong) var all = false
    @Flag(name: [.customShort("b"), .customLong("bee")]) var both = false
    @Flag(name: .shortAndLong) var verbose: Int
    @Flag(name: .shortAndLong, inversion: .prefixedNo) var index = true
    @Flag(inversion: .prefixedEnableDisable) var cache: Bool?
    @Flag(inversion: .prefixedNo, exclusivity: .exclusive) var strict = false
    @Flag(inversion: .prefixedNo, exclusivity: .chooseFirst) var early = false
    @Flag var order: Sample.Order = .ascending
    @Flag var depths: [Sample.Depth] = []
  }

  @Test func `A flag that is not given has its default`() throws {
    let flags = try Flags.parse([])
    #expect(!flags.all && !flags.both && flags.verbose == 0 && flags.index && flags.cache == nil)
    #expect(flags.order == .ascending)
    #expect(flags.depths == [])
  }

  @Test func `A short flag can be combined with other short flags`() throws {
    let flags = try Flags.parse(["-abvv", "-v", "--verbose"])
    #expect(flags.all)
    #expect(flags.both)
    #expect(flags.verbose == 4)
  }

  @Test(arguments: [
    (["--no-index"], false), (["--index"], true), (["-i"], true), (["-i", "--no-index"], false),
    (["--no-index", "--index"], true),
  ])
  func `The last word decides an inverted flag`(words: [String], value: Bool) throws {
    #expect(try Flags.parse(words).index == value)
  }

  @Test(arguments: [("--enable-cache", true), ("--disable-cache", false)])
  func `A flag can be optional`(word: String, value: Bool) throws {
    #expect(try Flags.parse([word]).cache == value)
  }

  @Test func `The first word decides if the flag is declared that way`() throws {
    #expect(try Flags.parse(["--early", "--no-early"]).early)
  }

  @Test func `An exclusive flag can be repeated with the same value`() throws {
    #expect(try Flags.parse(["--strict", "--strict"]).strict)
  }

  @Test func `A flag can have one word for each case of an enumeration`() throws {
    #expect(try Flags.parse(["--descending"]).order == .descending)
    #expect(try Flags.parse(["-f", "--brief", "--full"]).depths == [.full, .brief, .full])
  }

  struct Repeated: ParsableArguments {
    @Flag var depths: [Sample.Depth] = []
    @Flag var order: Sample.Order = .ascending
  }

  @Test func `The usage marks flags that can be repeated`() {
    let usage = Repeated.helpMessage()
    #expect(usage.contains("[--full ...]"), "\(usage)")
    #expect(usage.contains("[--descending]"), "\(usage)")
  }
}
