import DataModel
import Foundation
import SQLiteDatabase
import TestSupport
import Testing

/// A line of a batch's results.
struct BatchLine: Decodable {
  let path: String
  let status: String
  let exit_status: Int
  let error_code: String?
  let message: String?
  let advice: String?
  let output: String?
  let backup: String?
  let library_uuid: String?
  let tracks_count: Int?
  let artists_count: Int?
  let links_count: Int?
  let instances_count: Int?
  let sha256: String?
  let options: [String]?

  static func all(_ text: String) throws -> [BatchLine] {
    try text.split(separator: "\n").map { try JSONDecoder().decode(BatchLine.self, from: Data($0.utf8)) }
  }
}

extension CommandResult {
  /// What a batch has written to standard output, by path.
  func results() throws -> [String: BatchLine] {
    let lines = try BatchLine.all(stdout)
    let byPath = Dictionary(lines.map { ($0.path, $0) }) { first, _ in first }
    #expect(byPath.count == lines.count, "a library has several results")
    return byPath
  }
}

@Suite("A batch of libraries")
struct BatchTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Makes libraries with 10, 11, 12 … tracks, each in a folder of its own.
  @discardableResult
  private func makeLibraries(_ count: Int) throws -> [String] {
    try (0..<count).map { number in
      _ = try folder.makeFolder("u\(number)")
      _ = try folder.library("u\(number)/L.sqlite", .many(10 + number))
      return "u\(number)/L.sqlite"
    }
  }

  private func batch(_ words: [String], input: String = "") throws -> CommandResult {
    var runner = CommandRunner(["batch"] + words, folder: folder.path)
    runner.input = Array(input.utf8)
    return try runner.run()
  }

  @Test func `Each library is migrated like by a command of its own`() throws {
    let libraries = try makeLibraries(6)
    for library in libraries { try successfully(library, "--output", "\(library).single", "-q", in: folder.path) }
    let results = try batch(libraries + ["--jobs", "3", "--checksum"]).results()
    #expect(results.count == 6)
    for (number, library) in libraries.enumerated() {
      let result = try #require(results[library])
      #expect(result.status == "migrated" && result.exit_status == 0 && result.tracks_count == 10 + number)
      #expect(result.output == library && result.backup == "\(library).v1-backup")
      #expect(result.library_uuid == LibraryBuilder().uuid)
      let single = try Files.bytes(folder.file("\(library).single"))
      #expect(try Files.bytes(folder.file(library)) == single)
      #expect(result.sha256 == Digest.sha256(single).map { String(format: "%02x", $0) }.joined())
    }
    let again = try batch(libraries)
    #expect(again.status == 0)
    #expect(try again.results().values.allSatisfy { $0.status == "current" && $0.backup == nil })
  }

  @Test func `What cannot be migrated touches no other library`() throws {
    let libraries = try makeLibraries(3)
    try Files.write("junk", to: folder.file("junk"))
    mkfifo(folder.file("pipe"), 0o600)
    let locked = try folder.library("locked.sqlite")
    let connection = try Connection(path: locked, access: .readWrite)
    try connection.execute("BEGIN EXCLUSIVE")
    let bad = ["junk", "pipe", "u0", "missing", "locked.sqlite"]
    let result = try batch(bad + libraries + ["--jobs", "2"])
    try connection.execute("ROLLBACK")
    #expect(result.status == 1, "\(result)")
    #expect(result.stderr.contains("8 libraries: 3 migrated, 0 current, 5 failed."))
    #expect(result.stderr.contains("5 libraries could not be migrated."))
    let results = try result.results()
    for (path, code, status) in [
      ("junk", "not-a-database", 65), ("pipe", "not-a-file", 66), ("u0", "is-directory", 66),
      ("missing", "missing", 66),
      ("locked.sqlite", "locked", 75),
    ] {
      #expect(results[path]?.error_code == code && results[path]?.exit_status == status, "\(path)")
      #expect(results[path]?.message?.isEmpty == false && results[path]?.advice?.isEmpty == false)
    }
    for library in libraries { #expect(results[library]?.status == "migrated") }
  }

  @Test func `What has failed is run again`() throws {
    let libraries = try makeLibraries(2)
    let results = folder.file("r.ndjson")
    #expect(try batch(libraries + ["late.sqlite", "never", "--results", results]).status == 1)
    _ = try folder.library("late.sqlite")
    let again = try batch(["--retry-failed", results, "--results", results])
    #expect(again.status == 1 && again.stderr.contains("2 libraries: 1 migrated, 0 current, 1 failed."), "\(again)")
    let summary = try successfully("batch", "summarize", results, "--format", "json").stdout
    let object = try #require(try JSONSerialization.jsonObject(with: Data(summary.utf8)) as? [String: Any])
    #expect(object["libraries_count"] as? Int == 4)
    #expect(object["migrated_libraries_count"] as? Int == 3)
    #expect(object["failed_libraries_count"] as? Int == 1)
    #expect(object["tracks_count"] as? Int == 10 + 11 + [TrackRow].few.count)
  }

  @Test func `Results go to paths below a folder and are made once`() throws {
    let libraries = try makeLibraries(3)
    let before = try Files.bytes(folder.file(libraries[0]))
    let absolute = folder.file(libraries[2])
    let words = [libraries[0], "u1/../u1/L.sqlite", "./" + libraries[1], absolute, "--output-dir", "out"]
    let results = try batch(words).results()
    let real = try #require(realpath(absolute, nil).map { String(cString: $0) })
    let expected = [
      libraries[0]: "out/u0/L.sqlite", "./u1/L.sqlite": "out/u1/L.sqlite", absolute: "out" + real,
      "u1/../u1/L.sqlite": "out" + real.replacing("/u2/", with: "/u1/"),
    ]
    for (path, output) in expected {
      #expect(results[path]?.output == output)
      #expect(Files.exists(folder.file(output)), "\(output)")
    }
    #expect(try Files.bytes(folder.file(libraries[0])) == before)
    let made = try FolderSnapshot(folder.file("out"))
    #expect(try batch(words).results().values.allSatisfy { $0.status == "current" })
    #expect(try FolderSnapshot(folder.file("out")) == made)
  }

  @Test func `A result of something else is not replaced`() throws {
    let library = try makeLibraries(1)[0]
    let words = [library, "--output-dir", "out"]
    #expect(try batch(words).status == 0)
    let made = try FolderSnapshot(folder.file("out"))
    try Database.run("INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT) VALUES (99, 1, 1)", in: folder.file(library))
    let changed = try batch(words)
    #expect(changed.status == 1 && changed.stdout.contains("has changed since"), "\(changed)")
    try Database.run("UPDATE Z_METADATA SET Z_UUID = 'B3F4C565-A3C9-4B1E-8C3D-0123456789AB'", in: folder.file(library))
    let other = try batch(words)
    #expect(other.status == 1 && other.stdout.contains("it is not the result of"), "\(other)")
    #expect(try FolderSnapshot(folder.file("out")) == made)
  }

  @Test(arguments: [1, 3, 7])
  func `Every library is in one shard`(count: Int) throws {
    let names = (0..<40).map { "missing \($0)" }
    try Files.write(names.joined(separator: "\n"), to: folder.file("list"))
    var seen: [String] = []
    for part in 0..<count {
      let mine = try batch(["--files-from", "list", "--shard", "\(part)/\(count)"]).results().keys
      #expect(count < 7 || (1...20).contains(mine.count))
      seen += mine
    }
    #expect(seen.sorted() == names.sorted())
    #expect(try batch(["--files-from", "list", "--shard", "\(count)/\(count)"]).status == 64)
  }

  @Test func `Lists hold any names`() throws {
    _ = try folder.library("new\nline.sqlite")
    _ = try folder.library("Bj\u{F6}rk 'quoted' {1}.sqlite")
    let names = "new\nline.sqlite\0Bj\u{F6}rk 'quoted' {1}.sqlite"
    let results = try batch(["--files-from", "-", "--null"], input: names).results()
    #expect(results["new\nline.sqlite"]?.status == "migrated")
    #expect(results["Bj\u{F6}rk 'quoted' {1}.sqlite"]?.status == "migrated")
    let lines = try batch(["--files-from", "-"], input: "\r\nBj\u{F6}rk 'quoted' {1}.sqlite\r\n\nmissing").results()
    #expect(Set(lines.keys) == ["Bj\u{F6}rk 'quoted' {1}.sqlite", "missing"])
  }

  @Test func `A pipe answers in order, whatever comes of the libraries`() throws {
    let libraries = try makeLibraries(5)
    let jobs = [libraries[3], "missing", libraries[0], libraries[3], libraries[4]]
    let result = try batch(["--pipe"], input: jobs.joined(separator: "\n") + "\n")
    #expect(result.status == 0 && result.stderr == "", "\(result)")
    let lines = try BatchLine.all(result.stdout)
    #expect(lines.map(\.path) == jobs)
    #expect(lines.map(\.status) == ["migrated", "failed", "migrated", "current", "migrated"])
    #expect(try batch(["--pipe"]).stdout == "")
  }

  @Test func `A library under two names is migrated once at a time`() throws {
    let library = try folder.library("L.sqlite", .many(2000))
    try Files.link(folder.file("link"), to: library)
    let results = try batch(["L.sqlite", "link", "--jobs", "4"]).results()
    #expect(results["L.sqlite"]?.status == "migrated")
    #expect(results["link"]?.status == "current")
  }

  @Test func `No library is begun after a failure, if that is wanted`() throws {
    let libraries = try makeLibraries(3)
    let result = try batch(["missing"] + libraries + ["--fail-fast", "--jobs", "1"])
    #expect(result.status == 1)
    #expect(try BatchLine.all(result.stdout).map(\.path) == ["missing"])
  }

  @Test func `A result that cannot be written is not lost unnoticed`() throws {
    let libraries = try makeLibraries(3)
    let result = try batch(libraries + ["--results", "/dev/full"])
    #expect(result.status == 75, "\(result)")
    #expect(result.stderr.contains("No space left on device"))
    #expect(try batch(libraries).status == 0)
  }

  @Test func `A torn line of results harms no other`() throws {
    let libraries = try makeLibraries(2)
    let results = folder.file("r.ndjson")
    #expect(try batch([libraries[0], "--results", results]).status == 0)
    let whole = try Files.bytes(results)
    try Files.write(whole + whole.prefix(40), to: results)
    #expect(try batch([libraries[1], "--results", results]).status == 0)
    let summary = try tracksMigrate("batch", "summarize", results, "--format", "ndjson")
    #expect(summary.stderr.contains("line 2 of '\(results)' is not a result"), "\(summary)")
    #expect(try BatchLine.all(summary.stdout).map(\.path) == libraries)
  }

  @Test func `What is no result is refused once`() throws {
    let results = folder.file("r.ndjson")
    try Files.write(String(repeating: "garbage\n", count: 222), to: results)
    for words in [["batch", "summarize", results], ["batch", "--retry-failed", results]] {
      let result = try CommandRunner(words).run()
      #expect(result.status == 64 && result.stdout == "", "\(result)")
      #expect(
        result.stderr.hasPrefix(
          "tracks-migrate: error: '\(results)' has no results of a batch. Name a file that 'batch --results' has written.\n"
        ))
    }
    // Beside results, it is one warning.
    #expect(try batch([try makeLibraries(1)[0], "--results", folder.file("s.ndjson")]).status == 0)
    try Files.write(try Files.bytes(folder.file("s.ndjson")) + Array("a\nb\n".utf8), to: folder.file("s.ndjson"))
    let summary = try tracksMigrate("batch", "summarize", folder.file("s.ndjson"), "--format", "json")
    #expect(summary.stderr.split(separator: "\n").count == 1)
    #expect(
      summary.stderr.contains("2 lines of '\(folder.file("s.ndjson"))', the first of them line 2, are not results"))
  }

  @Test func `An app's stores are migrated with its model`() throws {
    let store = try PictureStore(padding: 10)
    _ = try store.copy(to: folder)
    let names = try folder.listing().filter { $0.hasSuffix(".sqlite") }
    let result = try batch(names + ["--model", store.model, "--output-dir", "out"])
    #expect(result.status == 0, "\(result)")
    let line = try #require(try BatchLine.all(result.stdout).first)
    #expect(line.status == "migrated" && (line.instances_count ?? 0) > 0)
    #expect(line.options == ["--model=\(store.model)"])
    #expect(try batch(names + ["--model", store.model, "--output-dir", "out"]).stdout.contains(#""status":"current""#))
  }

  @Test(
    arguments: [
      (["--jobs", "0", "L"], "'--jobs' requires a number from 1 to 1024."),
      (["--pipe", "--jobs", "2"], "'--pipe' answers in order"), (["--null", "L"], "'--null' requires"),
      (["L", "--output-dir", "o", "--no-backup"], "leaves the libraries unchanged"), ([], "Name libraries"),
      (["L", "--shard", "3/3"], "--shard"), (["L", "--shard", "-1/3"], "--shard"),
      (["L", "--json", "nosuch"], "there is no preset"),
    ])
  func `Wrong options are refused before any library is begun`(words: [String], message: String) throws {
    _ = try folder.library("L")
    let before = try folder.snapshot()
    let result = try batch(words)
    #expect(result.status == 64 && result.stderr.contains(message), "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test(.enabled(if: Program.find("promtool") != nil, "needs promtool"))
  func `Prometheus accepts the metrics of libraries and of batches`() throws {
    let libraries = try makeLibraries(2)
    _ = try folder.library("odd \"name\\ \n.sqlite")
    #expect(try batch(libraries + ["missing", "odd \"name\\ \n.sqlite", "--results", "r.ndjson"]).status == 1)
    for words in [
      ["batch", "summarize", "r.ndjson"], ["stats", libraries[0]], ["stats", "odd \"name\\ \n.sqlite"],
    ] {
      let text = try CommandRunner(words + ["--format", "prometheus"], folder: folder.path).run()
      var check = CommandRunner(["check", "metrics"])
      check.executable = try #require(Program.find("promtool"))
      check.input = text.output
      let result = try check.run()
      #expect(result.status == 0 && result.stdout + result.stderr == "", "\(result)")
    }
  }
}

