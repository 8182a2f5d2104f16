import Foundation
import TestSupport
import Testing

/// A file or folder that is not a library.
struct WrongLibrary: Sendable, CustomTestStringConvertible {
  let name: String
  let status: Int32
  /// The expected message after the program's name, with `%` for the path.
  let message: String
  let make: @Sendable (String) throws -> Void

  var testDescription: String { name }

  static let all = [
    WrongLibrary(
      name: "missing", status: 66,
      message: "there is no file '%'. Check the path. A library is a file such as 'Library.sqlite'."
    ) { _ in },
    WrongLibrary(
      name: "folder", status: 66, message: "'%' is a folder, not a library. Name the SQLite file inside it."
    ) { mkdir($0, 0o755) },
    WrongLibrary(
      name: "pipe", status: 66,
      message: "'%' is not a regular file. Name a regular file; pipes and devices do not support random access."
    ) { mkfifo($0, 0o644) },
    WrongLibrary(name: "empty", status: 65, message: "'%' is not a SQLite database: it is empty. Name the file") {
      try write([], to: $0)
    },
    WrongLibrary(name: "garbage", status: 65, message: "'%' is not a SQLite database. Name the file") {
      try write([UInt8](repeating: 0x42, count: 5000), to: $0)
    },
    WrongLibrary(name: "short", status: 65, message: "'%' is not a SQLite database. Name the file") {
      try write(Array("SQLite format 3\0".utf8), to: $0)
    },
    WrongLibrary(name: "header and garbage", status: 65, message: "'%' ") {
      try write(Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0xEE, count: 5000), to: $0)
    },
    WrongLibrary(
      name: "database of something else", status: 65,
      message: "'%' is a SQLite database, but not a Core Data store: it has no table Z_METADATA. Name a store"
    ) {
      try Database.run("CREATE TABLE albums (id INTEGER PRIMARY KEY, title TEXT)", in: $0)
    },
    WrongLibrary(name: "views for tables", status: 65, message: "'%' is a SQLite database, but not a Core Data store") {
      try Database.run("CREATE VIEW Z_METADATA AS SELECT 1; CREATE VIEW Z_PRIMARYKEY AS SELECT 1", in: $0)
    },
    WrongLibrary(
      name: "no metadata", status: 65,
      message: "'%' is a SQLite database, but not a Core Data store: its metadata table is empty."
    ) {
      try LibraryBuilder().write(to: $0)
      try Database.run("DELETE FROM Z_METADATA", in: $0)
    },
    WrongLibrary(name: "broken metadata", status: 65, message: "'%' is damaged: its metadata is not a property list") {
      try LibraryBuilder().write(to: $0)
      try Database.run("UPDATE Z_METADATA SET Z_PLIST = x'62706C6973743030FFFF'", in: $0)
    },
    WrongLibrary(name: "NULL metadata", status: 65, message: "'%' is damaged: its metadata is missing: Z_PLIST") {
      try LibraryBuilder().write(to: $0)
      try Database.run("UPDATE Z_METADATA SET Z_PLIST = NULL", in: $0)
    },
    WrongLibrary(name: "text metadata", status: 65, message: "'%' is damaged: its metadata is not a property list") {
      try LibraryBuilder().write(to: $0)
      try Database.run("UPDATE Z_METADATA SET Z_PLIST = 'hello'", in: $0)
    },
    WrongLibrary(
      name: "unknown version", status: 69,
      message:
        "'%' was written with an unknown model: its entities are Track. Any app's store is migrated with its own model (--model); see its entities and version hashes with: tracks-migrate info '%'"
    ) {
      try LibraryBuilder(hashes: ["Track": String(repeating: "ab", count: 32)]).write(to: $0)
    },
    WrongLibrary(
      name: "another app's store", status: 69,
      message: "'%' was written with an unknown model: its entities are Author, Book."
    ) {
      try LibraryBuilder(hashes: ["Book": "00", "Author": "01"]).write(to: $0)
    },
    WrongLibrary(
      name: "no hashes", status: 69,
      message: "'%' was written with an unknown model: it names no entities."
    ) {
      try LibraryBuilder(hashes: [:]).write(to: $0)
    },
    WrongLibrary(
      name: "newer version", status: 76,
      message:
        "'%' was written by a newer version of the app or of this program: its entities are Album, Artist, Track. Update tracks-migrate; any app's store is migrated with its own model (--model)."
    ) {
      try LibraryBuilder(hashes: ["Track": "aa", "Artist": "bb", "Album": "cc"]).write(to: $0)
    },
    WrongLibrary(name: "no table of tracks", status: 65, message: "'%' ") {
      try LibraryBuilder().write(to: $0)
      try Database.run("DROP TABLE ZTRACK", in: $0)
    },
    WrongLibrary(name: "no column of JSON", status: 65, message: "'%' ") {
      try LibraryBuilder().write(to: $0)
      try Database.run("ALTER TABLE ZTRACK DROP COLUMN ZJSON", in: $0)
    },
    WrongLibrary(name: "cut short", status: 65, message: "'%' is damaged") {
      try LibraryBuilder(tracks: .many(2000)).write(to: $0)
      truncate($0, 40_000)
    },
    WrongLibrary(
      name: "a lost write", status: 65,
      message: "'%' is damaged: its pages do not fit together, so tracks or other rows may be missing: "
    ) {
      try LibraryBuilder(tracks: .many(2000)).write(to: $0)
      let rows =
        "INSERT INTO ZTRACK SELECT Z_PK + 2000, Z_ENT, Z_OPT, ZLASTPLAYEDAT, ZARTISTNAME, ZIMAGEURL, ZJSON, ZTITLE"
      try LostWrite.make(in: $0, ofRootOf: "ZTRACK", during: "\(rows) FROM ZTRACK")
    },
    WrongLibrary(name: "page of zeros", status: 65, message: "'%' is damaged") {
      try LibraryBuilder(tracks: .many(2000)).write(to: $0)
      var bytes = try Files.bytes($0)
      bytes.replaceSubrange(81_920..<90_112, with: repeatElement(0, count: 8192))
      try write(bytes, to: $0)
    },
  ]

  private static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }
}

