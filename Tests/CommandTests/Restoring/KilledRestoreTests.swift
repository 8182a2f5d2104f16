import Foundation
import TestSupport
import Testing

/// Kills a restoration before each call that changes names or syncs in turn, and runs it again.
@Suite(
  "A restoration that is killed and run again",
  .enabled(if: !Sanitizer.isOn && FaultInjector.shared != nil, "needs a C compiler"))
struct KilledRestoreTests {
  /// A restoration of the library L.
  struct Scene: Sendable, CustomTestStringConvertible {
    /// The commands that lead to it.
    let steps: [[String]]
    let options: [String]
    /// The options of the second run if the first one has restored the library.
    var laterOptions: [String]?
    /// The options of the import that makes the library.
    var makeOptions = ["-q"]
    /// Whether the library is migrated, not imported.
    var isMigrated = false

    var testDescription: String { "\(steps.count) steps, \(options) \(laterOptions ?? options)" }
  }

  private static let renamed = [["artists", "apply", "L", "ab", "-q"]]
  private static let renamedTwice = renamed + [["artists", "apply", "L", "bc", "-q"]]

  static let scenes = [
    Scene(steps: renamedTwice, options: []),
    Scene(steps: renamedTwice, options: ["--no-backup"]),
    Scene(steps: renamedTwice, options: ["--backup", "L.v2-backup"]),
    Scene(steps: renamed, options: ["--no-backup"], laterOptions: []),
    Scene(steps: renamed + [["restore", "L", "-q"]], options: ["--backup", "L.replaced"]),
    Scene(steps: [["import", "other", "L", "-q"]], options: []),
    Scene(steps: [["import", "other", "L", "-q"]], options: ["--no-backup"]),
    // The backup has no statistics.
    Scene(steps: [["import", "other", "L", "-q"]], options: [], makeOptions: ["-q", "--stats", "elsewhere"]),
    // Statistics and rejects of what is undone, of the backup, and of both.
    Scene(steps: [], options: [], isMigrated: true),
    Scene(steps: [], options: ["--no-backup"], isMigrated: true),
    Scene(steps: [["restore", "L", "-q"]], options: ["--backup", "L.replaced"], isMigrated: true),
    Scene(steps: [["import", "broken", "L", "-q"]], options: [], isMigrated: true),
  ]

