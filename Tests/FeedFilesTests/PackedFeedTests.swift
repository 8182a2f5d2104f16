import FeedFiles
import Foundation
import TestSupport
import Testing

@Suite("Packed feeds, and files that are none")
struct PackedFeedTests {
  /// An archive with `data/list.json`, compressed, and a text.
  private static let one = Data(
    base64Encoded:
      "UEsDBBQAAAAIAAAAIVxjrXfHDwAAABEAAAAOAAAAZGF0YS9saXN0Lmpzb26LrlZKVLIyrNUB00a1sQBQSwMEFAAAAA"
      + "gAAAAhXIMW3IwDAAAAAQAAAAsAAABSZWFkIG1lLnR4dKsAAFBLAQIUAxQAAAAIAAAAIVxjrXfHDwAAABEAAAAOAAAA"
      + "AAAAAAAAAACAAQAAAABkYXRhL2xpc3QuanNvblBLAQIUAxQAAAAIAAAAIVyDFtyMAwAAAAEAAAALAAAAAAAAAAAAAA"
      + "CAATsAAABSZWFkIG1lLnR4dFBLBQYAAAAAAgACAHUAAABnAAAAAAA=")
  /// An archive with `1.jsonl` and `2.csv.gz`, stored.
  private static let two = Data(
    base64Encoded:
      "UEsDBBQAAAAAAAAAIVxGo+h0CAAAAAgAAAAHAAAAMS5qc29ubHsiYSI6MX0KUEsDBBQAAAAAAAAAIVwVdk/UJQAAAC"
      + "UAAAAIAAAAMi5jc3YuZ3ofiwgAAAAAAAIDK8ksyUnVSSwqySwu4QrRceQCAFjdh2QRAAAAUEsBAhQDFAAAAAAAAAAh"
      + "XEaj6HQIAAAACAAAAAcAAAAAAAAAAAAAAIABAAAAADEuanNvbmxQSwECFAMUAAAAAAAAACFcFXZP1CUAAAAlAAAACA"
      + "AAAAAAAAAAAAAAgAEtAAAAMi5jc3YuZ3pQSwUGAAAAAAIAAgBrAAAAeAAAAAAA")

