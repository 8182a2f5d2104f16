import Foundation
import TestSupport
import Testing

/// The `--jobs` option, the number of threads that read tracks.
struct ThreadCountTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Makes a library with many key ranges, a wide gap, unreadable tracks and a write-ahead log.
  private func makeLibrary(_ name: String) throws {
    try successfully("sample", "9000", name, "--seed", "3", "--odd", "--wal", in: folder.path)
  }

  @Test(arguments: ["name", "id"]) func `Any number of threads gives the same bytes`(identity: String) throws {
    try makeLibrary("Old.sqlite")
    for jobs in ["1", "2", "3", "4", "16"] {
      try successfully(
        "migrate", "Old.sqlite", "--output", "New\(jobs).sqlite", "--jobs", jobs, "--identity", identity,
        in: folder.path)
    }
    let expected = try Files.bytes(folder.file("New1.sqlite"))
    let rejects = try Files.text(folder.file("New1.sqlite.rejects.ndjson"))
    #expect(!rejects.isEmpty)
    for jobs in ["2", "3", "4", "16"] {
      #expect(try Files.bytes(folder.file("New\(jobs).sqlite")) == expected, "--jobs \(jobs)")
      #expect(try Files.text(folder.file("New\(jobs).sqlite.rejects.ndjson")) == rejects, "--jobs \(jobs)")
    }
    #expect(try Database.rows("PRAGMA integrity_check", in: folder.file("New4.sqlite")) == ["ok"])
  }

  @Test(arguments: ["0", "-1", "257", "many"]) func `A meaningless number of threads is refused`(jobs: String) throws {
    try makeLibrary("Old.sqlite")
    let before = try Files.listing(folder.path)
    let result = try tracksMigrate("migrate", "Old.sqlite", "--jobs", jobs, in: folder.path)
    #expect(result.status == 64)
    #expect(result.stderr.contains("--jobs"))
    #expect(try Files.listing(folder.path) == before)
  }
}
