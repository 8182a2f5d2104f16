import Foundation
import TestSupport
import Testing

@Suite("Closed, full and abandoned output streams")
struct StreamTests {
  static let questions = [
    ["artists"], ["artists", "--format", "json"], ["artists", "--format", "csv"], ["artists", "--format", "ndjson"],
    ["tracks"], ["stats"], ["stats", "--format", "prometheus"], ["info"], ["info", "--format", "json"],
  ]

  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
    try successfully(library)
  }

  @Test(arguments: questions)
  func `A full output is reported`(question: [String]) throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let words = question.joined(separator: " ")
    let result = try CommandRunner.shell(#""$TOOL" \#(words) "$1" >/dev/full"#, library).run()
    #expect(result.status == 75)
    #expect(result.stderr.hasPrefix("tracks-migrate: error: "))
    #expect(result.stderr.contains("No space left on device"))
  }

  @Test(arguments: ["table", "csv", "json", "ndjson"])
  func `A full output is reported in the middle of a long list`(format: String) throws {
    let many = try folder.library("Many.sqlite", .many(5000))
    try successfully(many)
    let result = try CommandRunner.shell(#""$TOOL" tracks "$1" --format \#(format) >/dev/full"#, many).run()
    #expect(result.status == 75, "\(result)")
    #expect(result.stderr.hasSuffix("No space left on device. Check where the output goes.\n"))
  }

  @Test func `A full output is reported while an artist is shown`() throws {
    let result = try CommandRunner.shell(#""$TOOL" artist "$1" Björk >/dev/full"#, library).run()
    #expect(result.status == 75)
  }

  @Test(arguments: questions)
  func `A closed output is reported and the library stays unchanged`(question: [String]) throws {
    let before = try folder.snapshot()
    let words = question.joined(separator: " ")
    let result = try CommandRunner.shell(#""$TOOL" \#(words) "$1" >&-"#, library).run()
    #expect(result.status == 74, "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: ["--help", "--version", "--generate-man-page", "--generate-completion-script bash"])
  func `Generated text that cannot be written is reported`(words: String) throws {
    let result = try CommandRunner.shell(#""$TOOL" \#(words) >/dev/full"#, library).run()
    #expect(result.status == 75)
    #expect(result.stderr == "tracks-migrate: error: cannot write the output: No space left on device\n")
  }

  @Test func `A library behind a redirection is not migrated`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library("Redirected.sqlite")
    let before = try folder.snapshot()
    let result = try CommandRunner.shell(#""$TOOL" /dev/stdin <"$1""#, library).run()
    #expect(result.status == 66)
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
  func `A migration does not need its standard streams`(closing: String) throws {
    let library = try folder.library("Other.sqlite")
    let result = try CommandRunner.shell(#""$TOOL" --verbose "$1" \#(closing)"#, library).run()
    #expect(result.status == 0)
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    #expect(try Database.isWhole(library))
    #expect(try Files.text(library + ".rejects.ndjson").hasPrefix("{"))
  }

  @Test func `A long list ends by a signal after its head is read`() throws {
    let many = try folder.library("Many.sqlite", .many(5000))
    try successfully(many)
    let script = #"{ "$TOOL" tracks "$1" --format csv; echo "status $?" >&2; } | head -n 1"#
    let result = try CommandRunner.shell(script, many).run()
    #expect(
      result.stdout == "title,artists,lastPlayedAt,imageURL,artistIDs,key\r\n"
        || result.stdout == "title,artists,lastPlayedAt,imageURL,artistIDs,key\n")
    #expect(result.stderr == "status 141\n")
  }

  @Test func `A migration continues when nobody reads its messages`() throws {
    let library = try folder.library("Other.sqlite")
    _ = try CommandRunner.shell(#""$TOOL" --verbose "$1" 2>&1 | true"#, library).run()
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
  }
}
