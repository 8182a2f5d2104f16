import Foundation
import TestSupport
import Testing

/// Every command that reads standard input.
@Suite("Standard input that cannot be read")
struct InputTests {
  static let commands = [
    ["import", "-", "New.sqlite"], ["extract", "-"], ["batch", "--files-from", "-"], ["batch", "--pipe"],
    ["batch", "summarize", "-"],
  ]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ command: [String], _ redirection: String) throws -> CommandResult {
    var runner = CommandRunner(["-c", #""$TOOL" "$@" "# + redirection, "sh"] + command, folder: folder.path)
    runner.executable = "/bin/sh"
    runner.environment = ["TOOL": Tool.path]
    return try runner.run()
  }

  @Test(arguments: commands) func `A closed standard input is no empty one`(command: [String]) throws {
    let result = try run(command, "<&-")
    #expect(result.status == 66, "\(result)")
    #expect(result.stderr.contains("error: 'standard input' cannot be read: it is closed"), "\(result)")
    #expect(try folder.listing() == [])
  }

  @Test(arguments: ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
  func `A closed standard input that is named as a file is no empty one`(name: String) throws {
    for command in [["import", name, "New.sqlite"], ["extract", name], ["batch", "--files-from", name]] {
      let result = try run(command, "<&-")
      #expect(result.status == 66 && result.stderr.contains("'\(name)' cannot be read: "), "\(result)")
      #expect(try folder.listing() == [])
    }
  }

  @Test(arguments: commands) func `A folder in place of standard input is named by our own words`(command: [String])
    throws
  {
    let result = try run(command, "< .")
    #expect(result.status == 66, "\(result)")
    #expect(result.stderr.contains("error: 'standard input' cannot be read: it is a folder"), "\(result)")
    #expect(!result.stderr.contains("Domain"))
    #expect(try folder.listing() == [])
  }
}
