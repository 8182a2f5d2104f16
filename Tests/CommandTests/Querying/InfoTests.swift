import Foundation
import TestSupport
import Testing

@Suite("The info command")
struct InfoTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func json(_ words: String...) throws -> [String: Any] {
    let result = try CommandRunner(["info"] + words + ["--format", "json"]).run()
    #expect(result.status == 0, "\(result)")
    return try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
  }

  @Test func `The command describes a v1 library`() throws {
    let library = try folder.library()
    let before = try folder.snapshot()
    let info = try json(library)
    #expect(info["version"] as? String == "v1")
    #expect(info["uuid"] as? String == LibraryBuilder().uuid)
    #expect(info["framework_version"] as? Int == 1338)
    #expect(info["page_size_bytes"] as? Int == 4096)
    #expect(info["auto_vacuum"] as? Int == 2)
    #expect(info["encoding"] as? String == "UTF-8")
    #expect(info["journal"] as? String == "rollback")
    let entities = try #require(info["entities"] as? [[String: Any]])
    #expect(entities.count == 1)
    #expect(entities[0]["name"] as? String == "Track")
    #expect(entities[0]["instances_count"] as? Int == 5)
    #expect(entities[0]["version_hash"] as? String == LibraryBuilder.v1Hashes["Track"])
    #expect(try folder.snapshot() == before)
  }

  @Test func `The command describes a v2 library`() throws {
    let library = try folder.library()
    try successfully(library)
    let info = try json(library)
    #expect(info["version"] as? String == "v2")
    let entities = try #require(info["entities"] as? [[String: Any]])
    #expect(entities.map { $0["name"] as? String } == ["Artist", "Track"])
    #expect(entities.map { $0["instances_count"] as? Int } == [3, 5])
    let table = try successfully("info", library).stdout
    #expect(table.contains(try #require(LibraryBuilder.v2Hashes["Artist"])))
    #expect(table.hasPrefix("library          \(library)\nversion          v2\n"))
  }

  @Test(arguments: [("Notes/Notes.xcdatamodeld", "Notes 2"), ("Books/Books.xcdatamodeld", nil)])
  func `The command names the store's version of a model`(model: String, version: String?) throws {
    let samples = Readme.root + "/SampleData/"
    let (store, model) = (samples + "Notes/library-v2.sqlite", samples + model)
    let info = try json(store, "--model", model)
    #expect(info["model_version"] as? String == version)
    #expect((info["model_version"] is NSNull) == (version == nil))
    let table = try successfully("info", store, "--model", model).stdout
    #expect(table.contains("\nversion          \(version.map { "'\($0)'" } ?? "none") of '\(model)'\n"))
  }

  @Test func `A missing model is reported`() throws {
    let result = try tracksMigrate("info", try folder.library(), "--model", folder.file("No.xcdatamodeld"))
    #expect(result.status == 66)
    #expect(result.stdout == "")
  }

  @Test func `The command describes any Core Data store`() throws {
    let store = try folder.library(
      "Books.sqlite", LibraryBuilder(hashes: ["Book": "00ff", "Author": "abcd"], metadata: ["x": "y"]))
    try Database.run("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Book'", in: store)
    let info = try json(store)
    #expect(info["version"] is NSNull)
    let entities = try #require(info["entities"] as? [[String: Any]])
    #expect(entities[0]["name"] as? String == "Book")
    // This table does not exist.
    #expect(entities[0]["instances_count"] is NSNull)
    #expect(try successfully("info", store).stdout.contains("version          unknown\n"))
  }

  @Test func `The command describes a live write-ahead log and leaves it unchanged`() throws {
    let library = try folder.library("Live.sqlite", LibraryBuilder(writeAheadLogStart: 2))
    let before = try folder.snapshot()
    let info = try json(library)
    #expect(info["journal"] as? String == "wal")
    #expect((info["write_ahead_log_size_bytes"] as? Int ?? 0) > 0)
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: ["table", "json"])
  func `The app's secrets are never printed`(format: String) throws {
    let library = try folder.library("Secret.sqlite", LibraryBuilder(metadata: ["AuthToken": "hunter2-secret"]))
    for path in [library, try MusicLibrary.path] {
      let result = try successfully("info", path, "--format", format)
      #expect(result.stdout.contains(path == library ? "AuthToken" : "Token"))
      #expect(!result.stdout.contains("hunter2"))
      #expect(!result.stdout.contains("s3cr3t"))
    }
  }

  @Test func `Names of entities and keys cannot control the terminal`() throws {
    let library = try folder.library(
      "Evil.sqlite", LibraryBuilder(metadata: ["Key\u{1B}[2J\nversion  v9": "x"], uuid: "u\u{1B}]0;t\u{07}"))
    try Database.run("INSERT INTO Z_PRIMARYKEY VALUES (2, 'E\u{1B}[31m\nforged', 0, 0)", in: library)
    let result = try successfully("info", library)
    #expect(!result.stdout.contains("\u{1B}"))
    #expect(!result.stdout.contains("\nforged"))
    #expect(!result.stdout.contains("\nversion  v9"))
  }

  @Test func `Subentities are counted once, and entities known only to the metadata are listed`() throws {
    let hashes = LibraryBuilder.v1Hashes.merging(["Renamed": String(repeating: "ab", count: 32)]) { first, _ in first }
    let library = try folder.library("Other.sqlite", LibraryBuilder(hashes: hashes))
    try Database.run(
      "INSERT INTO Z_PRIMARYKEY VALUES (2, 'Old', 1, 0); UPDATE ZTRACK SET Z_ENT = 2 WHERE Z_PK < 3", in: library)
    let entities = try #require(try json(library)["entities"] as? [[String: Any]])
    #expect(entities.map { $0["name"] as? String } == ["Track", "Old", "Renamed"])
    #expect(entities.map { $0["instances_count"] as? Int } == [3, 2, nil])
    #expect(entities.map { $0["number"] as? Int } == [1, 2, nil])
    #expect(entities.last?["version_hash"] as? String == String(repeating: "ab", count: 32))
  }

  @Test func `Entities that are their own ancestors are handled`() throws {
    let library = try folder.library()
    try Database.run(
      "UPDATE Z_PRIMARYKEY SET Z_SUPER = 1; INSERT INTO Z_PRIMARYKEY VALUES (2,'B',3,0),(3,'C',2,0)", in: library)
    #expect(try tracksMigrate("info", library).status == 0)
  }
}
