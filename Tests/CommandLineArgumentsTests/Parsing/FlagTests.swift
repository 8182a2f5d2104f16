import Testing

@testable import CommandLineArguments

@Suite struct FlagTests {
  struct Flags: ParsableArguments {
    @Flag(name: .shortAndLong) var all = false
    @Flag(name: .shortAndLong) var both = false
    @Flag(name: .customLong("no-index")) var index = true
  }

  @Test func `A flag that is not given has its default`() throws {
    let flags = try Flags.parse([])
    #expect(!flags.all && !flags.both && flags.index)
  }

  @Test func `A short flag can be combined with other short flags, and repeated`() throws {
    let flags = try Flags.parse(["-aba", "-b", "--both"])
    #expect(flags.all)
    #expect(flags.both)
  }

  @Test func `A flag that is true by default turns false`() throws {
    #expect(try !Flags.parse(["--no-index"]).index)
  }
}