  private func make(_ scene: Scene) throws -> TemporaryFolder {
    let folder = try TemporaryFolder(isInMemory: true)
    try folder.write(Array(#"{"title":"t","artists":["A"]}"#.utf8), to: "feed")
    try folder.write(Array(#"{"title":"u","artists":["Q"]}"#.utf8), to: "other")
    for (name, into) in [("A", "B"), ("B", "C")] {
      let text = "decision\tartist\tinto\nrename\t\(name)\t\(into)\n"
      try folder.write(Array(text.utf8), to: (name + into).lowercased())
    }
    try folder.write(Array("{\"title\":\"u\",\"artists\":[\"Q\"]}\n{\"title\n".utf8), to: "broken")
    if scene.isMigrated { try Files.copy(folder.library(), to: folder.file("L")) }
    let makes = scene.isMigrated ? ["migrate", "L", "-q"] : ["import", "feed", "L"] + scene.makeOptions
    for step in [makes] + scene.steps { try successfully(step, in: folder.path) }
    return folder
  }

  /// The latest backup is also copied last.
  private func copy(_ folder: TemporaryFolder) throws -> TemporaryFolder {
    let copy = try TemporaryFolder(isInMemory: true)
    for name in try folder.listing() { try Files.copy(folder.file(name), to: copy.file(name)) }
    return copy
  }

  /// The library's artists, or its version if that has none.
  private func artists(_ folder: TemporaryFolder) throws -> String {
    let info = try successfully("info", "L", in: folder.path).stdout
    guard info.contains("Artist") else { return info }
    return try successfully("artists", "L", "--fields", "name", "--format", "csv", in: folder.path).stdout
  }

  private func statistics(_ folder: TemporaryFolder) throws -> [String: [UInt8]] {
    try folder.snapshot().contents.filter { $0.key.hasSuffix(".migration.json") || $0.key.hasSuffix(".rejects.ndjson") }
  }

  /// Runs a command that dies before a call; returns whether there was such a call.
  private func kill(_ words: [String], at call: Int, in folder: TemporaryFolder) throws -> Bool {
    let death = Fault(name: "death", kinds: [.name, .sync], action: .death(isTorn: false))
    let injector = try #require(FaultInjector.shared)
    let environment = injector.environment(root: folder.path, death.variables(call: call))
    return try CommandRunner(words, folder: folder.path, environment: environment).run().end == .signalled(SIGKILL)
  }

  @Test(arguments: Rounds.some(3, of: scenes)) func `The same run finishes the work, and does it once`(scene: Scene)
    throws
  {
    let template = try make(scene)
    let words = ["restore", "L"] + scene.options
    let whole = try copy(template)
    try successfully(words, in: whole.path)
    let restored = try artists(whole)
    try #require(try artists(template) != restored)
    var (olds, news) = (0, 0)
    for call in 1...200 {
      let folder = try copy(template)
      guard try kill(words, at: call, in: folder) else { break }
      let isRestored = try artists(folder) == restored
      if isRestored { news += 1 } else { olds += 1 }
      let options = isRestored ? scene.laterOptions ?? scene.options : scene.options
      let again = try CommandRunner(["restore", "L"] + options, folder: folder.path).run()
      #expect(again.status == 0, "call \(call): \(again)")
      #expect(again.stderr.contains("'L' is restored already; nothing to do.") == isRestored, "call \(call): \(again)")
      #expect(try artists(folder) == restored, "call \(call)")
      #expect(try folder.listing() == whole.listing(), "call \(call)")
      #expect(try statistics(folder) == statistics(whole), "call \(call)")
    }
    #expect(olds > 3 && news > 10)
  }

  /// Returns a folder in which a restoration was killed as soon as the library was restored.
  private func killed(_ scene: Scene) throws -> TemporaryFolder {
    let template = try make(scene)
    let before = try artists(template)
    for call in 1...200 {
      let folder = try copy(template)
      try #require(try kill(["restore", "L"] + scene.options, at: call, in: folder))
      if try artists(folder) != before { return folder }
    }
    throw CocoaError(.featureUnsupported)
  }

  @Test func `A dry run says that all is done, and another backup is restored if it is named`() throws {
    let folder = try killed(Self.scenes[0])
    let before = try folder.snapshot()
    let plan = try successfully("restore", "L", "--dry-run", in: folder.path)
    #expect(plan.stdout == "'L' is restored already; nothing to do. Replaced library: L.replaced\n")
    #expect(try folder.snapshot() == before)
    let other = try successfully("restore", "L", "--backup", "L.v2-backup", in: folder.path)
    #expect(other.stderr.contains("Restored 'L' from 'L.v2-backup'"), "\(other)")
    #expect(try artists(folder).contains("A"))
    #expect(try !folder.listing().contains { $0.hasPrefix(".") })
  }

  @Test func `Another command finishes the work, and then the next older backup can be restored`() throws {
    let folder = try killed(Self.scenes[0])
    try successfully("migrate", "L", "-q", in: folder.path)
    #expect(try !folder.listing().contains { $0.hasPrefix(".") || $0 == "L.v2-backup-2.migration.json" })
    try successfully("restore", "L", "-q", in: folder.path)
    #expect(try artists(folder).contains("A"))
  }

  @Test func `A review that is refused leaves no hidden file of a killed one`() throws {
    let folder = try make(Scene(steps: [], options: []))
    try folder.write(Array("mine".utf8), to: "review")
    // What is left of a run that is killed once its file is there.
    for name in [".review.tracks-migrate", ".review.tracks-migrate.document"] { try folder.write([], to: name) }
    let result = try CommandRunner(["artists", "review", "L", "--output", "review"], folder: folder.path).run()
    #expect(result.status == 64 && result.stderr.contains("'review' exists"), "\(result)")
    #expect(try Files.text(folder.file("review")) == "mine")
    #expect(try !folder.listing().contains { $0.hasPrefix(".") })
  }
}
