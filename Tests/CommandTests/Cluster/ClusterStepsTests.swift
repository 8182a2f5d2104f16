import Foundation
import TestSupport
import Testing

/// The three steps of a cluster import on one machine: `extract` for each shard, `reduce.py`, `assemble`.
struct ClusterSteps {
  let folder: TemporaryFolder
  var options: [String] = []

  static let python = Program.find("python3")

  /// Extracts shards, numbers their artists, and writes the rows into as many files of each kind.
  ///
  /// - Returns: The manifest.
  func reduce(_ shards: [String], files: Int = 1, uuid: String? = nil, to name: String = "rows") throws -> String {
    let results = try shards.enumerated().map { number, shard in
      let result = folder.file("\(name)-\(number).out")
      try successfully(["extract", shard, "--output", result] + options)
      return result
    }
    var runner = CommandRunner(
      [Checkout.root.appending(path: "Cluster/reduce.py").path(percentEncoded: false)] + results
        + ["--output", folder.file(name), "--files", "\(files)"] + (uuid.map { ["--uuid", $0] } ?? []))
    runner.executable = try #require(Self.python)
    let result = try runner.run()
    try #require(result.status == 0, "\(result)")
    return folder.file("\(name)/manifest.json")
  }

  func assemble(_ manifest: String, to name: String, _ options: String...) throws -> String {
    try successfully(["assemble", "--manifest", manifest, "--output", folder.file(name)] + options)
    return folder.file(name)
  }

  /// A library's rows, page layout apart, and its metadata.
  static func contents(_ path: String) throws -> [String] { try Database.dump(path) }
}

@Suite("One library of many shards", .enabled(if: ClusterSteps.python != nil, "needs python3"))
struct ClusterStepsTests {
  private let folder: TemporaryFolder
  private var steps: ClusterSteps

  init() throws {
    folder = try TemporaryFolder()
    steps = ClusterSteps(folder: folder)
  }

  /// Makes a library with all oddities, and libraries that have its tracks among them.
  private func shards(_ count: Int, of trackCount: Int = 400) throws -> (whole: String, shards: [String]) {
    let whole = folder.file("Whole.sqlite")
    try successfully("sample", "\(trackCount)", whole, "--odd")
    let shards = try (0..<count).map { number in
      let shard = folder.file("Shard-\(number).sqlite")
      try Files.copy(whole, to: shard)
      // Scattered, so that no shard has neighbours, and some have nothing.
      try Database.run("DELETE FROM ZTRACK WHERE (Z_PK * 7919) % 1009 % \(count) <> \(number)", in: shard)
      return shard
    }
    return (whole, shards)
  }

  @Test(arguments: Rounds.some(2, of: [(7, "name"), (1, "name"), (7, "id"), (64, "name")]))
  func `Shards of a library become what its migration makes`(count: Int, identity: String) throws {
    var steps = steps
    steps.options = ["--identity", identity]
    let (whole, shards) = try shards(count)
    let uuid = try #require(try Database.value("SELECT Z_UUID FROM Z_METADATA", in: whole))
    let manifest = try steps.reduce(shards.shuffled(), files: min(count, 9), uuid: uuid)
    let assembled = try steps.assemble(manifest, to: "Assembled.sqlite")
    try successfully(whole, "--identity", identity)
    #expect(try ClusterSteps.contents(assembled) == ClusterSteps.contents(whole))
    #expect(try Database.isWhole(assembled))
    for (path, copy) in [(assembled, "a"), (whole, "b")] {
      try Database.run("VACUUM INTO '\(folder.file(copy))'", in: path)
    }
    #expect(try Files.bytes(folder.file("a")) == Files.bytes(folder.file("b")))
    try successfully("verify", assembled, "--manifest", manifest)
  }

  @Test func `Any division among shards and files makes the same bytes`() throws {
    let (whole, shards) = try shards(5)
    let one = try steps.assemble(steps.reduce([whole], to: "one"), to: "One.sqlite")
    let many = try steps.assemble(steps.reduce(shards.reversed(), files: 64, to: "many"), to: "Many.sqlite")
    #expect(try Files.bytes(one) == Files.bytes(many))
  }

