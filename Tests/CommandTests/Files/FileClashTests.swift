import Foundation
import SystemC
import TestSupport
import Testing

/// What one command reads, writes, keeps and will name is never the same file, whichever arguments name it.
@Suite("Files of one command that must not be the same")
struct FileClashTests {
  private struct Pair: Sendable, CustomTestStringConvertible {
    let written, other: PathArgument
    var testDescription: String { "\(written.testDescription) and \(other.testDescription)" }

    /// An output that takes over what a file says may be that file.
    var mayBeSame: Bool {
      [.writes, .appends].contains(written.use) && other.use == .continues
    }

    static let all: [Pair] = PathArgument.byCommand.flatMap { arguments in
      arguments.enumerated().flatMap { index, argument in
        arguments[(index + 1)...].compactMap { other in
          if argument.use.isWriting { return Pair(written: argument, other: other) }
          return other.use.isWriting ? Pair(written: other, other: argument) : nil
        }
      }
    }
  }

  /// Another spelling of a path, or another name of its file.
  private enum Spelling: CaseIterable {
    case same, dotted, throughLink, hardLink, throughProc

    func make(_ name: String, in folder: TemporaryFolder) throws -> String {
      switch self {
      case .same: return name
      case .dotted: return "./\(name)"
      case .throughLink:
        try Files.link(folder.file("L\(name)"), to: name)
        return "L\(name)"
      case .hardLink:
        try Files.hardLink(folder.file("H\(name)"), to: folder.file(name))
        return "H\(name)"
      case .throughProc: return "/proc/self/cwd/\(name)"
      }
    }
  }