  @Test func `The only feed of an archive is read`() throws {
    let read = try FeedLines(Array(try #require(Self.one)))
    #expect(read.lines == [#"{"a":1}"#, #"{"a":2}"#])
    #expect(read.note == "the member 'data/list.json'")
  }

  @Test func `One of several feeds is chosen by its name`() throws {
    let archive = Array(try #require(Self.two))
    #expect(try FeedLines(archive).problem == "the archive has 2 files: '1.jsonl', '2.csv.gz'")
    #expect(try FeedLines(archive, member: "1.jsonl").lines == [#"{"a":1}"#])
    #expect(try FeedLines(archive, member: "2.csv.gz").lines == [#"{"title":"T","artistName":"A"}"#])
    #expect(try FeedLines(archive, member: "3").problem == "the archive has no member '3'")
    #expect(try FeedLines(Array("{}".utf8), member: "3").problem == "it is not a zip archive")
  }

  @Test func `An archive in an archive is named with a program that unpacks it`() throws {
    // `inner.zip` and `x.json`, both empty archives, stored.
    let end = Array("PK\u{5}\u{6}".utf8) + [UInt8](repeating: 0, count: 18)
    for name in ["inner.zip", "x.json"] {
      let inner = name == "x.json" ? Array(try #require(Self.one)) : end
      let read = try FeedLines(Self.archive(of: inner, named: name), named: "outer.zip")
      #expect(read.problem == "'\(name)' in it is a zip archive itself")
      #expect(read.advice?.contains("outer.zip' '\(name)', and import '\(name)'.") == true, "\(read.advice ?? "")")
    }
  }

  /// An archive with one file, which is not compressed.
  private static func archive(of bytes: [UInt8], named name: String) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let sizes = number(0, 4) + number(bytes.count, 4) + number(bytes.count, 4) + number(name.utf8.count, 2)
    let file =
      Array("PK\u{3}\u{4}".utf8) + number(20, 2) + number(0, 8) + sizes + number(0, 2) + Array(name.utf8) + bytes
    let entry =
      Array("PK\u{1}\u{2}".utf8) + number(20, 2) + number(20, 2) + number(0, 8) + sizes + number(0, 16)
      + Array(name.utf8)
    let counts = number(1, 2) + number(1, 2) + number(entry.count, 4) + number(file.count, 4) + number(0, 2)
    return file + entry + Array("PK\u{5}\u{6}".utf8) + number(0, 4) + counts
  }

  @Test func `A damaged archive is never read as whole`() throws {
    let archive = Array(try #require(Self.one))
    let whole = try FeedLines(archive).lines
    for place in stride(from: 0, to: archive.count, by: Rounds.areMany ? 1 : 5) {
      var damaged = archive
      damaged[place] ^= 0x10
      let read = try FeedLines(damaged, named: "x.zip")
      #expect(read.problem != nil || read.lines == whole || place < 4, "byte \(place): \(read.lines)")
      let cut = try FeedLines(Array(archive[..<place]), named: "x.zip")
      #expect(cut.problem != nil || place < 4, "cut at \(place)")
    }
  }

  @Test func `A file that stays packed however often it is unpacked has an end`() throws {
    var bytes = Array("{}".utf8)
    for _ in 0..<4 { bytes = try Self.packed(bytes) }
    #expect(try FeedLines(bytes).lines == ["{}"])
    #expect(try FeedLines(Self.packed(bytes)).problem == "it is packed by gzip more than 4 times")
  }

  /// Packs with the program that everybody has.
  private static func packed(_ bytes: [UInt8]) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, to: "file")
    try #require(try output(of: "gzip < '\(path)' > '\(path).gz'").status == 0)
    return try Files.bytes(path + ".gz")
  }

  private static func output(of script: String) throws -> (text: String, status: Int32) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script]
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: data, as: UTF8.self), process.terminationStatus)
  }

  /// The advice is a program, which makes a feed of the file.
  @Test(
    .enabled(if: Program.find("python3") != nil),
    arguments: [
      "<DJ_PLAYLISTS><COLLECTION><TRACK Name=\"T\" Artist=\"A\"/></COLLECTION></DJ_PLAYLISTS>",
      "<NML><COLLECTION><ENTRY TITLE=\"T\" ARTIST=\"A\"/></COLLECTION><ENTRY/></NML>",
      """
      <?xml version="1.0"?><!DOCTYPE plist><plist version="1.0"><dict><key>Tracks</key><dict><key>1</key><dict>
      <key>Name</key><string>T</string><key>Artist</key><string>A</string></dict></dict></dict></plist>
      """,
      "#EXTM3U\n#EXTINF:201,A - T\nMusic/a.mp3\n#EXTINF:9,No title\nb.mp3\n", "[playlist]\nFile1=a.mp3\nTitle1=A - T\n",
    ])
  func `The way to make a feed of another document works`(document: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Array(document.utf8), to: "file.xml")
    let read = try FeedLines(document)
    let advice = try #require(read.advice)
    let script = try #require(advice.split(separator: "standard input: ").last?.split(separator: ", with '-'").first)
    let named = "< " + (script.split(separator: "< ").last ?? "")
    let made = try Self.output(of: String(script).replacing(named, with: "< '\(path)'"))
    #expect(made.status == 0)
    let texts = ["{\"title\": \"T\", \"artistName\": \"A\"}\n", "{\"artistName\": \"A\", \"title\": \"T\"}\n"]
    #expect(texts.contains(made.text))
  }

  @Test(
    arguments: [
      ("SQLite format 3\0", "it is an SQLite database"),
      ("<?xml?>\n<DJ_PLAYLISTS>", "it is a Rekordbox collection, which is XML"),
      ("\u{FEFF}<NML VERSION=\"19\">", "it is a Traktor collection, which is XML"), ("%PDF-1.4", "it is a PDF"),
      ("<!DOCTYPE html><title>", "it is a page of the web"), ("<a/>", "it is XML or a page of the web"),
      ("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;", "it is SQL, such as a database is dumped as"),
      ("\ninsert into T values(1);", "it is SQL, such as a database is dumped as"),
      ("#EXTM3U\n", "it is a list of files for a player (M3U or PLS)"),
      ("BZh91AY", "it is compressed with bzip2"), ("a\0b\0", "it is not text"), ("{\0\"\0", "it is UTF-16"),
      ("\0[\0{", "it is UTF-16"),
    ])
  func `What is no feed is named`(text: String, problem: String) throws {
    #expect(try FeedLines(text).problem == problem)
  }

  @Test(
    arguments: [
      ([0xFF, 0xFE, 0x7B, 0], "it is UTF-16"), ([0x28, 0xB5, 0x2F, 0xFD, 0], "it is compressed with zstd"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "it is compressed with xz"),
    ] as [([UInt8], String)])
  func `What has other bytes is named`(bytes: [UInt8], problem: String) throws {
    #expect(try FeedLines(bytes).problem == problem)
  }
}
