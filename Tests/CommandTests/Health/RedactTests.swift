import Foundation
import TestSupport
import Testing

@Suite("The command redact")
struct RedactTests {
  private let folder: TemporaryFolder
  private var shown: String { folder.file("Shown.sqlite") }

  init() throws { folder = try TemporaryFolder(isInMemory: true) }

  /// The numbers and names of a migration that do not depend on its time, its place or the words of the library.
  private func facts(ofLibrary path: String, _ options: [String] = []) throws -> NSDictionary {
    try successfully([path, "--quiet"] + options)
    let report = try JSONSerialization.jsonObject(with: Data(Files.bytes(path + ".migration.json")))
    let volatile = [
      "examples", "elapsed", "per_second", "memory", "bytes", "file", "finished", "uuid", "phases", "unmatched",
      "suggested", "path", "source",
    ]
    let all = try #require(report as? [String: Any])
    return all.filter { fact in !volatile.contains { fact.key.contains($0) } } as NSDictionary
  }

  @Test func `A migration of a redacted sample with everything odd counts the same`() throws {
    let library = folder.file("Library.sqlite")
    try successfully("sample", "150", library, "--odd")
    try successfully("redact", library, "--output", shown)
    let (original, redacted) = (try facts(ofLibrary: library), try facts(ofLibrary: shown))
    #expect(original == redacted)
    let reasons = try #require(original["fallback_tracks_count_by_reason"] as? [String: Int])
    #expect(reasons.values.filter { $0 > 0 }.count > 8)
    #expect(original["name_conflicts_count"] as? Int ?? 0 > 0)
    for suffix in ["", ".rejects.ndjson", ".migration.json"] {
      let bytes = try Files.bytes(shown + suffix)
      for word in ["Björk", "Walters", "fallback artist"] {
        #expect(bytes.firstRange(of: Array(word.utf8)) == nil, "\(word) \(suffix)")
      }
    }
  }

  /// Every document that a preset knows, whole and broken.
  private func documents(seed: UInt64) throws -> [TrackRow] {
    let services = SampleStore.data("Services")
    var random = SeededGenerator(seed: seed)
    let files = try Files.listing(services).filter { $0.hasSuffix(".json") }
    return try files.flatMap { name in
      let document = try Files.bytes("\(services)/\(name)")
      var broken = document
      let place = random.number(0..<broken.count)
      switch random.number(0..<4) {
      case 0: broken.removeSubrange(place...)
      case 1: broken[place] = UInt8(random.number(0...255))
      case 2:
        broken.insert(contentsOf: random.pick([Array("nul".utf8), [0xFF], Array("\\u00".utf8), [0x22]]), at: place)
      default: broken.remove(at: place)
      }
      return [document, broken].map {
        TrackRow(title: .text("Title of \(name)"), artistName: .text("Fallback"), json: .rawText($0))
      }
    }
  }

  private static let rounds = Rounds.count(2)

  @Test(arguments: 1...rounds) func `A migration of redacted answers of all services counts the same`(seed: Int) throws
  {
    let library = try folder.library("Library.sqlite", try documents(seed: UInt64(seed)))
    try successfully("redact", library, "--output", shown)
    #expect(try facts(ofLibrary: library) == facts(ofLibrary: shown), "\(seed)")
  }

  @Test(arguments: [("Notes", 2, "notes"), ("Books", 1, "books")])
  func `A migration of an app's redacted store carries over the same rows`(
    example: String, version: Int, kind: String
  ) throws {
    let model = SampleStore.data("\(example)/\(example).xcdatamodeld")
    let library = folder.file("App.sqlite")
    try successfully("sample", "60", library, "--example", version == 2 ? "\(kind)-v2" : kind, "--odd")
    try successfully("redact", library, "--output", shown, "--model", model)
    func summary(_ path: String) throws -> [String] {
      let result = try successfully(path, "--model", model, "--output", path + ".new")
      // The rest are values, which only the original has.
      return result.stderr.split(separator: "\n").dropFirst().filter { !$0.hasPrefix("      ") }.map {
        String($0.replacing(path, with: "STORE"))
      }
    }
    let (original, redacted) = (try summary(library), try summary(shown))
    #expect(original == redacted)
    #expect(original.count > 4)
  }