  @Test func `Every command that writes has pairs`() {
    #expect(Set(Pair.all.map { $0.written.command.joined(separator: " ") }).count > 12)
    #expect(Pair.all.count > 60)
    let exceptions = Pair.all.filter(\.mayBeSame).map(\.testDescription)
    #expect(
      exceptions == [
        "batch run --results and batch run --retry-failed", "artists review --output and artists review --decisions",
      ])
  }

  @Test(arguments: Pair.all.filter { !$0.mayBeSame })
  private func `One file for two arguments is refused, and both are named`(pair: Pair) throws {
    let name = PathCommandLine.fileName([pair.written, pair.other])
    // One command in all spellings; the others, which ask the same code, in one.
    let number = Pair.all.firstIndex { $0.testDescription == pair.testDescription } ?? 0
    let spellings = Rounds.areMany || number == 0 ? Spelling.allCases : [Spelling.allCases[number % 5]]
    for spelling in spellings {
      for isSwapped in [false, true] {
        let folder = try TemporaryFolder(isInMemory: true)
        try folder.write(Array("What stands here stays.".utf8), to: name)
        let other = try spelling.make(name, in: folder)
        // What must end in a certain way is spelled as it is.
        let paths = isSwapped && pair.written.use != .creates ? (other, name) : (name, other)
        let before = try folder.snapshot()
        let words = PathCommandLine.words([(pair.written, paths.0), (pair.other, paths.1)])
        let result = try CommandRunner(words, folder: folder.path).run()
        #expect(result.status == 73, "\(words) \(result)")
        #expect(result.stderr.contains(pair.written.role), "\(words) \(result)")
        #expect(result.stderr.contains(pair.other.role), "\(words) \(result)")
        #expect(try folder.snapshot() == before, "\(words)")
      }
    }
  }

  private static let parts = [
    "-wal", "-shm", "-journal", ".v1-backup", ".v2-backup-3", ".Notes-2-backup", ".old-backup-wal", ".migration.json",
    ".rejects.ndjson", ".rejects-2.ndjson", ".replaced", ".replaced-2",
  ]

  @Test(arguments: Pair.all.filter { $0.other.use.isOfStore && $0.written.use.isWriting })
  private func `The names that a run gives to files next to a store are refused`(pair: Pair) throws {
    guard pair.written.use.isOfDocument || pair.written.use == .createsStore else { return }
    let folder = try TemporaryFolder(isInMemory: true)
    let before = try folder.snapshot()
    for name in Self.parts.map({ "S.sqlite\($0)" }) + [".S_SUPPORT", ".S.sqlite.tracks-migrate"] {
      // Where the statistics are without the option.
      if name.hasSuffix(".migration.json"), pair.written.use == .writesStatistics { continue }
      let words = PathCommandLine.words([(pair.written, "./\(name)"), (pair.other, "S.sqlite")])
      let result = try CommandRunner(words, folder: folder.path).run()
      #expect(result.status == 73, "\(words) \(result)")
      let names = name.hasSuffix("tracks-migrate") ? ["temporary files"] : [pair.written.role, "of 'S.sqlite'"]
      for name in names { #expect(result.stderr.contains(name), "\(words) \(result)") }
      #expect(try folder.snapshot() == before, "\(words)")
    }
  }

  @Test(arguments: PathArgument.all { $0.isOfDocument || $0 == .createsStore })
  func `Nothing is written into a model, over a compiled one or over another database`(argument: PathArgument) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    _ = try folder.models("Other.xcdatamodeld", ["1": #"<entity name="A"/>"#], current: "1")
    try folder.write([1], to: "A.cdm")
    try Database.run("CREATE TABLE t (a)", in: folder.file("Alien"))
    let before = try folder.snapshot()
    var names = [
      "Other.xcdatamodeld/1.xcdatamodel/contents", "Other.xcdatamodeld/new", "Other.xcdatamodeld/.xccurrentversion",
    ]
    // A store replaces nothing anyway.
    if argument.use != .createsStore { names += ["A.cdm", "Alien"] }
    for name in names {
      let words = PathCommandLine.words([(argument, name)])
      let result = try CommandRunner(words, folder: folder.path).run()
      #expect(result.status == 73, "\(words) \(result)")
      #expect(result.stderr.contains("model") || result.stderr.contains("SQLite database"), "\(words) \(result)")
      #expect(try folder.snapshot() == before, "\(words)")
    }
  }

  @Test(arguments: PathArgument.all(where: \.isOfDocument))
  func `No link of /proc leads around the check for another database`(argument: PathArgument) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try Database.run("CREATE TABLE t (a)", in: folder.file("Alien"))
    try Files.link(folder.file("link"), to: "/proc/self/cwd/Alien")
    try Files.link(folder.file("folder"), to: "/proc/self/cwd")
    let before = try folder.snapshot()
    let names = [
      "/proc/self/cwd/Alien", "/proc/thread-self/cwd/Alien", "/proc/self/root\(folder.path)/Alien",
      "/proc/self/task/../cwd/Alien", "link", "folder/Alien",
    ]
    for name in names {
      let words = PathCommandLine.words([(argument, name)])
      let result = try CommandRunner(words, folder: folder.path).run()
      #expect(result.status == 73, "\(words) \(result)")
      #expect(result.stderr.contains("SQLite database"), "\(words) \(result)")
      #expect(try folder.snapshot() == before, "\(words)")
    }
  }

  @Test func `A library and an output may be named through /proc, and a redirected stream is not a library`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library("L.sqlite")
    let through = "/proc/self/cwd"
    try successfully("stats", "\(through)/L.sqlite", "--output", "\(through)/s", in: folder.path)
    #expect(Files.exists(folder.file("s")))
    try successfully("\(through)/L.sqlite", "--stats", "\(through)/m.json", in: folder.path)
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated && Files.exists(folder.file("m.json")))
    for name in ["/dev/stdin", "/proc/self/fd/0", "link"] {
      try? Files.link(folder.file("link"), to: "/dev/stdin")
      let result = try CommandRunner.shell(#""$TOOL" info \#(name) < L.sqlite"#, in: folder.path).run()
      #expect(result.status == 66 && result.stderr.contains("is not a regular file"), "\(name) \(result)")
    }
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
      let script = #""$TOOL" stats L.sqlite --output \#(name) > out && cmp -s out out2 || cp out out2"#
      #expect(try CommandRunner.shell(script, in: folder.path).run().status == 0)
      #expect(try Files.text(folder.file("out")).contains("tracks_count"), "\(name)")
      Files.remove(folder.file("out"))
    }
  }

  @Test(.enabled(if: TwoMounts.isPossible, "needs the right to mount"))
  func `A folder that is mounted in two places is one folder`() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "a/.L_SUPPORT", "b"] { _ = try folder.makeFolder(name) }
    _ = try folder.library("a/L.sqlite")
    let before = try folder.snapshot()
    for name in ["L.sqlite", "L.sqlite-wal", "L.sqlite.v1-backup", ".L_SUPPORT/x"] {
      let result = try TwoMounts.run(["batch", "a/L.sqlite", "--results", "b/\(name)"], in: folder.path)
      #expect(result.status == 73 && result.stderr.contains("'--results' would replace"), "\(name) \(result)")
      #expect(try folder.snapshot() == before)
    }
  }

  @Test(.enabled(if: TwoMounts.isPossible, "needs the right to mount"))
  func `A folder of another container is not taken for the one of the same name`() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] { _ = try folder.makeFolder(name) }
    try Files.write("What stands here stays.", to: folder.file("b/o"))
    _ = try folder.library("L.sqlite")
    let before = try folder.snapshot()
    // Where the other process is, b is a.
    let script = #"""
      mkfifo ready
      unshare -m /bin/sh -c 'mount --bind a b; echo > ready; exec sleep 60' & other=$!
      read line < ready
      "$TOOL" stats L.sqlite --output "/proc/$other/root$PWD/b/o" 2>&1; echo $?
      kill $other; rm ready
      """#
    let result = try CommandRunner.shell(script, in: folder.path).run()
    #expect(result.stdout.hasSuffix("73\n") && result.stdout.contains("is in another container"), "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: PathArgument.all { $0 == .createsStore || $0 == .replacesStore })
  func `No store gets the name of another one's log or journal`(argument: PathArgument) throws {
    // These do not make a store where there is none.
    let changing = ["migrate", "restore", "artists apply", "batch run", "doctor"]
    if argument.use == .replacesStore, changing.contains(argument.command.joined(separator: " ")) { return }
    for suffix in ["-wal", "-shm", "-journal"] {
      for isEmpty in [false, true] {
        let folder = try TemporaryFolder(isInMemory: true)
        if isEmpty {
          try folder.write([], to: "X.sqlite")
        } else {
          try Database.run("CREATE TABLE t (a)", in: folder.file("X.sqlite"))
        }
        try folder.write(Array(#"{"title":"x","artists":["y"]}"#.utf8), to: "Other-feed")
        try LibraryBuilder().write(to: folder.file("Other-library"))
        _ = try folder.models("Other.xcdatamodeld", ["1": #"<entity name="A"/>"#], current: "1")
        let before = try folder.snapshot()
        let words = PathCommandLine.words([(argument, "X.sqlite\(suffix)")])
        let result = try CommandRunner(words, folder: folder.path).run()
        #expect(result.status == 73, "\(words) \(result)")
        #expect(result.stderr.contains("this name belongs to the database"), "\(words) \(result)")
        #expect(try folder.snapshot() == before, "\(words)")
      }
    }
  }

  @Test func `The statistics of an import do not replace those of the library's migration`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    try successfully(library, "--quiet")
    try folder.write(Array(#"{"title":"x","artists":["y"]}"#.utf8), to: "feed")
    let before = try folder.snapshot()
    let statistics = library + ".migration.json"
    let result = try tracksMigrate("import", folder.file("feed"), library, "--stats", statistics)
    #expect(result.status == 73, "\(result)")
    #expect(result.stderr.contains("'--stats' would replace the statistics of"), "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test func `Standard output, devices and pipes are written to as before`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    try successfully(library, "--stats", "/dev/null", "--no-backup")
    for output in ["-", "/dev/stdout"] {
      let result = try successfully("export", library, "--output", output)
      #expect(result.stdout.contains("\"title\""), "\(output)")
    }
    let junit = try CommandRunner(
      [
        "rehearse", "--model", SampleStore.data("Notes/Notes.xcdatamodeld"), "--junit", "/dev/null", "--markdown",
        "/dev/null",
      ]
    ).run()
    #expect(junit.status != 73, "\(junit)")
  }

  @Test(arguments: [
    "M.xcdatamodeld/.xccurrentversion", "M.xcdatamodeld/1.xcdatamodel/contents", ".L_SUPPORT/_EXTERNAL_DATA/A",
  ])
  func `Another name of a file inside a model or among the external data is refused`(name: String) throws {
    let folder = try TemporaryFolder()
    try LibraryBuilder().write(to: folder.file("L.sqlite"))
    _ = try folder.models("M.xcdatamodeld", ["1": #"<entity name="A"/>"#], current: "1")
    let inside = folder.file(name)
    try FileManager.default.createDirectory(
      atPath: String(inside[..<(inside.lastIndex(of: "/") ?? inside.endIndex)]), withIntermediateDirectories: true)
    if !Files.exists(inside) { try Files.write(Array("What stands here stays.".utf8), to: inside) }
    try Files.hardLink(folder.file("r"), to: inside)
    let before = try Files.bytes(inside)
    let library = try Files.bytes(folder.file("L.sqlite"))
    let result = try CommandRunner(
      ["batch", "L.sqlite", "--model", "M.xcdatamodeld", "--results", "r"], folder: folder.path
    ).run()
    #expect(result.status == 73, "\(result)")
    #expect(result.stderr.contains("'--results' would replace"), "\(result)")
    #expect(try Files.bytes(inside) == before)
    #expect(try Files.bytes(folder.file("L.sqlite")) == library)
  }

  @Test(arguments: ["export", "report", "stats"])
  func `An output that is a link says which file is replaced`(command: String) throws {
    let folder = try TemporaryFolder()
    try successfully("sample", "3", folder.file("L.sqlite"))
    try successfully(folder.file("L.sqlite"), "--quiet")
    let target = try folder.write([], to: "target")
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: target)
    let words = [command, "L.sqlite", "--output", "link"]
    let result = try CommandRunner(words, folder: folder.path).run()
    #expect(result.status == 0, "\(result)")
    #expect(
      result.stderr.contains("'link' is a symbolic link: what it leads to is replaced, '\(target)'."), "\(result)")
    #expect(try !Files.bytes(target).isEmpty)
    let quiet = try CommandRunner(words + ["--quiet"], folder: folder.path).run()
    #expect(!quiet.stderr.contains("symbolic link"), "\(quiet)")
  }

  @Test(arguments: ["<a/>\n", "{\"a\":1}\n", "text", "{}\n{}\n"])
  func `Results are appended to results only`(contents: String) throws {
    let folder = try TemporaryFolder()
    let other = try folder.write(Array(contents.utf8), to: "other")
    let results = folder.file("results.ndjson")
    try Files.hardLink(results, to: other)
    try successfully("sample", "3", folder.file("A.sqlite"))
    let refused = try tracksMigrate("batch", folder.file("A.sqlite"), "--results", results)
    #expect(refused.status == 73 && refused.stderr.contains("something else than the results"), "\(refused)")
    #expect(try Files.text(other) == contents)
    Files.remove(results)
    // Blank lines, torn lines and results are continued.
    for begun in ["", "\n", "{\"attr"] {
      _ = try folder.write(Array(begun.utf8), to: "results.ndjson")
      for _ in 0..<2 { try successfully("batch", folder.file("A.sqlite"), "--results", results) }
      #expect(try Files.text(results).split(separator: "\n").count == (begun.count > 1 ? 3 : 2))
    }
  }

  @Test func `The results of a batch are kept apart from each library of a list, too`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    let bytes = try Files.bytes(library)
    try folder.write(Array("\(library)\n".utf8), to: "list")
    for (suffix, part) in [(".v1-backup", "a backup"), (".migration.json", "the statistics")] {
      let before = try folder.snapshot()
      let result = try tracksMigrate("batch", "--files-from", folder.file("list"), "--results", library + suffix)
      #expect(result.status == 73, "\(result)")
      #expect(result.stderr.contains("'--results' would replace \(part) of"), "\(result)")
      #expect(try folder.snapshot() == before)
    }
    // What a pipe names is known only when it comes.
    let results = library + ".v1-backup"
    let script = "cat list | $TOOL batch --files-from - --results '\(results)'"
    let result = try CommandRunner.shell(script, in: folder.path).run()
    #expect(result.status == 1, "\(result)")
    #expect(try Files.text(results).contains("'--results' would replace a backup of"))
    #expect(try Files.bytes(library) == bytes)
  }

  @Test func `Decisions are extended and failures are tried again in the same file`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    let (decisions, results) = (folder.file("d.tsv"), folder.file("r.ndjson"))
    try successfully("artists", "review", library, "--output", decisions)
    try successfully("artists", "review", library, "--output", decisions, "--decisions", decisions)
    #expect(try tracksMigrate("batch", folder.file("none"), "--results", results).status == 1)
    let again = try tracksMigrate("batch", "--retry-failed", results, "--results", results)
    #expect(again.status == 1, "\(again)")
    #expect(try Files.text(results).split(separator: "\n").count == 2)
  }
}

/// A mount namespace in which the folder `b` is the folder `a`.
private enum TwoMounts {
  static let isPossible: Bool = {
    guard let folder = try? TemporaryFolder(), (try? folder.makeFolder("a")) != nil,
      (try? folder.makeFolder("b")) != nil
    else { return false }
    return (try? run(["--version"], in: folder.path).status) == 0
  }()

  static func run(_ arguments: [String], in folder: String) throws -> CommandResult {
    let script = #"mount --bind a b && exec "$0" "$@""#
    var runner = CommandRunner(["-m", "/bin/sh", "-c", script, Tool.path] + arguments, folder: folder)
    runner.executable = Program.find("unshare") ?? ""
    return try runner.run()
  }
}
