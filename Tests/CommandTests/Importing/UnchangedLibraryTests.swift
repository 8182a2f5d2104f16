import Foundation
import TestSupport
import Testing

@Suite("An import that adds nothing")
struct UnchangedLibraryTests {
  let folder: TemporaryFolder
  let library: String
  let feed: String

  init() throws {
    folder = try TemporaryFolder(isInMemory: true)
    library = try folder.migratedSample()
    // Every track is known, and one line is not a track.
    let known = try successfully("export", library).lines
    feed = try folder.write(Array((known + ["broken"]).joined(separator: "\n").utf8), to: "feed.ndjson")
  }

  private var rejects: String { library + ".rejects.ndjson" }

  private func run(_ options: [String] = []) throws -> CommandResult {
    try CommandRunner(["import", feed, library] + options).run()
  }

  @Test(arguments: [[], ["--no-backup"], ["--verify"], ["--jobs", "1"]], [false, true])
  func `Rejected lines are published, and the library and its backups stay as they are`(
    options: [String], writesStatistics: Bool
  ) throws {
    // An earlier import has left a backup, and a program a log.
    try folder.write(Array("backup".utf8), to: "Library.sqlite.v2-backup")
    try Database.run("PRAGMA journal_mode = WAL", in: library)
    try Database.leaveLog("UPDATE ZTRACK SET Z_OPT = 9", in: library)
    let before = try folder.snapshot()
    let stats = folder.file("stats.json")
    let result = try run(options + (writesStatistics ? ["--stats", stats] : []))
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr.contains("Rejects: \(rejects) (1 line, such as line 21: broken JSON)"), "\(result)")
    #expect(result.stderr.contains("Already there: 20 tracks."), "\(result)")
    #expect(!result.stderr.contains("Backup: "), "\(result)")
    #expect(try Files.text(rejects).contains(#"{"line":21,"reason":"json_syntax""#))
    if writesStatistics {
      let counts = try JSONSerialization.jsonObject(with: Data(Files.bytes(stats))) as? [String: Any]
      #expect(counts?["known_tracks"] as? Int == 20 && counts?["rejects_count"] as? Int == 1)
    }
    for file in [rejects, stats] { Files.remove(file) }
    #expect(try folder.snapshot() == before)
  }

  @Test func `Statistics alone are written without replacing the library`() throws {
    try Files.write(try successfully("export", library).stdout, to: feed)
    let before = try folder.snapshot()
    let stats = folder.file("stats.json")
    #expect(try run(["--stats", stats]).status == 0)
    #expect(Files.exists(stats))
    Files.remove(stats)
    #expect(try folder.snapshot() == before)
  }

  @Test func `A repeated import finds its rejects, and adds no others`() throws {
    try #require(run().status == 0)
    let before = try folder.snapshot()
    let repeated = try run()
    #expect(repeated.status == 0 && repeated.stderr.contains("Rejects: \(rejects) (1 line"), "\(repeated)")
    #expect(try folder.snapshot() == before)
  }

  @Test func `A strict import refuses the lines, and what only the app can write is not called left behind`() throws {
    try Database.run(
      """
      CREATE TABLE OLD AS SELECT * FROM ZTRACK; DROP TABLE ZTRACK;
      CREATE TABLE ZTRACK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP,
        ZIMAGEURL VARCHAR, ZTITLE VARCHAR, ZMUST VARCHAR NOT NULL);
      INSERT INTO ZTRACK SELECT *, 'must' FROM OLD; DROP TABLE OLD;
      CREATE TRIGGER COUNTING AFTER INSERT ON ZTRACK BEGIN SELECT 1; END;
      """, in: library)
    let before = try folder.snapshot()
    let refused = try run(["--strict"])
    #expect(refused.status == 65, "\(refused)")
    #expect(refused.stderr.contains("the feed was not imported into '\(library)', because of --strict: "), "\(refused)")
    #expect(refused.stderr.contains("Run without --strict to import anyway"), "\(refused)")
    #expect(try folder.snapshot() == before)
    let result = try run(["--verify"])
    #expect(result.status == 0 && !result.stderr.contains("left behind"), "\(result)")
    #expect(!result.stderr.contains("trigger"), "\(result)")
    Files.remove(rejects)
    #expect(try folder.snapshot() == before)
  }

  @Test(
    .enabled(if: !Sanitizer.isOn, "a sanitizer hides the calls"), arguments: [nil, ENOSPC] as [Int32?])
  func `A disturbed run leaves the library, and rejects and statistics appear together`(number: Int32?) throws {
    guard let injector = FaultInjector.shared else { return }
    let stats = folder.file("stats.json")
    try Files.write("earlier", to: stats)
    let before = try folder.snapshot()
    let fault = Fault(
      name: "fault", kinds: [.write, .name, .sync],
      action: number.map { .failure($0, lasts: true) } ?? .death(isTorn: false))
    var count = 0
    for call in 1...500 {
      var command = CommandRunner(["import", feed, library, "--stats", stats])
      command.environment = injector.environment(root: folder.path, fault.variables(call: call))
      let result = try command.run()
      if result.status != 0 { count += 1 }
      if let number, result.status != 0 {
        #expect([66, 73, 74, 75].contains(result.status), "call \(call), error \(number): \(result)")
      }
      // The next run may look at the library, and takes back what a dead one has left.
      #expect(try run(["--stats", stats]).status == 0, "call \(call)")
      #expect(try Files.text(stats).hasPrefix("{"), "call \(call)")
      for file in [rejects, stats] { Files.remove(file) }
      try Files.write("earlier", to: stats)
      #expect(try folder.snapshot().contents == before.contents, "call \(call)")
      if result.status == 0 { break }
    }
    #expect(count > 10 && count < 500)
  }
}
