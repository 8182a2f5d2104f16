import Testing

@testable import CommandLineArguments

@Suite struct SubcommandTests {
  @Test(arguments: [["albums", "l"], ["--loud", "albums", "l"], ["albums", "l", "--loud"]])
  func `A subcommand is found by name, around options of the root`(words: [String]) throws {
    let albums = try #require(try Sample.Tool.parseAsRoot(words) as? Sample.Albums)
    #expect(albums.library == "l")
  }

  @Test func `A subcommand gets the values of its option groups`() throws {
    let albums = try #require(try Sample.Tool.parseAsRoot(["albums", "l", "-q", "--format=json"]) as? Sample.Albums)
    #expect(albums.output.quiet)
    #expect(albums.output.format == .json)
  }

  @Test func `A subcommand can be nested in another`() throws {
    let check = try #require(try Sample.Tool.parseAsRoot(["admin", "check", "--full"]) as? Sample.Check)
    #expect(check.full)
  }

  @Test func `A word after two dashes or after an argument is not a subcommand`() throws {
    #expect(throws: (any Error).self) { try Sample.Tool.parseAsRoot(["--", "albums", "l"]) }
    let play = try #require(try Sample.Player.parseAsRoot(["--", "stop"]) as? Sample.Play)
    #expect(play.song == "stop")
  }

  @Test(arguments: [
    ["song", "-t", "3"], ["-t", "3", "song"], ["--times=3", "--loud", "song"], ["play", "song", "-t3"],
  ])
  func `The default subcommand runs with words that name no subcommand`(words: [String]) throws {
    let play = try #require(try Sample.Player.parseAsRoot(words) as? Sample.Play)
    #expect(play.song == "song")
    #expect(play.times == 3)
  }

  @Test func `A named subcommand runs instead of the default`() throws {
    #expect(try Sample.Player.parseAsRoot(["stop"]) is Sample.Stop)
  }

  @Test func `The parse method does not return a subcommand`() throws {
    #expect(throws: (any Error).self) { try Sample.Tool.parse(["admin"]) }
    #expect(try Sample.Tool.parse(["--loud"]).loud)
  }

  struct Mixed: ParsableCommand {
    static let configuration = CommandConfiguration(subcommands: [Inner.self])
    @Argument() var first: String?
    @Argument() var second: String?
  }

  @Test func `A subcommand is named before all arguments of its parent command`() throws {
    #expect(try Mixed.parse(["word", "inner"]).second == "inner")
    #expect(try Mixed.parseAsRoot(["inner"]) is Inner)
  }

  struct Outer: ParsableCommand {
    static let configuration = CommandConfiguration(subcommands: [Inner.self])
    @Option(name: .shortAndLong) var level = 0
    @Flag(name: .shortAndLong) var outer = false
    mutating func validate() throws { if outer { throw ValidationError("outer") } }
  }

  struct Inner: ParsableCommand {
    @Option(name: .shortAndLong) var level = 0
  }

  @Test func `An option that a parent command also has goes to the subcommand`() throws {
    let inner = try #require(try Outer.parseAsRoot(["-l", "1", "inner", "-l", "2"]) as? Inner)
    #expect(inner.level == 2)
  }

  @Test func `A parent command that fails its validation stops the subcommand`() {
    let error = #expect(throws: (any Error).self) { try Outer.parseAsRoot(["inner", "-o"]) }
    #expect(error.map { Outer.message(for: $0) } == "outer")
  }
}