  @Test func `A full disk is reported with the name of the copy`() throws {
    let disk = try folder.makeFolder("disk")
    guard let mount = try SmallDisk(at: disk) else { return }
    try successfully("sample", "3000", disk + "/App.sqlite", "--example", "notes")
    try mount.leaveFree(100 << 10)
    let before = try FolderSnapshot(disk)
    let result = try tracksMigrate("redact", disk + "/App.sqlite", "--output", disk + "/Copy.sqlite")
    #expect(result.status == 75, "\(result)")
    #expect(result.stderr.contains("no space left to write '\(disk)/Copy.sqlite'"), "\(result)")
    #expect(try FolderSnapshot(disk) == before)
  }

  @Test func `The summary says what was made, and nothing with quiet`() throws {
    let library = try folder.library("Library.sqlite")
    let result = try successfully("redact", library, "--output", shown)
    #expect(result.stdout == "")
    #expect(result.stderr.hasPrefix("Redacted '\(library)' as '\(shown)': "), "\(result)")
    #expect(result.stderr.contains(" of 4 tables.\n"), "\(result)")
    #expect(try Files.listing(folder.path) == ["Library.sqlite", "Shown.sqlite"])
    let quiet = try successfully("redact", library, "--output", folder.file("Other.sqlite"), "--quiet")
    #expect(quiet.stderr == "" && quiet.stdout == "")
  }

  @Test func `What is kept stays, and the model of a store without a copy of it is asked for`() throws {
    let store = try SampleStore("Notes")
    let result = try CommandRunner(["redact", store.path, "--output", shown]).run()
    #expect(
      result.status == 0 && result.stderr.contains("Columns were told by their names and types alone: "), "\(result)")
    Files.remove(shown)
    let refused = try CommandRunner(["redact", store.path, "--output", shown, "--keep", "Note.title"]).run()
    #expect(refused.status == 64 && refused.stderr.contains("Name the model with --model."), "\(refused)")
    try successfully("redact", store.path, "--output", shown, "--keep", "Note.title", "--model", store.model)
    let sql = "SELECT ZTITLE FROM ZNOTE"
    #expect(try Database.rows(sql, in: shown) == Database.rows(sql, in: store.path))
    let bodies = "SELECT ZBODY FROM ZNOTE WHERE length(ZBODY) > 3"
    #expect(try Database.rows(bodies, in: shown) != Database.rows(bodies, in: store.path))
  }

  @Test(arguments: [
    (["--output", "Library.sqlite"], 73, "would replace the store"),
    (["--output", "Library.sqlite-wal"], 73, "would replace the write-ahead log"),
    (["--output", "Taken.sqlite"], 73, "already exists"), (["--output", "none/New.sqlite"], 73, "cannot be created"),
    ([], 64, "requires '--output'"), (["--output", "New.sqlite", "--keep", "title"], 64, "Entity.attribute"),
    (["--output", "New.sqlite", "--keep", "Track.titel"], 64, "title"),
    (["--output", "New.sqlite", "--model", "None.xcdatamodeld"], 66, "no model"),
  ])
  func `A wrong request changes nothing`(options: [String], status: Int32, words: String) throws {
    _ = try folder.library("Library.sqlite")
    try folder.write([1], to: "Taken.sqlite")
    let before = try folder.snapshot()
    let result = try CommandRunner(["redact", "Library.sqlite"] + options, folder: folder.path).run()
    #expect(result.status == status && result.stderr.contains(words), "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test(.enabled(if: FaultInjector.shared != nil, "needs a C compiler"), arguments: [1, 3])
  func `A stopped run leaves nothing behind`(call: Int) throws {
    let library = try folder.library("Library.sqlite")
    let target = try TemporaryFolder()
    let injector = try #require(FaultInjector.shared)
    let before = try folder.snapshot()
    let command = try CommandRunner(["redact", library, "--output", target.file("New.sqlite")])
      .startAndStop(atWrite: call, in: target, injector)
    for number in [SIGTERM, SIGCONT] { command.send(number) }
    #expect(try command.finish().end == .signalled(SIGTERM))
    // A signal that comes after the last moment at which it can be heeded finds the work complete.
    #expect(try target.listing().allSatisfy { $0 == "New.sqlite" })
    #expect(try folder.snapshot() == before)
  }
}
