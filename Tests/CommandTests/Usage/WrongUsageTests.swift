import TestSupport
import Testing

@Suite("Command-line usage errors")
struct WrongUsageTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
  }

  @Test(arguments: [
    ([], "the argument '<library>' is missing."),
    (["migrate"], "the argument '<library>' is missing."),
    (["artist", "L"], "the argument '<name-or-id>' is missing."),
    (["artits", "L"], "there is no command 'artits'. Did you mean 'artists'?"),
    (["migrat"], "there is no command 'migrat'. Did you mean 'migrate'?"),
    (["stat", "L"], "there is no command 'stat'. Did you mean 'stats'?"),
    (["frobnicate"], "there is no command 'frobnicate'. There is no file with that name either."),
    (["L", "--strikt"], "there is no option '--strikt'. Did you mean '--strict'?"),
    (["L", "--no-bakup"], "there is no option '--no-bakup'. Did you mean '--no-backup'?"),
    (["artists", "L", "--nme", "x"], "there is no option '--nme'. Did you mean '--name'?"),
    (["L", "--quiet", "--verbose"], "'--quiet' and '--verbose' cannot be used together."),
    (["L", "-qv"], "'--quiet' and '--verbose' cannot be used together."),
    (["L", "--output", "new", "--no-backup"], "'--no-backup' cannot be used with '--output'"),
    (["L", "--force"], "'--force' requires '--no-backup'."),
    (["L", "--output="], "'--output' requires a file name."),
    (["L", "--stats", ""], "'--stats' requires a file name."),
    (["L", "--stats", "-"], "'--stats' requires a file name; write './-' for a file named '-'."),
    (
      ["L", "--stats", "-", "--model", "App.momd"],
      "'--stats' requires a file name; write './-' for a file named '-'."
    ),
    (["L", "--output", "-"], "'--output' requires a file name; write './-' for a file named '-'."),
    (["L", "--output"], "the value of '--output <file>' is missing."),
    (["L", "--identity", "both"], "the value 'both' is invalid for '--identity <identity>'."),
    (["L", "extra"], "the argument 'extra' is unexpected."),
    (["artists", "L", "--limit", "-1"], "'--limit' must not be negative."),
    (["artists", "L", "--limit", "many"], "the value 'many' is invalid for '--limit <number>'."),
    (["artists", "L", "--min-tracks=-3"], "'--min-tracks' must not be negative."),
    (["artists", "L", "--limit", "99999999999999999999"], "is invalid for '--limit <number>'"),
    (["artists", "L", "--format", "xml"], "the value 'xml' is invalid for '--format <format>'."),
    (["stats", "L", "--format", "ndjson"], "the value 'ndjson' is invalid"),
    (["info", "L", "--format", "csv"], "the value 'csv' is invalid"),
    (["sample", "-1", "new"], "the number of tracks must not be negative."),
    (["sample", "-1", "new", "--example", "books"], "the number of books must not be negative."),
    (["sample", "1", "new", "--example", "notes", "--wal"], "'--wal' works with tracks only, not with 'notes'."),
    (["sample", "1", "new", "--example", "note"], "Please provide one of 'tracks', 'books', 'notes' or 'notes-v2'."),
    (["--generate-completion-script", "tcsh"], "there are no completion scripts for 'tcsh'"),
    (["help", "frobnicate"], "there is no command 'frobnicate'."),
  ])
  func `A usage error is reported with advice and nothing is changed`(words: [String], message: String) throws {
    let before = try folder.snapshot()
    let arguments = words.map { $0 == "L" ? library : $0 }
    let result = try CommandRunner(arguments, folder: folder.path).run()
    #expect(result.status == 64, "\(result)")
    #expect(result.stdout == "")
    #expect(result.stderr.contains(message), "\(result.stderr)")
    #expect(result.stderr.lowercased().contains("usage: "))
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: ["library", "stat", "artits", "ünder"])
  func `A bare word that names a file is a library`(name: String) throws {
    _ = try folder.library(name)
    try CommandRunner([name], folder: folder.path).run().expectSuccess()
    #expect(try Rows.migrated(folder.file(name)) == [TrackRow].fewMigrated)
  }

  @Test func `A file named like a command needs its folder`() throws {
    _ = try folder.library("artists")
    #expect(try tracksMigrate("artists", in: folder.path).status == 64)
    try CommandRunner(["./artists"], folder: folder.path).run().expectSuccess()
  }

  @Test(arguments: [
    ["--strict", "--quiet", "L"], ["--quiet", "L", "--identity", "name"], ["migrate", "-q", "L"], ["-q", "--", "L"],
    ["--identity=name", "L", "-q"],
  ])
  func `Options can be anywhere on the command line`(words: [String]) throws {
    let result = try CommandRunner(words.map { $0 == "L" ? library : $0 }).run()
    #expect(result.status == (words.contains("--strict") ? 65 : 0), "\(result)")
  }

  @Test func `Arguments that are not valid text do not crash the process`() throws {
    let result = try CommandRunner.shell(#""$TOOL" "$(printf '\377\376')"; "$TOOL" "$(printf 'a\377/b')""#).run()
    #expect([64, 66].contains(result.status))
  }
}
