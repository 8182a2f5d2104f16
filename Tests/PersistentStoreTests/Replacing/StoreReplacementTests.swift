import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

extension StoreReplacement {
  /// Replaces a library as a migration does.
  fileprivate func replace(_ library: StoreFile, backupPath: String?) throws {
    let writeLock = try StoreWriteLock(library, busyTimeout: 10)
    try writeLock.takeOver()
    try replace(library, heldBy: writeLock, backupPath: backupPath)
  }
}

struct StoreReplacementTests {
  private typealias Companion = StoreReplacement.Companion
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("Library.sqlite")
    try TrackLibraryBuilder([TrackRow(1, title: "old", json: nil)]).write(to: path)
  }

  private func stage(for target: String? = nil) throws -> StagingFile {
    let staging = try StagingFile(for: target ?? path, named: "Library")
    try Files.write("the new store", to: staging.path)
    return staging
  }

  @Test func `The new store takes the name, and the old one becomes the backup`() throws {
    let old = try Files.bytes(path)
    let number = try Files.fileNumber(path)
    try Files.setPermissions(0o640, of: path)
    let library = try StoreFile(path)
    let backup = try Backup.freePath(for: library, version: "v1")
    #expect(backup == path + ".v1-backup")
    let staging = try stage()
    try StoreReplacement(staging: staging, companions: []).replace(library, backupPath: backup)
    #expect(try Files.text(path) == "the new store")
    #expect(try Files.bytes(backup) == old)
    #expect(try Files.fileNumber(backup) == number)
    #expect(try folder.listing() == ["Library.sqlite", "Library.sqlite.v1-backup"])
    #expect(try #require(FileStatus(path)).mode == 0o640)
  }

  @Test func `Only the new store is left without a backup`() throws {
    try StoreReplacement(staging: try stage(), companions: []).replace(try StoreFile(path), backupPath: nil)
    #expect(try folder.listing() == ["Library.sqlite"])
    #expect(try Files.text(path) == "the new store")
  }

  @Test func `An existing backup is never overwritten`() throws {
    try Files.write("older", to: path + ".v1-backup")
    try Files.link(path + ".v1-backup-2", to: folder.file("dangling"))
    let library = try StoreFile(path)
    #expect(try Backup.freePath(for: library, version: "v1") == path + ".v1-backup-3")
    // Somebody takes the name in the meantime.
    let before = try folder.snapshot()
    let staging = try stage()
    let error = try #require(throws: MigrationError.self) {
      try StoreReplacement(staging: staging, companions: []).replace(library, backupPath: path + ".v1-backup")
    }
    #expect(error.code == .outputExists)
    #expect(error.subject.path == path + ".v1-backup")
    staging.discard()
    #expect(try folder.snapshot() == before)
  }

  @Test func `A backup that is a hard link to the library is reused`() throws {
    // A run that died between naming the backup and replacing the library leaves this.
    try Files.hardLink(path + ".v1-backup", to: path)
    let old = try Files.bytes(path)
    let library = try StoreFile(path)
    let backup = try Backup.freePath(for: library, version: "v1")
    #expect(backup == path + ".v1-backup")
    try StoreReplacement(staging: try stage(), companions: []).replace(library, backupPath: backup)
    #expect(try Files.bytes(backup) == old)
    #expect(try Files.text(path) == "the new store")
  }

  @Test func `A symbolic link to the library does not count as its backup`() throws {
    try Files.link(path + ".v1-backup", to: path)
    let old = try Files.bytes(path)
    let library = try StoreFile(path)
    let backup = try Backup.freePath(for: library, version: "v1")
    #expect(backup == path + ".v1-backup-2")
    try StoreReplacement(staging: try stage(), companions: []).replace(library, backupPath: backup)
    #expect(try Files.bytes(backup) == old)
  }

  @Test func `A library that is a symbolic link stays one`() throws {
    let link = folder.file("link")
    try Files.link(link, to: path)
    try StoreReplacement(staging: try stage(), companions: []).replace(try StoreFile(link), backupPath: nil)
    #expect(try #require(FileStatus(unresolved: link)).kind == .link)
    #expect(try Files.text(path) == "the new store")
  }

  @Test func `Companion files appear together with the store`() throws {
    let staging = try stage()
    try Files.write("new report", to: staging.companion("complete"))
    try Files.write("rejects", to: staging.companion("rejects"))
    try Files.write("old report", to: folder.file("report"))
    try StoreReplacement(
      staging: staging,
      companions: [
        Companion(stagedPath: staging.companion("complete"), path: folder.file("report"), mayReplace: true),
        Companion(stagedPath: staging.companion("rejects"), path: folder.file("rejects"), mayReplace: false),
      ]
    ).replace(try StoreFile(path), backupPath: nil)
    #expect(try Files.text(folder.file("report")) == "new report")
    #expect(try Files.text(folder.file("rejects")) == "rejects")
    #expect(try folder.listing() == ["Library.sqlite", "rejects", "report"])
  }

  /// Obstacles to a replacement.
  enum Obstacle: CaseIterable { case companionExists, companionMissing, companionFolderMissing, stagingGone }

  @Test(arguments: Obstacle.allCases)
  func `A failure leaves the library unchanged and removes what was created`(obstacle: Obstacle) throws {
    try Files.write("kept", to: folder.file("taken"))
    let before = try folder.snapshot()
    let staging = try stage()
    try Files.write("first", to: staging.companion("complete"))
    try Files.write("second", to: staging.companion("rejects"))
    let second =
      switch obstacle {
      case .companionExists: folder.file("taken")
      case .companionFolderMissing: folder.file("no/such")
      case .companionMissing, .stagingGone: folder.file("free")
      }
    if obstacle == .companionMissing { Files.remove(staging.companion("rejects")) }
    if obstacle == .stagingGone { Files.remove(staging.path) }
    let replacement = StoreReplacement(
      staging: staging,
      companions: [
        Companion(stagedPath: staging.companion("complete"), path: folder.file("report"), mayReplace: true),
        Companion(stagedPath: staging.companion("rejects"), path: second, mayReplace: false),
      ])
    let error = try #require(throws: MigrationError.self) {
      try replacement.replace(try StoreFile(path), backupPath: path + ".v1-backup")
    }
    #expect(error.subject.path == (obstacle == .companionExists ? folder.file("taken") : error.subject.path))
    staging.discard()
    #expect(try folder.snapshot() == before)
  }

  @Test func `A store is written to a new name`() throws {
    let output = folder.file("New.sqlite")
    let before = try Files.bytes(path)
    let staging = try stage(for: output)
    try StoreReplacement(staging: staging, companions: []).publish(as: output, like: try StoreFile(path))
    #expect(try Files.text(output) == "the new store")
    #expect(try Files.bytes(path) == before)
    #expect(try folder.listing() == ["Library.sqlite", "New.sqlite"])
    #expect(try #require(FileStatus(output)).linkCount == 1)
  }

  @Test(arguments: ["file", "link", "folder"])
  func `An existing output is never replaced`(kind: String) throws {
    let output = folder.file("New.sqlite")
    switch kind {
    case "file": try Files.write("precious", to: output)
    case "link": try Files.link(output, to: folder.file("dangling"))
    default: _ = try folder.makeFolder("New.sqlite")
    }
    let before = try folder.snapshot()
    let staging = try stage(for: output)
    try Files.write("report", to: staging.companion("complete"))
    let replacement = StoreReplacement(
      staging: staging,
      companions: [
        Companion(stagedPath: staging.companion("complete"), path: folder.file("report"), mayReplace: true)
      ])
    let error = try #require(throws: MigrationError.self) {
      try replacement.publish(as: output, like: try StoreFile(path))
    }
    #expect(error.code == .outputExists)
    staging.discard()
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: [false, true])
  func `A log of the old store does not remain next to the new one`(isLive: Bool) throws {
    Files.remove(path)
    var builder = TrackLibraryBuilder([TrackRow(1, title: "main", json: nil)])
    builder.journalMode = "wal"
    if isLive { builder.rowsInLog = [TrackRow(2, title: "log", json: nil)] }
    try builder.write(to: path)
    let library = try StoreFile(path)
    let writeLock = try StoreWriteLock(library, busyTimeout: 10)
    let staging = try StagingFile(for: path, named: path)
    let writer = try StoreWriter(path: staging.path, schema: StoreSchema(TrackModels.v2), layout: .coreData)
    try writer.finish(metadata: .new(for: TrackModels.v2, uuid: "NEW"))
    try writeLock.takeOver()
    let backup = try Backup.freePath(for: library, version: "v1")
    try StoreReplacement(staging: staging, companions: [])
      .replace(library, heldBy: writeLock, backupPath: backup)
    #expect(
      try folder.listing().filter { !$0.hasSuffix("-journal") } == ["Library.sqlite", "Library.sqlite.v1-backup"])
    let reader = try StoreReader(path: path)
    #expect(reader.metadata.uuid == "NEW")
    #expect(try Database.integrity(path) == ["ok"])
  }

  @Test func `The backup contains the whole old store, including its log`() throws {
    Files.remove(path)
    var builder = TrackLibraryBuilder([TrackRow(1, title: "main", json: nil)])
    builder.rowsInLog = [TrackRow(2, title: "log", json: nil)]
    try builder.write(to: path)
    let library = try StoreFile(path)
    let staging = try stage()
    try StoreReplacement(staging: staging, companions: []).replace(library, backupPath: path + ".v1-backup")
    #expect(try Database.rows("SELECT ZTITLE FROM ZTRACK ORDER BY 1", in: path + ".v1-backup") == ["log", "main"])
    #expect(try folder.listing() == ["Library.sqlite", "Library.sqlite.v1-backup"])
  }
}
