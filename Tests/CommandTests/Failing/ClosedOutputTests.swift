import Foundation
import TestSupport
import Testing

/// Every command that prints something on standard output, which cannot be written.
@Suite("Output that cannot be written")
struct ClosedOutputTests {
  /// The commands; `L` is a migrated library, `O` an old one, `S` and `T` are stores of the model `M`, and `R` are results.
  static let commands: [[String]] =
    [
      ["O", "--dry-run"], ["migrate", "S", "--model", "M", "--dry-run"], ["restore", "L", "--dry-run"],
      ["artists", "review", "L"], ["artists", "apply", "L", "D", "--dry-run"], ["artist", "L", "Björk"],
      ["artist", "L", "Björk", "--format", "json"], ["verify", "V"], ["export", "L"],
      ["export", "S", "--model", "M", "--entity", "Note"], ["presets", "test", "P"],
      ["extract", "O"], ["report", "L", "--output", "-"], ["presets"], ["presets", "show", "spotify"],
      ["batch", "O"], ["batch", "--pipe"], ["query", "S", "Note", "--model", "M"],
      ["diff", "S", "T", "--model", "M"], ["diff", "S", "S", "--model", "M"],
      ["rehearse", "--model", "M", "--rows", "2"], ["models", "hash", "M"],
      ["models", "diff", "M:Notes", "M:Notes 2"], ["models", "explain", "S", "M"], ["--help"], ["--version"],
      ["help", "batch"], ["--generate-man-page"], ["---complete", "presets", ""],
    ]
    + ["table", "json", "ndjson", "csv"].flatMap {
      [["artists", "L", "--format", $0], ["tracks", "L", "--format", $0]]
    }
    + ["table", "json", "prometheus"].map { ["stats", "L", "--format", $0] }
    + ["table", "json"].map { ["info", "L", "--format", $0] }
    + ["text", "json"].flatMap { [["doctor", "L", "--format", $0], ["doctor", "V", "--repair", "--format", $0]] }
    + ["table", "json", "ndjson", "prometheus", "html"].map { ["batch", "summarize", "R", "--format", $0] }
    + ["lines", "table", "json", "sarif"].flatMap { [["models", "lint", "M", "--format", $0]] }
    + ["lines", "table", "json", "sarif", "markdown"].map { ["models", "guard", "M", "--format", $0] }
    + [["models", "show", "M"], ["models", "show", "M", "--format", "json"]]

  /// Commands that print nothing on standard output when all goes well.
  static let silent: Set = ["import", "assemble", "sample", "fixture", "redact", "salvage"]

  /// What the commands are given; each test has a copy.
  private static let prepared = Result { try prepare() }

  private static func prepare() throws -> TemporaryFolder {
    let folder = try TemporaryFolder(isInMemory: true)
    let (library, _) = (try folder.library("L.sqlite"), try folder.library("O.sqlite"))
    try successfully(library, "-q")
    try #require(try tracksMigrate("batch", "none", "--results", folder.file("R")).status == 1)
    try folder.write(Array("decision\tartist\tid\tinto\tinto_id\ttracks\tevidence\n".utf8), to: "D")
    try folder.write(Array(#"{"artists":[{"name":"Ann"}]}"#.utf8), to: "P")
    try successfully(try folder.library("V.sqlite"), "-q")
    try Database.run("UPDATE ZARTIST SET ZNAME = 'other' WHERE Z_PK = 1", in: folder.file("V.sqlite"))
    for name in ["S", "T"] {
      try folder.write(try Files.bytes(SampleStore.data("Notes/library-v1.sqlite")), to: "\(name).sqlite")
    }
    try Database.run("DELETE FROM ZNOTE WHERE Z_PK = 1", in: folder.file("T.sqlite"))
    return folder
  }

  private let folder: TemporaryFolder
  private let words: [String: String]

  init() throws {
    let prepared = try Self.prepared.get()
    folder = try TemporaryFolder(isInMemory: true)
    for name in try prepared.listing() { try Files.copy(prepared.file(name), to: folder.file(name)) }
    var words = ["M": SampleStore.data("Notes/Notes.xcdatamodeld")]
    for name in ["R", "D", "P"] { words[name] = folder.file(name) }
    for name in ["L", "O", "V", "S", "T"] { words[name] = folder.file("\(name).sqlite") }
    self.words = words
  }

  private func arguments(_ command: [String]) -> [String] {
    command.map { word in
      guard word.hasPrefix("M:"), let model = words["M"] else { return words[word] ?? word }
      return model + word.dropFirst()
    }
  }

  /// Runs a command with a standard output that the shell has as descriptor 5.
  private func run(_ command: [String], _ opening: String) throws -> CommandResult {
    let script = opening + #"; fifo="$1"; shift; "$TOOL" "$@" >&5; echo "status $?" >&2"#
    var runner = CommandRunner(["-c", script, "sh", folder.file("fifo")] + arguments(command))
    runner.executable = "/bin/sh"
    runner.environment = ["TOOL": Tool.path]
    runner.input = Array((words["O"] ?? "").utf8)
    return try runner.run()
  }

  /// A pipe without a reader, before the command begins.
  private static let abandoned = #"mkfifo "$1"; exec 4<>"$1"; exec 5>"$1"; exec 4<&-"#

  @Test(arguments: commands) func `A reader that is gone ends a command by a signal`(command: [String]) throws {
    let result = try run(command, Self.abandoned)
    #expect(result.stderr.hasSuffix("status 141\n"), "\(result)")
    #expect(!result.stderr.contains("error:"), "\(result)")
  }

  @Test(arguments: commands, [Self.abandoned])
  func `A caller that ignores the signal is told of the reader that is gone`(command: [String], pipe: String) throws {
    let result = try run(command, "trap '' PIPE; " + pipe)
    #expect(result.stderr.hasSuffix("status 74\n"), "\(result)")
    #expect(result.stderr.contains("error: cannot write the output: Broken pipe"), "\(result)")
  }

  @Test(.enabled(if: Files.exists("/dev/full")), arguments: commands)
  func `A full disk behind standard output ends a command with 75`(command: [String]) throws {
    let result = try run(command, "exec 5>/dev/full")
    #expect(result.stderr.hasSuffix("status 75\n"), "\(result)")
    #expect(result.stderr.contains("error: cannot write the output: No space left on device"), "\(result)")
  }

  @Test func `Every command is tried`() throws {
    let help = try successfully("--help").stdout
    let section = try #require(help.split(separator: "MIGRATE AND UNDO:\n").last?.split(separator: "OPTIONS:\n").first)
    let names = section.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(names.count > 15)
    let tried = Set(Self.commands.map { $0[0] }).union(Self.silent).union(["migrate"])
    #expect(names.filter { !tried.contains($0) && $0 == $0.lowercased() } == [])
  }

  @Test func `A batch whose reader is gone leaves the other libraries alone`() throws {
    let libraries = try (1...5).map { try folder.library("b\($0).sqlite") }
    let result = try run(["batch", "--jobs", "1", "-q"] + libraries, Self.abandoned)
    #expect(result.stderr == "status 141\n", "\(result)")
    #expect(try folder.listing().count { $0.hasPrefix("b") && $0.hasSuffix(".migration.json") } < 5)
  }

  @Test func `An error of the output has a code for programs`() throws {
    let result = try run(["tracks", "L", "--errors", "json"], "exec 5>/dev/full")
    #expect(result.stderr.contains(#""code":"disk-full","exit_status":75"#), "\(result)")
  }
}