  @Test func `Shards of a feed become what its import makes`() throws {
    var lines: [String] = []
    for number in 1...300 {
      let artists = (0..<(number % 4)).map { place in
        let artist = (number * 31 + place * 17) % 40
        let details = number % 3 == 0 ? "" : #","id":"\#(artist)","imageURL":"https://i.example.com/\#(artist)""#
        return #"{"name":"Artist \#(artist)"\#(details)}"#
      }
      let json = artists.isEmpty ? "null" : "{\"artists\":[\(artists.joined(separator: ","))]}"
      lines.append(
        #"{"key":\#(number * 3),"title":"T\#(number)","artistName":"Artist \#(number % 40)","json":\#(json)}"#)
    }
    lines.append(#"{"key":5000,"title":7}"#)
    let feed = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "feed.ndjson")
    let shards = try (0..<3).map { number in
      let part = lines.enumerated().filter { $0.offset % 3 == number }.map(\.element).reversed()
      return try folder.write(Array(part.joined(separator: "\n").utf8), to: "part-\(number).ndjson")
    }
    let imported = folder.file("Imported.sqlite")
    try successfully("import", feed, imported)
    let uuid = try #require(try Database.value("SELECT Z_UUID FROM Z_METADATA", in: imported))
    let assembled = try steps.assemble(steps.reduce(shards, files: 4, uuid: uuid), to: "Assembled.sqlite")
    #expect(try ClusterSteps.contents(assembled) == ClusterSteps.contents(imported))
    #expect(try Files.text(folder.file("rows/rejects.ndjson")).contains(#""reason": "wrong_type""#))
  }

  @Test func `The tracks are divided among several libraries by their keys`() throws {
    let (whole, _) = try shards(1)
    let manifest = try steps.reduce([whole])
    _ = try steps.assemble(manifest, to: "Part.sqlite", "--stores", "3")
    let one = try steps.assemble(manifest, to: "One.sqlite")
    let parts = (0..<3).map { folder.file("Part-0000\($0)-of-00003.sqlite") }
    for (table, order) in [("ZTRACK", "Z_PK"), ("Z_1TRACKS", "Z_1ARTISTS, Z_2TRACKS")] {
      let rows = try parts.flatMap { try Database.rows("SELECT * FROM \(table)", in: $0) }
      #expect(Set(rows) == Set(try Database.rows("SELECT * FROM \(table) ORDER BY \(order)", in: one)))
    }
    let artists = try Database.rows("SELECT * FROM ZARTIST", in: one)
    for (number, part) in parts.enumerated() {
      let needed = try Database.rows("SELECT DISTINCT Z_1ARTISTS FROM Z_1TRACKS ORDER BY 1", in: part)
      #expect(try Database.rows("SELECT Z_PK FROM ZARTIST ORDER BY 1", in: part) == needed)
      #expect(try Set(Database.rows("SELECT * FROM ZARTIST", in: part)).isSubset(of: artists))
      try successfully("verify", part, "--manifest", manifest, "--part", "\(number)/3")
    }
    let identities = try parts.map { try Database.value("SELECT Z_UUID FROM Z_METADATA", in: $0) }
    #expect(Set(identities).count == 3)
  }

  @Test func `Nothing at all makes an empty library`() throws {
    let feed = try folder.write([], to: "empty.ndjson")
    let assembled = try steps.assemble(steps.reduce([feed], files: 2), to: "Empty.sqlite")
    #expect(try successfully("export", assembled).stdout.isEmpty)
  }

  @Test(arguments: [
    "DELETE FROM ZTRACK WHERE Z_PK = 50", "UPDATE ZTRACK SET ZTITLE = 'x' WHERE Z_PK = 50",
    "UPDATE ZTRACK SET ZLASTPLAYEDAT = 1 WHERE Z_PK = 50", "UPDATE ZARTIST SET ZID = 'x' WHERE Z_PK = 20",
    "INSERT INTO ZARTIST VALUES (9999, 1, 1, 'i', 'u', 'n')", "DELETE FROM Z_1TRACKS WHERE rowid = 30",
    "INSERT INTO Z_1TRACKS VALUES (1, 399)", "UPDATE Z_PRIMARYKEY SET Z_MAX = 1", "UPDATE Z_METADATA SET Z_UUID = 'x'",
    "CREATE TABLE Extra (a)",
  ])
  func `A library that differs from its rows is found out`(change: String) throws {
    let (whole, _) = try shards(1)
    let manifest = try steps.reduce([whole], uuid: "5A3C9B1E-0B3F-4C56-9C3D-0123456789AB")
    let assembled = try steps.assemble(manifest, to: "L.sqlite")
    try Database.run(change, in: assembled)
    #expect(try tracksMigrate("verify", assembled, "--manifest", manifest).status == 3)
  }
}
