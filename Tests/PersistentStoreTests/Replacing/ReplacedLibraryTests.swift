import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

struct ReplacedLibraryTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(arguments: [false, true])
  func `A library that replaces the old one during the work is not overwritten`(keepsBackup: Bool) throws {
    let library = folder.file("Library.sqlite")
    try TrackLibraryBuilder([TrackRow(1, json: nil)]).write(to: library)
    let file = try StoreFile(library)
    let staging = try StagingFile(for: file.resolvedPath, named: library)
    try Files.write("new", to: staging.path)
    let writeLock = try StoreWriteLock(file, busyTimeout: 0)
    try writeLock.takeOver()

    let other = folder.file("Other.sqlite")
    try TrackLibraryBuilder([TrackRow(1, json: nil), TrackRow(2, json: nil)]).write(to: other)
    try FileSystem.move(other, replacing: library)
    let bytes = try Files.bytes(library)

    let error = try #require(throws: MigrationError.self) {
      try StoreReplacement(staging: staging, companions: [])
        .replace(file, heldBy: writeLock, backupPath: keepsBackup ? folder.file("Backup") : nil)
    }
    #expect(error.code == .changedMeanwhile)
    #expect(try Files.bytes(library) == bytes)
    #expect(!FileSystem.exists(folder.file("Backup")))
    staging.discard()
  }

  @Test func `A change to a library read without locks is reported when it is closed`() throws {
    let inner = try folder.makeFolder("inner")
    let library = "\(inner)/Library.sqlite"
    var builder = TrackLibraryBuilder([TrackRow(1, json: nil)])
    builder.journalMode = "wal"
    try builder.write(to: library)
    for isChanged in [false, true] {
      try Files.setPermissions(0o555, of: inner)
      let reader = try Privileges.asNobody { try StoreReader(path: library) }
      try Files.setPermissions(0o755, of: inner)
      if isChanged {
        try Database.run("UPDATE ZTRACK SET ZTITLE = 'changed'; PRAGMA wal_checkpoint(TRUNCATE)", in: library)
        #expect(try #require(throws: MigrationError.self) { try reader.close() }.code == .changedMeanwhile)
      } else {
        try reader.close()
      }
    }
  }

  @Test func `A library that becomes unusable after it was checked is reported as replaced`() throws {
    let library = folder.file("Library.sqlite")
    try TrackLibraryBuilder([TrackRow(1, json: nil)]).write(to: library)
    let file = try StoreFile(library)
    let other = try folder.write([UInt8](repeating: 0, count: 4096), to: "other")
    try FileSystem.move(other, replacing: library)
    #expect { try StoreReader(file: file) } throws: { ($0 as? MigrationError)?.code == .changedMeanwhile }
    #expect { try StoreWriteLock(file, busyTimeout: 100) } throws: {
      ($0 as? MigrationError)?.code == .changedMeanwhile
    }
  }
}
