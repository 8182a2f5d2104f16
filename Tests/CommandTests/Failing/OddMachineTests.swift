import Foundation
import TestSupport
import Testing

@Suite("A machine without /proc", .enabled(if: NoProc.isPossible, "needs the right to mount"))
struct NoProcTests {
  @Test func `The command knows its arguments and migrates`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library("Bj\u{F6}rk.sqlite")
    #expect(try NoProc.run(["--version"]).stdout == successfully("--version").stdout)
    let result = try NoProc.run([library])
    #expect(result.status == 0, "\(result)")
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    #expect(try NoProc.run(["nonsense"]).stderr.contains("there is no command 'nonsense'."))
  }

  @Test(arguments: [true, false]) func `A batch finds its own program`(isInPath: Bool) throws {
    let folder = try TemporaryFolder()
    let libraries = try (1...3).map { try folder.library("l\($0).sqlite") }
    let name = isInPath ? (Tool.path as NSString).lastPathComponent : Tool.path
    let result = try NoProc.run(["batch"] + libraries, executable: name)
    #expect(result.status == 0, "\(result)")
    #expect(try result.results().values.allSatisfy { $0.status == "migrated" })
  }
}

/// A mount namespace in which an empty folder hides `/proc`.
private enum NoProc {
  static let isPossible = (try? run(["--version"], executable: "/bin/true").status) == 0

  static func run(_ arguments: [String], executable: String = Tool.path) throws -> CommandResult {
    let script = #"mount -t tmpfs none /proc && exec "$0" "$@""#
    var runner = CommandRunner(["-m", "/bin/sh", "-c", script, executable] + arguments)
    runner.executable = Program.find("unshare") ?? ""
    let folder = (Tool.path as NSString).deletingLastPathComponent
    runner.environment["PATH"] = "\(folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
    return try runner.run()
  }
}

@Suite("Temporary files without a place")
struct TemporaryPlaceTests {
  private let folder: TemporaryFolder
  private let model = SampleStore.data("Notes/Notes.xcdatamodeld")

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: ["file", "missing", "file/below"])
  func `A rehearsal names the folder and the reason`(name: String) throws {
    try Files.write("", to: folder.file("file"))
    let place = folder.file(name)
    let result = try CommandRunner(["rehearse", "--model", model], environment: ["TMPDIR": place]).run()
    #expect(result.status == 73, "\(result)")
    let reason = name == "missing" ? "No such file or directory" : "one of its folders is a file"
    #expect(
      result.stderr
        == "tracks-migrate: error: '\(place)/.tracks-migrate.temporary-XXXXXX' cannot be created: \(reason). Nothing was changed. Set TMPDIR to a folder where you may write.\n"
    )
  }

  @Test func `A rehearsal leaves nothing in the folder`() throws {
    let result = try CommandRunner(
      ["rehearse", "--model", model, "--rows", "3"], environment: ["TMPDIR": folder.path + "/"]
    ).run()
    #expect(result.status == 0, "\(result)")
    #expect(try folder.listing() == [])
  }

  @Test(arguments: [("ulimit -f 8", 74), ("ulimit -n 8", 74)])
  func `A limit of the process is not a failed migration`(limit: String, status: Int32) throws {
    var runner = CommandRunner(
      ["-c", limit + #"; exec "$TOOL" rehearse --model "$1" --rows 400"#, "sh", model],
      environment: ["TOOL": Tool.path, "TMPDIR": folder.path])
    runner.executable = "/bin/sh"
    let result = try runner.run()
    #expect(result.status == status, "\(result)")
    #expect(result.stdout == "" && result.stderr.contains("error: "), "\(result)")
    #expect(try folder.listing() == [])
  }

  @Test(.enabled(if: FullDisk.isPossible, "needs the right to mount"))
  func `A full disk is not a failed migration`() throws {
    let result = try FullDisk.run(["rehearse", "--model", model, "--rows", "2000"], mountedAt: folder.path)
    #expect(result.status == 75, "\(result)")
    #expect(result.stderr.contains("no space left") || result.stderr.contains("not enough space"), "\(result)")
  }
}

/// A mount namespace in which a folder is a small disk, and the place of temporary files.
private enum FullDisk {
  static let isPossible = (try? run([], mountedAt: "/tmp", executable: "/bin/true").status) == 0

  static func run(
    _ arguments: [String], mountedAt folder: String, executable: String = Tool.path
  ) throws -> CommandResult {
    let script = #"mount -t tmpfs -o size=200k none "$TMPDIR" && exec "$0" "$@""#
    var runner = CommandRunner(
      ["-m", "/bin/sh", "-c", script, executable] + arguments, environment: ["TMPDIR": folder])
    runner.executable = Program.find("unshare") ?? ""
    return try runner.run()
  }
}

/// A folder that may be read but not written.
@Suite("A dry run where a library cannot be replaced")
struct DryRunPlaceTests {
  private let folder: TemporaryFolder
  private let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
    chmod(library, 0o666)
  }

  @Test func `A review works, for it writes nothing there`() throws {
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o755) }
    let before = try folder.snapshot()
    guard let result = try StrangerRunner.run(["artists", "review", library]) else { return }
    #expect(result.status == 0 && result.stdout.hasPrefix("decision\t"), "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: [0o555, 0o777])
  func `A dry run shows the plan, and then says what a real run would say`(mode: Int) throws {
    if mode == 0o777 { chmod(library, 0o444) }
    chmod(folder.path, mode_t(mode))
    defer { chmod(folder.path, 0o755) }
    let before = try folder.snapshot()
    guard let result = try StrangerRunner.run([library, "--dry-run"]) else { return }
    #expect(result.status == 73 && result.stdout.contains("Tried out: "), "\(result)")
    #expect(result.stderr.contains("'\(library)' cannot be replaced: Permission denied"), "\(result)")
    let real = try #require(try StrangerRunner.run([library]))
    #expect(real.status == 73 && real.stderr.contains("'\(library)' cannot be replaced: Permission denied"), "\(real)")
    #expect(try folder.snapshot() == before)
  }

  @Test func `A dry run into a folder that can be written says yes`() throws {
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o755) }
    let target = try TemporaryFolder()
    chmod(target.path, 0o777)
    guard let result = try StrangerRunner.run([library, "--dry-run", "--output", target.file("New.sqlite")]) else {
      return
    }
    #expect(result.status == 0, "\(result)")
    #expect(try target.listing() == [])
  }

  @Test func `A dry run of a restoration and of decisions says no`() throws {
    try successfully(library, "-q")
    let decisions = try folder.write(
      Array("decision\tartist\tid\tinto\tinto_id\nrename\tBjörk\t\tBjork\t\n".utf8), to: "D")
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o755) }
    let before = try folder.snapshot()
    for words in [["restore", library, "--dry-run"], ["artists", "apply", library, decisions, "--dry-run"]] {
      guard let result = try StrangerRunner.run(words) else { return }
      #expect(result.status == 73 && !result.stdout.isEmpty, "\(result)")
    }
    #expect(try folder.snapshot() == before)
  }

  @Test func `A dry run of an app's store says no`() throws {
    let store = try SampleStore("Notes")
    chmod(store.path, 0o666)
    chmod(store.folder.path, 0o555)
    defer { chmod(store.folder.path, 0o755) }
    for more in [[], ["--strict"]] {
      guard let result = try StrangerRunner.run([store.path, "--model", store.model, "--dry-run"] + more) else {
        return
      }
      #expect(result.status == 73 && !result.stdout.isEmpty, "\(result)")
    }
  }
}
