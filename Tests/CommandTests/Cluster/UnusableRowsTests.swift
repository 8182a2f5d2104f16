import Foundation
import TestSupport
import Testing

@Suite("Rows that make no library", .enabled(if: ClusterSteps.python != nil, "needs python3"))
struct UnusableRowsTests {
  private let folder: TemporaryFolder
  private let manifest: String

  init() throws {
    folder = try TemporaryFolder()
    let library = folder.file("L.sqlite")
    try successfully("sample", "60", library)
    manifest = try ClusterSteps(folder: folder).reduce([library], files: 2)
  }

  /// Assembles, which must fail and leave nothing, and returns the error.
  private func error(_ status: Int32 = 65) throws -> String {
    let before = try folder.listing()
    let result = try tracksMigrate("assemble", "--manifest", manifest, "--output", folder.file("New.sqlite"))
    #expect(result.status == status)
    #expect(try folder.listing() == before)
    return result.stderr
  }

  private func change(_ name: String, _ body: (inout [String]) -> Void) throws {
    let path = folder.file("rows/\(name)")
    var lines = try Files.text(path).split(separator: "\n").map(String.init)
    body(&lines)
    try Files.write(lines.map { "\($0)\n" }.joined(), to: path)
  }

  /// Writes the manifest anew, so that its digests are right.
  private func describe() throws {
    let program = """
      import json, sys; sys.path.insert(0, sys.argv[1])
      from pathlib import Path
      from tracks_cluster import manifest
      folder = Path(sys.argv[2])
      manifest.write_manifest(folder, *(
        manifest.run(manifest.described(path, folder) for path in sorted(folder.glob(f"{kind}-*.ndjson")))
        for kind in ["tracks", "artists", "links"]))
      """
    var runner = CommandRunner([
      "-c", program, Checkout.root.appending(path: "Cluster").path(percentEncoded: false), folder.file("rows"),
    ])
    runner.executable = try #require(ClusterSteps.python)
    let result = try runner.run()
    try #require(result.status == 0, "\(result)")
  }

  @Test func `A manifest that was cut is refused`() throws {
    let text = try Files.text(manifest)
    try Files.write(String(text.prefix(text.count / 2)), to: manifest)
    #expect(try error().contains("manifest.json' cannot be assembled: it is not JSON, or was cut"))
  }

