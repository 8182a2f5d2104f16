import Foundation
import TestSupport
import Testing

/// Kills a run before each of its renames in turn.
///
/// The next run does not get far either.
@Suite(
  "Cleanup after a killed run",
  .enabled(if: !Sanitizer.isOn && FaultInjector.shared != nil, "needs a C compiler"))
struct UndoTests {
  /// Returns the contents of a folder by name.
  ///
  /// File numbers do not matter.
  ///
  /// An unfinished result under its hidden name does no harm: the next migration starts there.
  private static func contents(_ folder: TemporaryFolder) throws -> [String: [UInt8]] {
    let image = try FolderImage(folder.path)
    let names = image.names.keys.filter { name in
      !name.contains(".tracks-migrate") || [".undo", ".earlier"].contains { name.hasSuffix($0) }
    }
    return Dictionary(uniqueKeysWithValues: names.map { ($0, image.bytes($0) ?? []) })
  }

  /// Kills a command at each of its renames.
  ///
  /// - Parameter work: Gets the folder, its previous contents, and whether the library has been replaced.
  private func forEachDeath(
    _ words: [String], of library: String = "Library.sqlite", _ variables: [String: String] = [:],
    make: (TemporaryFolder) throws -> Void, work: (TemporaryFolder, [String: [UInt8]], Bool) throws -> Void
  ) throws {
    var (olds, news, visible) = (0, 0, 0)
    for call in 1...200 {
      let folder = try TemporaryFolder(isInMemory: true)
      try make(folder)
      let before = try Self.contents(folder)
      let number = try Files.fileNumber(folder.file(library))
      var runner = CommandRunner(words, folder: folder.path)
      let strike = Fault(name: "death", kinds: [.name, .sync], action: .death(isTorn: false)).variables(call: call)
      runner.environment.merge(
        try #require(FaultInjector.shared).environment(root: folder.path, strike.merging(variables) { $1 })
      ) { $1 }
      guard try runner.run().end == .signalled(SIGKILL) else { break }
      let isNew = try Files.fileNumber(folder.file(library)) != number
      if isNew { news += 1 } else { olds += 1 }
      if !isNew, try folder.listing().contains(where: { before[$0] == nil && !$0.hasPrefix(".") }) { visible += 1 }
      try work(folder, before, isNew)
    }
    #expect(olds > 5 && news > 0 && visible > 0)
  }

  /// Makes a library with the files that earlier migrations have left.
  private func makeLibrary(_ folder: TemporaryFolder) throws {
    let library = try folder.library()
    try Files.write("{}", to: library + ".migration.json")
    try Files.write("earlier", to: library + ".rejects.ndjson")
    try Files.write("earlier", to: library + ".v1-backup")
  }

  /// Expects only the files that the next run may leave behind.
  private func expectTidy(_ folder: TemporaryFolder, _ before: [String: [UInt8]], _ isNew: Bool) throws {
    if isNew {
      #expect(try !folder.listing().contains { $0.hasSuffix(".undo") || $0.hasSuffix(".earlier") })
      #expect(Files.exists(folder.file("Library.sqlite.v1-backup-2")))
    } else {
      #expect(try Self.contents(folder) == before)
    }
  }

  @Test(arguments: [[:], ["DENY": "\(EPERM)"], ["LEASES": "\(EINVAL)"]], [false, true])
  func `The next run cleans up, even if it is strict and fails`(variables: [String: String], hasEarlier: Bool) throws {
    try forEachDeath(["Library.sqlite", "--quiet"], variables) { folder in
      if hasEarlier { try makeLibrary(folder) } else { _ = try folder.library() }
    } work: { folder, before, isNew in
      let result = try CommandRunner([folder.file("Library.sqlite"), "--strict", "--quiet"]).run()
      #expect(result.status == (isNew ? 0 : 65), "\(result)")
      if hasEarlier { return try expectTidy(folder, before, isNew) }
      guard !isNew else { return }
      #expect(try Self.contents(folder) == before)
    }
  }

