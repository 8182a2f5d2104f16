import TestSupport
import Testing

@Suite("The progress bar")
struct ProgressTests {
  private static let template = Result { try TemplateLibrary(trackCount: 4000) }

  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try Self.template.get().copy(to: folder)
  }

  private func run(_ options: [String], on streams: Set<CommandRunner.Stream>) throws -> CommandResult {
    var runner = CommandRunner([library] + options)
    runner.terminalStreams = streams
    let result = try runner.run()
    #expect(result.status == 0)
    return result
  }

  @Test(arguments: [[.error], [.error, .output]] as [Set<CommandRunner.Stream>])
  func `The bar is shown on a terminal and gone at the end`(streams: Set<CommandRunner.Stream>) throws {
    let result = try run([], on: streams)
    #expect(result.terminal.contains("/4,000 tracks"))
    #expect(result.terminal.contains("%"))
    // Blanks over the last bar, then the summary.
    #expect(result.terminal.contains(" \rMigrated '\(library)'"))
    #expect(result.stdout == "")
  }

  @Test func `The bar is not written to pipes and files`() throws {
    let result = try run([], on: [.output])
    #expect(!result.stderr.contains("\r"))
    #expect(!result.stderr.contains("%"))
    #expect(result.terminal == "")
  }

  @Test func `The bar is not shown with --quiet`() throws {
    #expect(try run(["--quiet"], on: [.output, .error]).terminal == "")
  }

  @Test func `The bar makes way for an error`() throws {
    let broken = try folder.library("Broken.sqlite", .many(3000) + [TrackRow(title: "x", json: "{")])
    var runner = CommandRunner([broken, "--strict"])
    runner.terminalStreams = [.error]
    let result = try runner.run()
    #expect(result.status == 65)
    let last = try #require(result.colorlessTerminal.split(separator: "\r").last { $0.contains("error") })
    #expect(last.hasPrefix("tracks-migrate: error: "))
  }
}