  @Test func `A manifest of another format is refused`() throws {
    try Files.write(#"{"format_version":2,"tracks":{"count":0,"files":[]}}"#, to: manifest)
    #expect(try error().contains("'artists' is missing"))
    let none = #"{"count":0,"files":[]}"#
    try Files.write(#"{"format_version":2,"tracks":\#(none),"artists":\#(none),"links":\#(none)}"#, to: manifest)
    #expect(try error().contains("its format_version is 2, not 1"))
    let file = #"{"path":"tracks-00000.ndjson","count":9223372036854775807,"sha256":""}"#
    let huge = #"{"count":9223372036854775807,"files":[\#(file)]}"#
    try Files.write(#"{"format_version":1,"tracks":\#(huge),"artists":\#(none),"links":\#(none)}"#, to: manifest)
    #expect(try error().contains("'tracks.files[0].count' is negative or above 2^40"))
  }

  @Test func `A file that is missing, cut or changed is named`() throws {
    let rows = folder.file("rows/tracks-00001.ndjson")
    let text = try Files.text(rows)
    Files.remove(rows)
    #expect(try error().contains("tracks-00001.ndjson' cannot be assembled: No such file"))
    try Files.write(String(text.dropLast(20)), to: rows)
    #expect(try error().contains("tracks-00001.ndjson' cannot be assembled: line 30"))
    try Files.write(text.split(separator: "\n").dropLast().joined(separator: "\n"), to: rows)
    #expect(try error().contains("tracks-00001.ndjson' cannot be assembled: it has 29 rows, and the manifest says 30"))
    try Files.write(text.replacing("imageURL", with: "imageurl", maxReplacements: 1), to: rows)
    #expect(try error().contains("its sha256 is not that of the manifest"))
  }

  @Test func `Rows that contradict each other are named with their line`() throws {
    let rows = try Files.text(folder.file("rows/artists-00000.ndjson"))
    try change("tracks-00000.ndjson") { $0.swapAt(3, 4) }
    try describe()
    #expect(try error().contains("tracks-00000.ndjson' cannot be assembled: line 5: track 4 comes after track 5"))
    try change("tracks-00000.ndjson") { $0.swapAt(3, 4) }
    try change("artists-00000.ndjson") { $0.remove(at: 1) }
    try describe()
    #expect(try error().contains("artist 2 is missing in the artists"))
    try Files.write(rows, to: folder.file("rows/artists-00000.ndjson"))
    try change("links-00000.ndjson") { $0.insert($0[0], at: 0) }
    try describe()
    #expect(try error().contains("links-00000.ndjson' cannot be assembled: line 2: artist 1 and track 1 come after"))
    try change("links-00000.ndjson") { $0.remove(at: 0) }
    try change("tracks-00001.ndjson") { $0.removeLast() }
    try describe()
    #expect(try error().contains("has track 60, which the tracks lack"))
  }

  @Test(arguments: ["../rows/tracks-00000.ndjson", "/etc/passwd", "a\\u0000b", "", "x/../../rows/tracks-00000.ndjson"])
  func `A manifest that names a file elsewhere is refused`(path: String) throws {
    _ = try assembled()
    let text = try Files.text(manifest)
    #expect(text.contains("\"tracks-00000.ndjson\""))
    try Files.write(text.replacing("\"tracks-00000.ndjson\"", with: "\"\(path)\""), to: manifest)
    let result = try tracksMigrate("verify", folder.file("New.sqlite"), "--manifest", manifest)
    #expect(result.status == 65 && result.stderr.contains("'tracks.files[0].path' "), "\(result)")
    Files.remove(folder.file("New.sqlite"))
    #expect(try error().contains("'tracks.files[0].path' "))
  }

  @Test func `Links within the manifest's folder are followed, and others are not`() throws {
    // As Kubernetes mounts files: each is a link through a link to the folder of the current version.
    let rows = folder.file("rows")
    try FileManager.default.createDirectory(atPath: "\(rows)/..2026", withIntermediateDirectories: false)
    for name in try Files.listing(rows) where !name.hasPrefix(".") {
      try FileManager.default.moveItem(atPath: "\(rows)/\(name)", toPath: "\(rows)/..2026/\(name)")
      if !name.hasSuffix(".json") { try Files.link("\(rows)/\(name)", to: "..data/\(name)") }
    }
    try Files.link("\(rows)/..data", to: "..2026")
    try FileManager.default.moveItem(atPath: "\(rows)/..2026/manifest.json", toPath: manifest)
    try successfully("verify", try assembled(), "--manifest", manifest)
    // Out of the folder.
    try FileManager.default.moveItem(
      atPath: "\(rows)/..2026/tracks-00000.ndjson", toPath: folder.file("elsewhere.ndjson"))
    try Files.link("\(rows)/..2026/tracks-00000.ndjson", to: folder.file("elsewhere.ndjson"))
    let result = try tracksMigrate("verify", folder.file("New.sqlite"), "--manifest", manifest)
    #expect(result.status == 65 && result.stderr.contains("leads out of the manifest's folder"), "\(result)")
    Files.remove(folder.file("New.sqlite"))
    #expect(try error().contains("leads out of the manifest's folder"))
  }

  @Test(arguments: [
    (#""5""#, "is not a number"), ("1e999", "is not a finite number"), ("-1e999", "is not a finite number"),
    (#""nan""#, "is not a number"), (#""1e999""#, "is not a number"), ("true", "is not a number"),
  ])
  func `A time that is not a number is refused with its file and line`(value: String, problem: String) throws {
    let line = #"{"key": 1, "title": "A", "secondsSince2001": \#(value)}"#
    try change("tracks-00000.ndjson") { $0[0] = line }
    try describe()
    #expect(try error().contains("tracks-00000.ndjson' cannot be assembled: line 1: 'secondsSince2001' \(problem)"))
  }

  @Test(arguments: [
    ("tracks", "key", "0"), ("tracks", "key", "-7"), ("artists", "key", "0"), ("links", "artist", "0"),
    ("links", "track", "-1"),
  ])
  func `A key below 1 is refused with its file and line`(kind: String, member: String, value: String) throws {
    let library = try assembled()
    let pattern = try Regex("\"\(member)\": ?[0-9]+")
    try change("\(kind)-00000.ndjson") { $0[0] = $0[0].replacing(pattern, with: "\"\(member)\": \(value)") }
    try describe()
    let problem = "line 1: '\(member)' is \(value), and a key must be greater than 0"
    let verified = try tracksMigrate("verify", library, "--manifest", manifest)
    #expect(verified.status == 65, "\(verified)")
    #expect(verified.stderr.contains("\(kind)-00000.ndjson' cannot be compared: \(problem)"), "\(verified)")
    Files.remove(library)
    let error = try error()
    #expect(
      error.contains(
        "\(kind)-00000.ndjson' cannot be assembled: \(problem). Nothing was written. Number tracks and artists from 1 on"
      ),
      "\(error)")
  }

  @Test(arguments: [
    (#""format_version": 1"#, #""format_version": 2, "format_version": 1"#, "format_version"),
    (#""links":"#, #""links": {"count": 0, "files": []}, "links":"#, "links"),
    (#""path": "tracks-00001.ndjson""#, #""path": "x", "p\u0061th": "tracks-00001.ndjson""#, "tracks.files[1].path"),
  ])
  func `A manifest that says a member twice is refused by assembly and verification`(
    member: String, both: String, name: String
  ) throws {
    let library = try assembled()
    let text = try Files.text(manifest)
    try #require(text.contains(member))
    try Files.write(text.replacing(member, with: both, maxReplacements: 1), to: manifest)
    let verified = try tracksMigrate("verify", library, "--manifest", manifest)
    #expect(verified.status == 65, "\(verified)")
    #expect(verified.stderr.contains("manifest.json' cannot be compared: it has '\(name)' twice"), "\(verified)")
    Files.remove(library)
    #expect(try error().contains("manifest.json' cannot be assembled: it has '\(name)' twice"))
  }

  @Test(arguments: [#""mention""#, #""reject""#, #""summary""#, "5"])
  func `A line of another kind among the tracks is refused by assembly and verification`(kind: String) throws {
    let library = try assembled()
    try change("tracks-00001.ndjson") { $0[2] = $0[2].replacing(#""kind":"track""#, with: #""kind":\#(kind)"#) }
    try describe()
    let problem = "line 3: its 'kind' is not 'track'"
    let verified = try tracksMigrate("verify", library, "--manifest", manifest)
    #expect(verified.status == 65, "\(verified)")
    #expect(verified.stderr.contains("tracks-00001.ndjson' cannot be compared: \(problem)"), "\(verified)")
    Files.remove(library)
    #expect(try error().contains("tracks-00001.ndjson' cannot be assembled: \(problem)"))
  }

  @Test func `An infinite time is a text, and a member occurs once`() throws {
    try change("tracks-00000.ndjson") { $0[0] = #"{"key": 1, "title": "A", "secondsSince2001": "-inf"}"# }
    try describe()
    let library = try assembled()
    #expect(try Database.value("SELECT ZLASTPLAYEDAT FROM ZTRACK WHERE Z_PK = 1", in: library) == "-Inf")
    try successfully("verify", library, "--manifest", manifest)
    try change("tracks-00000.ndjson") { $0[0] = #"{"key": 1, "title": "A", "title": "B"}"# }
    try describe()
    let verified = try tracksMigrate("verify", library, "--manifest", manifest)
    #expect(verified.status == 65 && verified.stderr.contains("line 1: it has 'title' twice"), "\(verified)")
    Files.remove(library)
    #expect(try error().contains("line 1: it has 'title' twice"))
  }

  @Test func `The second name of a published library is removed by the next run`() throws {
    let library = try assembled()
    // What a run leaves that is killed between the two steps of naming its result.
    try Files.hardLink(folder.file(".New.sqlite.tracks-migrate"), to: library)
    let result = try tracksMigrate("assemble", "--manifest", manifest, "--output", library)
    #expect(result.status == 0 && result.stderr.contains("Already there: '\(library)'"), "\(result)")
    #expect(try !folder.listing().contains(".New.sqlite.tracks-migrate"))
  }

  @Test func `A repeat of a killed run keeps the stores that it had published, and makes the others`() throws {
    let command = ["assemble", "--manifest", manifest, "--output", folder.file("A.sqlite"), "--stores", "3"]
    let stores = (0..<3).map { folder.file("A-0000\($0)-of-00003.sqlite") }
    _ = try successfully(command)
    let expected = try stores.map { try Files.bytes($0) }
    let listing = try folder.listing()
    // What a run leaves that is killed between the first and the second publication.
    for store in stores.dropFirst() { Files.remove(store) }
    for number in 1...2 { try Files.write("left", to: folder.file(".A-0000\(number)-of-00003.sqlite.tracks-migrate")) }
    let repeated = try successfully(command)
    #expect(repeated.stderr.contains("Already there: '\(stores[0])'"), "\(repeated)")
    #expect(repeated.stderr.contains("Made '\(stores[1])'"), "\(repeated)")
    #expect(try stores.map { try Files.bytes($0) } == expected)
    #expect(try folder.listing() == listing)
    // Another file of the name is refused, and no store appears.
    Files.remove(stores[0])
    try Files.write("mine", to: stores[1])
    let refused = try CommandRunner(command).run()
    #expect(refused.status == 73 && refused.stderr.contains("'\(stores[1])' already exists"), "\(refused)")
    #expect(try Files.text(stores[1]) == "mine")
    #expect(try folder.listing() == listing.filter { $0 != "A-00000-of-00003.sqlite" })
  }

  private func assembled() throws -> String {
    try successfully("assemble", "--manifest", manifest, "--output", folder.file("New.sqlite"))
    return folder.file("New.sqlite")
  }

  @Test func `A library that is there stays`() throws {
    try folder.write(Array("mine".utf8), to: "New.sqlite")
    #expect(try error(73).contains("already exists"))
    #expect(try Files.text(folder.file("New.sqlite")) == "mine")
  }

  @Test func `A run that is ended leaves nothing`() throws {
    let library = folder.file("Large.sqlite")
    try successfully("sample", "30000", library)
    let manifest = try ClusterSteps(folder: folder).reduce([library], to: "large")
    let before = try folder.listing()
    for seconds in ["0.05", "0.2", "0.4"] {
      _ = try CommandRunner.shell(
        "timeout -s TERM $3 \"$TOOL\" assemble --manifest \"$1\" --output \"$2\"", manifest,
        folder.file("New.sqlite"), seconds
      ).run()
      // The signal may come when all is done.
      if try folder.listing().contains("New.sqlite") {
        try successfully("verify", folder.file("New.sqlite"), "--manifest", manifest)
        Files.remove(folder.file("New.sqlite"))
      }
      let left = try folder.listing()
      #expect(left == before)
    }
    // What a killed run leaves is hidden, and removed by the next one.
    _ = try CommandRunner.shell(
      "timeout -s KILL 0.2 \"$TOOL\" assemble --manifest \"$1\" --output \"$2\"", manifest, folder.file("New.sqlite")
    ).run()
    Files.remove(folder.file("New.sqlite"))
    try successfully("assemble", "--manifest", manifest, "--output", folder.file("New.sqlite"))
    #expect(try folder.listing() == (before + ["New.sqlite"]).sorted())
  }
}
