import Foundation
import TestSupport
import Testing

@Suite("Advice about files that cannot be written")
struct ObstacleAdviceTests {
  private let folder: TemporaryFolder
  private let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
  }

  /// Runs the command and requires that it fails with a message and changes nothing.
  private func refused(
    _ status: Int32 = 73, _ arguments: String..., problem: String, advice: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try folder.snapshot()
    let result = try CommandRunner(arguments, folder: folder.path).run()
    #expect(result.status == status, "\(result)", sourceLocation: sourceLocation)
    #expect(result.stderr.contains(problem), "\(result)", sourceLocation: sourceLocation)
    #expect(result.stderr.hasSuffix(advice + "\n"), "\(result)", sourceLocation: sourceLocation)
    #expect(try folder.snapshot() == before, sourceLocation: sourceLocation)
  }

  @Test(arguments: [false, true])
  func `A library is not its own backup`(isHardLink: Bool) throws {
    let name = isHardLink ? folder.file("Other.sqlite") : library
    if isHardLink { try Files.hardLink(name, to: library) }
    try refused(
      73, "restore", library, "--backup", name, problem: "'\(name)' is the library itself",
      advice: "Nothing was changed. Name another backup with --backup.")
  }

  @Test func `A backup that is a symbolic link is named`() throws {
    try successfully(library, "--quiet")
    try FileManager.default.moveItem(atPath: library + ".v1-backup", toPath: folder.file("kept"))
    try FileManager.default.createSymbolicLink(atPath: library + ".v1-backup", withDestinationPath: "kept")
    try refused(
      66, "restore", library, problem: "there is no backup of '\(library)' beside it",
      advice: "'Library.sqlite.v1-backup' is a symbolic link. Name the file that it leads to with --backup.")
    try successfully("restore", library, "--backup", folder.file("kept"))
  }

  @Test func `A damaged backup is described in plain words`() throws {
    try LibraryBuilder(tracks: .many(300)).write(to: folder.file("Large.sqlite"))
    let large = folder.file("Large.sqlite")
    try successfully(large, "--quiet")
    var bytes = try Files.bytes(large + ".v1-backup")
    let root = try #require(
      Database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'ZTRACK'", in: large + ".v1-backup").flatMap {
        Int($0)
      })
    bytes.replaceSubrange((root - 1) * 4096..<(root - 1) * 4096 + 16, with: [UInt8](repeating: 0xEE, count: 16))
    try Files.write(bytes, to: large + ".v1-backup")
    let before = try folder.snapshot()
    let result = try tracksMigrate("restore", large)
    #expect(result.status == 65, "\(result)")
    #expect(!result.stderr.contains("***") && !result.stderr.contains("btree"), "\(result)")
    #expect(result.stderr.hasSuffix("Nothing was changed. Name another backup with --backup.\n"), "\(result)")
    #expect(try folder.snapshot() == before)
    try Files.write(Array(bytes.prefix(bytes.count / 2)), to: large + ".v1-backup")
    let truncated = try tracksMigrate("restore", large)
    #expect(truncated.status == 65)
    #expect(truncated.stderr.hasSuffix("Nothing was changed. Name another backup with --backup.\n"), "\(truncated)")
  }

  @Test func `Names that a new file cannot have are refused with advice to choose another`() throws {
    _ = try folder.makeFolder("q")
    let other = "Nothing was changed. Name another file."
    try refused(
      73, library, "--output", library + "-wal",
      problem: "'--output' would replace the write-ahead log of '\(library)'", advice: other)
    try refused(
      73, library, "--output", folder.file(".L.tracks-migrate"), problem: "this is a name of temporary files",
      advice: other)
    try refused(
      73, library, "--stats", "q", problem: "'q' cannot be created: it is a folder",
      advice: "Nothing was changed. Name another file.")
    try refused(
      73, library, "--output", "q", problem: "'q' already exists",
      advice: "It is a folder: name a new file, such as one in it.")
    for device in ["/dev/null", "/dev/full"] {
      try refused(
        73, library, "--output", device, problem: "'\(device)' already exists",
        advice: "It is a device, and a library needs a file: choose another name.")
    }
    try folder.write([1], to: "mine.txt")
    for option in ["--output", "--stats"] {
      try refused(
        73, library, option, "mine.txt/x", problem: "cannot be created: 'mine.txt' is a file, not a folder",
        advice: "Choose a folder that exists and where you may write.")
    }
  }

  @Test func `Overlong names and circular links are reported`() throws {
    for (length, status) in [(250, 66), (230, 73)] {
      try refused(
        Int32(status), library, "--output", String(repeating: "n", count: length), problem: "File name too long",
        advice: "No data was changed. Choose a shorter name: with what is added for files beside it, one has at most "
          + "255 bytes.")
    }
    try FileManager.default.createSymbolicLink(atPath: folder.file("loop"), withDestinationPath: "loop")
    try refused(
      66, folder.file("loop"), problem: "Too many levels of symbolic links",
      advice: "It is a symbolic link that leads back to itself: remove it, or name another file.")
  }

  @Test func `A file that would exceed the process's size limit is reported`() throws {
    let large = folder.file("Large.sqlite")
    try LibraryBuilder(tracks: .many(1500)).write(to: large)
    let before = try folder.snapshot()
    let result = try CommandRunner.shell(#"ulimit -f 64; exec "$TOOL" "$1""#, large).run()
    #expect(result.status == 74, "\(result)")
    #expect(result.stderr.contains("File too large"), "\(result)")
    #expect(result.stderr.contains("larger than this process may write (ulimit -f)"), "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: ["pwrite64", "write"])
  func `An exhausted disk quota is reported`(call: String) throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/strace") else { return }
    let large = folder.file("Large.sqlite")
    try LibraryBuilder(tracks: .many(1500)).write(to: large)
    let before = try folder.snapshot()
    let trace = "strace -f -o /dev/null -e trace=\(call) -e inject=\(call):error=EDQUOT:when=20+"
    let result = try CommandRunner.shell(#"exec \#(trace) "$TOOL" "$1" --quiet"#, large).run()
    guard !result.stderr.contains("strace"), result.status != 0 || call == "pwrite64" else { return }
    #expect(result.status == 75, "\(result)")
    #expect(result.stderr.contains("Your disk quota is used up"), "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test func `Immutable files and append-only folders are reported`() throws {
    try successfully(library, "--quiet")
    guard try Self.change("+i", library) else { return }
    defer { _ = try? Self.change("-i", library) }
    let immutable = "is immutable; let it be changed with: chattr -i '\(library)'"
    let restored = try tracksMigrate("restore", library)
    #expect(restored.status == 73, "\(restored)")
    #expect(restored.stderr.hasSuffix("'\(library)' \(immutable)\n"), "\(restored)")
    _ = try Self.change("-i", library)
    try successfully("restore", library, "--quiet")
    _ = try Self.change("+i", library)
    let migrated = try tracksMigrate(library)
    #expect(migrated.status == 73, "\(migrated)")
    #expect(migrated.stderr.hasSuffix("'\(library)' \(immutable)\n"), "\(migrated)")
    _ = try Self.change("-i", library)
    _ = try Self.change("+a", folder.path)
    defer { _ = try? Self.change("-a", folder.path) }
    let result = try tracksMigrate(library)
    #expect(result.status == 73, "\(result)")
    #expect(
      result.stderr.hasSuffix(
        "The folder '\(folder.path)' is append-only, so that no file in it can be renamed or removed; allow that with: "
          + "chattr -a '\(folder.path)'\n"), "\(result)")
  }

  /// Changes a file attribute.
  ///
  /// On some file systems only root can do that.
  private static func change(_ attribute: String, _ path: String) throws -> Bool {
    try CommandRunner.shell(#"chattr "$1" "$2" 2>/dev/null"#, attribute, path).run().status == 0
  }
}
