import Foundation
import TestSupport
import Testing

/// The system refuses a thread or a program (`EAGAIN`), as at a limit on processes.
@Suite("A refused thread", .enabled(if: FaultInjector.shared != nil, "needs a C compiler"))
struct RefusedThreadTests {
  /// A command with its words, in a folder that holds `Old.sqlite`, `Library.sqlite` (migrated), `Feed.ndjson` and the models.
  struct Case: CustomTestStringConvertible, Sendable {
    let words: [String]
    /// The fewest starts that the command must have tried, so that the test tests something.
    var leastStartCount = 1
    var testDescription: String { words.joined(separator: " ") }
  }

  private static let template = Result { () throws -> TemporaryFolder in
    let folder = try TemporaryFolder()
    _ = try folder.library("Old.sqlite", .many(20_000))
    try successfully(folder.file("Old.sqlite"), "--output", folder.file("Library.sqlite"), "--quiet")
    let lines = (0..<20_000).map {
      #"{"title": "Title \#($0)", "json": {"artists": [{"name": "Artist \#($0 % 97)"}]}}"#
    }
    try Files.write(lines.joined(separator: "\n") + "\n", to: folder.file("Feed.ndjson"))
    let samples = Checkout.root.appending(path: "SampleData").path
    // Without its mapping models, the last hops would drop values, and the rehearsal would fail.
    for name in ["Notes.xcdatamodeld", "Notes_v2_to_v3.xcmappingmodel", "Notes_v3_to_v4.xcmappingmodel"] {
      try Files.copy("\(samples)/Notes/\(name)", to: folder.file(name))
    }
    return folder
  }

  private static let cases = [
    Case(words: ["Old.sqlite", "--jobs", "3", "--verify", "--quiet"], leastStartCount: 5),
    Case(words: ["Old.sqlite", "--jobs", "2", "--output", "New.sqlite"], leastStartCount: 3),
    Case(words: ["verify", "Library.sqlite", "--source", "Old.sqlite"]),
    Case(words: ["export", "Library.sqlite", "--output", "Links.csv", "--what", "links", "--format", "csv"]),
    Case(words: ["import", "Feed.ndjson", "Library.sqlite", "--new-keys"]),
    Case(words: ["extract", "Old.sqlite", "--output", "Tracks.ndjson"]),
    Case(words: ["report", "Library.sqlite", "--output", "Page.html"]),
    Case(words: ["artists", "review", "Library.sqlite"], leastStartCount: 0),
    Case(words: ["stats", "Library.sqlite"], leastStartCount: 0),
    Case(words: ["rehearse", "--model", "Notes.xcdatamodeld"]),
  ]

  @Test(arguments: cases)
  func `A refused thread changes nothing in the result of a command`(_ command: Case) throws {
    let injector = try #require(FaultInjector.shared)
    let (expected, files) = try run(command, injector, [:])
    #expect(expected.status == 0, "\(expected)")
    for isLasting in [false, true] {
      var call = 1
      while true {
        let variables = ["KINDS": "start", "CALL": "\(call)", "ACTION": "\(EAGAIN)", "LASTING": isLasting ? "1" : "0"]
        let (result, found) = try run(command, injector, variables)
        guard result.stderr.contains("struck ") else { break }
        #expect(result.status == 0, "call \(call): \(result)")
        #expect(found == files, "call \(call)")
        call += 1
      }
      #expect(call > command.leastStartCount)
    }
  }

  @Test func `A batch does with the processes that the system grants, and fails without any`() throws {
    let injector = try #require(FaultInjector.shared)
    for (call, status) in [(1, Int32(75)), (2, 0)] {
      let folder = try TemporaryFolder()
      let libraries = try (1...3).map { try folder.library("\($0).sqlite") }
      let before = try folder.snapshot()
      var runner = CommandRunner(["batch", "--jobs", "2"] + libraries, folder: folder.path)
      runner.timeout = 60
      runner.environment = injector.environment(
        root: folder.path, ["KINDS": "start", "CALL": "\(call)", "ACTION": "\(EAGAIN)", "LASTING": "1"])
      let result = try runner.run()
      #expect(result.status == status, "\(result)")
      if call == 1 {
        #expect(result.stderr.contains("'a worker process' cannot be started: Resource temporarily unavailable"))
        #expect(result.stderr.contains("Allow more processes (ulimit -u, or the limit of the container)"))
        #expect(try folder.snapshot() == before)
      } else {
        #expect(result.stderr.contains("3 libraries: 3 migrated"))
      }
    }
  }

  @Test(.enabled(if: Program.find("git") != nil)) func `A revision is not read if git cannot be started`() throws {
    let injector = try #require(FaultInjector.shared)
    let folder = try TemporaryFolder()
    try Files.copy(try Self.template.get().file("Notes.xcdatamodeld"), to: folder.file("Notes.xcdatamodeld"))
    let script = "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm first"
    #expect(try CommandRunner.shell(script, in: folder.path).run().status == 0)
    var runner = CommandRunner(["models", "guard", "Notes.xcdatamodeld", "--against", "HEAD"], folder: folder.path)
    (runner.timeout, runner.environment["TMPDIR"]) = (60, folder.path)
    #expect(try runner.run().status == 0)
    let before = try folder.listing()
    for call in 1...3 {
      var refused = runner
      refused.environment.merge(
        injector.environment(root: folder.path, ["KINDS": "start", "CALL": "\(call)", "ACTION": "\(EAGAIN)"])
      ) { $1 }
      let result = try refused.run()
      #expect(result.status == 75, "\(result)")
      #expect(result.stderr.contains("'git' cannot be started: Resource temporarily unavailable"))
      #expect(try folder.listing() == before)
    }
  }

  /// Runs a command in a fresh folder.
  ///
  /// - Returns: The result and the files afterwards; times in reports are left out.
  private func run(
    _ command: Case, _ injector: FaultInjector, _ variables: [String: String]
  ) throws -> (CommandResult, [String: [UInt8]]) {
    let (template, folder) = (try Self.template.get(), try TemporaryFolder())
    for name in try template.listing() { try Files.copy(template.file(name), to: folder.file(name)) }
    var runner = CommandRunner(command.words, folder: folder.path)
    // The command must end by itself.
    runner.timeout = 60
    runner.environment = injector.environment(root: folder.path, variables)
    runner.environment["TMPDIR"] = folder.path
    let result = try runner.run()
    var files: [String: [UInt8]] = [:]
    for name in try folder.listing()
    where ![".json", ".xcdatamodeld", ".xcmappingmodel"].contains(where: name.hasSuffix) {
      files[name] = try Files.bytes(folder.file(name))
    }
    return (result, files)
  }
}