@Suite("A batch that is disturbed", .enabled(if: FaultInjector.shared != nil, "needs a C compiler"))
struct DisturbedBatchTests {
  private let folder: TemporaryFolder
  private let injector: FaultInjector
  /// Libraries, of which the first is disturbed.
  private let libraries: [String]

  init() throws {
    folder = try TemporaryFolder()
    injector = try #require(FaultInjector.shared)
    _ = try folder.makeFolder("first")
    libraries = ["first/L.sqlite", "A.sqlite", "B.sqlite"]
    for library in libraries { _ = try folder.library(library, .many(library == libraries[0] ? 20_000 : 20)) }
  }

  private func runner(_ action: String, jobs: Int) -> CommandRunner {
    var runner = CommandRunner(["batch"] + libraries + ["--jobs", "\(jobs)"], folder: folder.path)
    let strike = ["KINDS": "write", "CALL": "20", "ACTION": action]
    runner.environment.merge(injector.environment(root: folder.file("first"), strike)) { $1 }
    return runner
  }

  @Test(arguments: [1, 2])
  func `A library whose process dies is one failure`(jobs: Int) throws {
    let result = try runner("kill", jobs: jobs).run()
    #expect(result.status == 1, "\(result)")
    let results = try result.results()
    #expect(results[libraries[0]]?.error_code == "worker-ended")
    #expect(results[libraries[0]]?.message?.contains("signal 9") == true)
    for library in libraries.dropFirst() { #expect(results[library]?.status == "migrated") }
    let again = try CommandRunner(["batch"] + libraries, folder: folder.path).run()
    #expect(again.status == 0, "\(again)")
    #expect(try again.results().values.map(\.status).sorted() == ["current", "current", "migrated"])
    #expect(try Database.isWhole(folder.file(libraries[0])))
  }

  @Test func `A stopped batch rolls back what is at work and says so`() throws {
    let before = try FolderSnapshot(folder.file("first"))
    let command = try runner("stop", jobs: 1).start()
    let worker = try #require(Self.stoppedChild(of: command.processID))
    command.send(SIGTERM)
    // The worker gets the signal once it goes on.
    while try !Self.hasPendingSignal(worker) { usleep(1000) }
    kill(worker, SIGCONT)
    let result = try command.finish()
    #expect(result.end == .signalled(SIGTERM), "\(result)")
    let lines = try BatchLine.all(result.stdout)
    #expect(lines.map(\.path) == [libraries[0]] && lines[0].error_code == "interrupted", "\(result)")
    #expect(try FolderSnapshot(folder.file("first")) == before)
    #expect(result.stderr.contains("interrupted. The results say what was done."))
  }

  @Test func `A worker finishes its library if the batch is killed`() throws {
    let command = try runner("stop", jobs: 1).start()
    let worker = try #require(Self.stoppedChild(of: command.processID))
    // A worker that is still stopped when the batch dies would be sent a SIGHUP by the kernel.
    kill(worker, SIGCONT)
    command.send(SIGKILL)
    _ = try command.finish()
    while kill(worker, 0) == 0, Self.state(worker) != "Z" { usleep(1000) }
    let again = try CommandRunner(["batch"] + libraries, folder: folder.path).run()
    #expect(try again.results()[libraries[0]]?.status == "current", "\(again)")
  }

  /// Waits for a child of a process that is stopped.
  private static func stoppedChild(of process: pid_t) -> pid_t? {
    let deadline = ContinuousClock.now + .seconds(240)
    while ContinuousClock.now < deadline {
      let children = (try? Files.text("/proc/\(process)/task/\(process)/children")) ?? ""
      let stopped = children.split(separator: " ").compactMap { pid_t($0) }.first { state($0) == "T" }
      if let stopped { return stopped }
      usleep(1000)
    }
    return nil
  }

  private static func state(_ process: pid_t) -> Substring? {
    (try? Files.text("/proc/\(process)/stat"))?.split(separator: ")").last?.split(separator: " ").first
  }

  private static func hasPendingSignal(_ process: pid_t) throws -> Bool {
    try Files.text("/proc/\(process)/status").split(separator: "\n")
      .contains { $0.hasPrefix("ShdPnd:") && !$0.hasSuffix("0000000000000000") }
  }
}