  @Test func `A restoration cleans up and finds nothing to restore`() throws {
    try forEachDeath(["Library.sqlite", "--quiet"]) {
      _ = try $0.library()
    } work: { folder, before, isNew in
      let result = try CommandRunner(["restore", folder.file("Library.sqlite")]).run()
      #expect(result.status == (isNew ? 0 : 66), "\(result)")
      if !isNew { #expect(try Self.contents(folder) == before) }
    }
  }

  @Test func `Statistics at another path are cleaned up too`() throws {
    try forEachDeath(["Library.sqlite", "--quiet", "--stats", "inner/stats.json"]) { folder in
      _ = try folder.makeFolder("inner")
      try Files.write("earlier", to: folder.file("inner/stats.json"))
      try makeLibrary(folder)
    } work: { folder, before, isNew in
      _ = try CommandRunner([folder.file("Library.sqlite"), "--strict", "--quiet"]).run()
      try expectTidy(folder, before, isNew)
      #expect(try !Self.contents(folder).keys.contains { $0.hasSuffix(".earlier") })
    }
  }

  @Test func `External data files are cleaned up too`() throws {
    let store = try PictureStore()
    try forEachDeath(["App.sqlite", "--model", store.model, "--quiet"], of: "App.sqlite") {
      _ = try store.copy(to: $0)
    } work: { folder, before, isNew in
      let result = try CommandRunner(["restore", folder.file("App.sqlite")]).run()
      #expect(result.status == (isNew ? 0 : 66), "\(result)")
      guard !isNew else { return }
      // The log may already be checkpointed, or there may be a journal that is rolled back when the store is next
      // opened.
      let names = [before, try Self.contents(folder)].map { files in
        files.keys.filter { !$0.hasPrefix("App.sqlite-") }.sorted()
      }
      #expect(names[0] == names[1])
    }
  }

  @Test func `The remains of a killed restoration are cleaned up`() throws {
    try forEachDeath(["restore", "Library.sqlite", "--quiet"]) { folder in
      try successfully(try folder.library(), "--quiet")
    } work: { folder, before, isNew in
      let library = folder.file("Library.sqlite")
      // The library is current, so there is nothing else to do.
      _ = try CommandRunner([library, "--strict", "--quiet"]).run()
      if !isNew { #expect(try Self.contents(folder) == before) }
      #expect(try !folder.listing().contains { $0.hasSuffix(".undo") })
    }
  }

  @Test(arguments: [["--dry-run"], ["--output", "New.sqlite"]])
  func `A run that changes nothing beside the library does not clean up`(words: [String]) throws {
    try forEachDeath(["Library.sqlite", "--quiet"], make: makeLibrary) { folder, before, isNew in
      guard !isNew else { return }
      let left = try Self.contents(folder).filter { !$0.key.hasPrefix(".") }
      _ = try CommandRunner(["Library.sqlite", "--quiet"] + words, folder: folder.path).run()
      let now = try Self.contents(folder).filter { !$0.key.hasPrefix(".") && !$0.key.hasPrefix("New.sqlite") }
      #expect(now == left)
      // The migration can still be undone.
      _ = try CommandRunner([folder.file("Library.sqlite"), "--strict", "--quiet"]).run()
      #expect(try Self.contents(folder).filter { !$0.key.hasPrefix("New.sqlite") } == before)
    }
  }

  @Test func `Files changed or added by someone else since are kept`() throws {
    try forEachDeath(["Library.sqlite", "--quiet"], make: makeLibrary) { folder, before, isNew in
      guard !isNew else { return }
      var theirs = before
      for name in ["Library.sqlite.migration.json", "Library.sqlite.rejects-2.ndjson", "Library.sqlite.v1-backup-2"] {
        Files.remove(folder.file(name))
        try Files.write("theirs", to: folder.file(name))
        theirs[name] = Array("theirs".utf8)
      }
      _ = try CommandRunner([folder.file("Library.sqlite"), "--strict", "--quiet"]).run()
      #expect(try Self.contents(folder) == theirs)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "needs another user"), arguments: [false, true])
  func `A file that another user has written does not direct the cleanup`(isLink: Bool) throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    let precious = try folder.write(Array("precious".utf8), to: "precious")
    let status = try FileManager.default.attributesOfItem(atPath: precious)
    let time = try #require(status[.modificationDate] as? Date).timeIntervalSince1970
    let fields = [
      "tracks-migrate undo 1", "\(try Files.fileNumber(library))", "file",
      "\(try Files.fileNumber(precious)) 8 \(Int64(time * 1e9))", precious, "", "backup", library,
    ]
    let log = folder.file(".Library.sqlite.tracks-migrate.undo")
    let planted = isLink ? folder.file("planted") : log
    try Files.write(fields.map { $0 + "\0" }.joined(), to: planted)
    chown(planted, 65534, 65534)
    if isLink { try Files.hardLink(log, to: planted) }
    #expect(try CommandRunner([library, "--strict", "--quiet"]).run().status == 65)
    #expect(try Files.text(precious) == "precious")
    #expect(Files.exists(library))
  }
}