@Suite("Files that are not readable libraries")
struct UnreadableLibraryTests {
  let folder: TemporaryFolder
  var path: String { folder.file("The Library.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: WrongLibrary.all)
  func `An unreadable library is reported with status and advice and left alone`(wrong: WrongLibrary) throws {
    try wrong.make(path)
    let before = try folder.snapshot()
    let message = "tracks-migrate: error: " + wrong.message.replacingOccurrences(of: "%", with: path)
    for more in [[], ["--output", folder.file("New.sqlite")]] {
      let result = try CommandRunner([path] + more).run()
      #expect(result.status == wrong.status, "\(result)")
      #expect(result.stdout == "")
      #expect(result.stderr.hasPrefix(message), "\(result.stderr)")
      #expect(result.stderr.split(separator: "\n").count == 1)
      #expect(
        result.stderr.hasSuffix(".\n") || result.stderr.hasSuffix("'\n") || result.stderr.hasSuffix("--output NEW\n"))
      #expect(try folder.snapshot() == before)
    }
  }

  @Test(arguments: WrongLibrary.all.prefix(17), ["artists", "tracks", "stats"])
  func `Queries report an unreadable library too`(wrong: WrongLibrary, command: String) throws {
    try wrong.make(path)
    let before = try folder.snapshot()
    let result = try tracksMigrate(command, path)
    #expect(result.status == wrong.status, "\(result)")
    #expect(result.stdout == "")
    #expect(result.stderr.hasPrefix("tracks-migrate: error: "))
    #expect(try folder.snapshot() == before)
  }
}
