import Foundation
import TestSupport
import Testing

/// Files that people name as stores and that are something else.
@Suite("What a file is that is not a store")
struct OtherFileTests {
  /// A kind of file, with the words for it and for the way out.
  struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    let words: String
    let wayOut: String
    let bytes: @Sendable () -> [UInt8]

    var testDescription: String { name }

    init(_ name: String, _ words: String, _ wayOut: String, _ bytes: @autoclosure @escaping @Sendable () -> [UInt8]) {
      (self.name, self.words, self.wayOut, self.bytes) = (name, words, wayOut, bytes)
    }
  }

  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// Bytes without a pattern.
  private static func noise(_ count: Int) -> [UInt8] {
    var random = SeededGenerator(seed: 37)
    return (0..<count).map { _ in UInt8(random.number(0...255)) }
  }

  static let kinds = [
    Kind("encrypted", "it may be encrypted with a key", "'sqlcipher'", noise(16 << 10)),
    Kind("small and encrypted", "it may be encrypted with a key", "'sqlcipher'", noise(1024)),
    Kind("encrypted and cut off", "it may be encrypted with a key", "'sqlcipher'", noise(9001)),
    Kind(
      "encrypted after its header", "it may be encrypted with a key", "'sqlcipher'",
      Array("SQLite format 3\0".utf8) + [0x10, 0, 1, 1, 0, 64, 32, 32] + [UInt8](repeating: 0, count: 76) + noise(8092)),
    Kind(
      "XML store", "it is an XML store of Core Data", "migratePersistentStore",
      text(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE database SYSTEM \"file:///x.dtd\">\n<database><databaseInfo/></database>")),
    Kind(
      "binary store", "it is a binary store of Core Data", "migratePersistentStore",
      text("bplist00") + [0xD1, 1, 2, 0x5B] + text("NSStoreType") + text("VBinary")),
    Kind(
      "Realm", "it is a Realm database", "Realm Studio", [UInt8](repeating: 0, count: 16) + text("T-DB") + [9, 9, 0, 0]),
    Kind("zip", "it is a zip archive", "unzip '", text("PK\u{3}\u{4}") + noise(100)),
    Kind("gzip", "it is compressed with gzip", "gzip -dc '", [0x1F, 0x8B, 8, 0] + noise(508)),
    Kind("xz", "it is compressed with xz", "xz -dc '", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]),
    Kind("Store.sqlite-wal", "write-ahead log", "'Store.sqlite', with the log", [0x37, 0x7F, 6, 0x82] + noise(100)),
    Kind("Other.sqlite-wal", "write-ahead log", "'Other.sqlite', with the log", [0x37, 0x7F, 6, 0x83] + noise(100)),
    Kind("Store.sqlite-shm", "index of a write-ahead log", "'Store.sqlite', with its log", [0x18, 0xE2, 0x2D, 0, 0]),
    Kind(
      "Store.sqlite-journal", "rollback journal", "'Store.sqlite', with the journal",
      [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7] + noise(504)),
    Kind(
      "LFS pointer", "it is a Git LFS pointer, and not the file itself", "git lfs pull",
      text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")),
    Kind(
      "LFS pointers in conflict", "the marks of a merge conflict", "with 'git checkout'",
      text(
        "version https://git-lfs.github.com/spec/v1\n<<<<<<< HEAD\noid sha256:4d7a\n=======\noid sha256:5d7a\n>>>>>>> b\n"
      )),
    Kind(
      "text in conflict", "the marks of a merge conflict", "with 'git checkout'", text("<<<<<<< HEAD\na\n=======\n")),
    Kind("picture", "it is a picture", "Name the file that the app wrote", [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]),
    Kind("PDF", "it is a PDF", "Name the file that the app wrote", text("%PDF-1.4\n") + noise(100)),
    Kind("list", "it is a binary property list", "Name the file that the app wrote", text("bplist00") + noise(100)),
    Kind("UTF-16", "it is UTF-16", "Name the file that the app wrote", [0xFF, 0xFE, 0x61, 0, 0x62, 0]),
  ]

  /// The commands that read a store, with `F` for the file.
  private static let commands = [
    ["migrate", "F"], ["migrate", "F", "--dry-run"], ["info", "F"], ["stats", "F"], ["verify", "F"], ["export", "F"],
    ["redact", "F", "--output", "New.sqlite"], ["salvage", "F", "--output", "New.sqlite"], ["query", "F", "Track"],
    ["doctor", "F"], ["doctor", "F", "--repair"],
  ]

  @Test(arguments: kinds) func `A file of another kind is named, with the way out`(kind: Kind) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try folder.write(kind.bytes(), to: kind.name)
    let before = try folder.snapshot()
    for command in Self.commands {
      let arguments = command.map { $0 == "F" ? kind.name : $0 }
      let result = try CommandRunner(arguments, folder: folder.path).run()
      #expect(result.status == 65, "\(arguments) \(result)")
      #expect(result.stderr.contains("'\(kind.name)' is not a SQLite database: "), "\(arguments) \(result)")
      #expect(result.stderr.contains(kind.words) && result.stderr.contains(kind.wayOut), "\(arguments) \(result)")
      #expect(!result.stderr.contains("tracks-migrate salvage"), "\(arguments) \(result)")
    }
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: ["<!DOCTYPE html><html></html>", "", "Track;Artist\n"])
  func `In a text there is nothing to salvage`(words: String) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try folder.write(Self.text(words), to: "F")
    for command in Self.commands {
      let result = try CommandRunner(command, folder: folder.path).run()
      #expect(result.status == 65 && !result.stderr.contains("tracks-migrate salvage"), "\(command) \(result)")
      #expect(result.stderr.contains("Name the file that the app wrote."), "\(command) \(result)")
    }
    #expect(try folder.listing() == ["F"])
  }

  @Test func `What salvage finds no page in is not to be salvaged`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try folder.write([UInt8](repeating: 0, count: 8192), to: "F")
    let info = try CommandRunner(["info", "F"], folder: folder.path).run()
    #expect(info.stderr.contains("tracks-migrate salvage 'F'"), "\(info)")
    let salvage = try CommandRunner(["salvage", "F", "--output", "N"], folder: folder.path).run()
    #expect(salvage.status == 65 && !salvage.stderr.contains("tracks-migrate salvage"), "\(salvage)")
  }

  @Test func `Text is not called encrypted, and neither are a few random bytes`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let words = [UInt8]("The quick brown fox jumps over the lazy dog. ".utf8)
    try folder.write((0..<4096).map { words[$0 % words.count] }, to: "text")
    try folder.write(Self.noise(1000), to: "noise")
    for name in ["text", "noise"] {
      let result = try CommandRunner(["info", name], folder: folder.path).run()
      #expect(result.status == 65 && !result.stderr.contains("encrypted"), "\(result)")
    }
  }

  private static let pointer = text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
  private static let conflict = text("<model>\n<<<<<<< HEAD\n<entity name=\"A\"/>\n=======\n>>>>>>> other\n</model>\n")

  @Test(arguments: [
    ("contents", "Model.xcdatamodeld/1.xcdatamodel/contents"), ("plist", "Model.xcdatamodeld/.xccurrentversion"),
  ])
  func `A merge conflict in a model is said with its line`(kind: String, file: String) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let entity = #"<entity name="A"><attribute name="n" optional="YES" attributeType="String"/></entity>"#
    let model = try folder.models("Model.xcdatamodeld", ["1": entity, "2": entity], current: "1")
    try folder.write(Self.conflict, to: file)
    let result = try CommandRunner(["models", "hash", model]).run()
    #expect(result.status != 0, "\(result)")
    #expect(result.stderr.contains("merge conflict") && result.stderr.contains("2"), "\(result)")
    #expect(result.stderr.contains("Resolve the conflict"), "\(result)")
  }

  @Test func `A Git LFS pointer in place of a model is named`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let entity = #"<entity name="A"><attribute name="n" optional="YES" attributeType="String"/></entity>"#
    let model = try folder.models("Model.xcdatamodeld", ["1": entity], current: "1")
    try folder.write(Self.pointer, to: "Model.xcdatamodeld/1.xcdatamodel/contents")
    let result = try CommandRunner(["models", "hash", model]).run()
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("Git LFS pointer") && result.stderr.contains("git lfs pull"), "\(result)")
  }

  @Test func `A Git LFS pointer in place of a mapping model is named`() throws {
    let store = try SampleStore("Notes")
    let mapping = try store.folder.makeFolder("Map.xcmappingmodel")
    try store.folder.write(Self.pointer, to: "Map.xcmappingmodel/xcmapping.xml")
    let words = try store.refuse(78, "--mapping", mapping)
    #expect(words.contains("Git LFS pointer") && words.contains("git lfs pull"), "\(words)")
  }

  @Test func `A feed that is a Git LFS pointer is named`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try folder.write(Self.pointer, to: "feed.json")
    let result = try CommandRunner(["import", "feed.json", "New.sqlite"], folder: folder.path).run()
    #expect(result.status == 65 && result.stderr.contains("Git LFS pointer"), "\(result)")
    #expect(try folder.listing() == ["feed.json"])
  }
}
