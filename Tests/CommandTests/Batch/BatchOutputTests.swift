import Foundation
import TestSupport
import Testing

@Suite("Results of a batch in another folder")
struct BatchOutputTests {
  private let folder: TemporaryFolder
  private let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library("L.sqlite", .many(30))
    setTime(-7200)
    try #require(try batch().status == 0)
  }

  private func batch() throws -> CommandResult {
    try CommandRunner(["batch", "L.sqlite", "--output-dir", "out"], folder: folder.path).run()
  }

  /// Sets the time of the library's last change, in seconds from now.
  private func setTime(_ offset: Double, _ path: String? = nil) {
    let date = Date(timeIntervalSinceNow: offset)
    try? FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path ?? library)
  }

  private func requireChanged(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let result = try batch()
    #expect(result.status == 1 && result.stdout.contains("has changed since"), sourceLocation: sourceLocation)
    #expect(result.stdout.contains(#""error_code":"output-exists""#), sourceLocation: sourceLocation)
  }

  private func requireCurrent(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let result = try batch()
    #expect(
      result.status == 0 && result.stdout.contains(#""status":"current""#), "\(result)", sourceLocation: sourceLocation)
  }

  @Test func `A library that was replaced by one with an older time is not the one of the result`() throws {
    let other = folder.file("other")
    try Files.write(try Files.bytes(library), to: other)
    try Database.run("DELETE FROM ZTRACK WHERE Z_PK > 20; VACUUM", in: other)
    setTime(-3600, other)
    #expect(rename(other, library) == 0)
    try requireChanged()
  }

  @Test func `Results wait for the reader of a pipe`() throws {
    let result = try CommandRunner.shell(
      """
      mkfifo R && "$TOOL" batch L.sqlite -q --results R & batch=$!
      sleep 1; timeout 20 cat R; wait $batch
      """, in: folder.path
    ).run()
    #expect(result.status == 0 && result.stdout.contains(#""status":"migrated""#), "\(result)")
    // Without a reader, the end request is heard.
    try successfully("restore", library, "-q")
    let before = try Files.bytes(library)
    let waiting = try CommandRunner.shell(#"timeout -s TERM 2 "$TOOL" batch L.sqlite -q --results R"#, in: folder.path)
      .run()
    #expect(waiting.status == 124, "\(waiting)")
    #expect(try Files.bytes(library) == before)
  }

  @Test func `Results are not written into a pipe that no reader can open any more`() throws {
    let result = try CommandRunner.shell(
      #"{ sleep 1; timeout 20 "$TOOL" batch L.sqlite -q --results /dev/fd/3; echo "$?" > status; } 3>&1 >&2 | true"#,
      in: folder.path
    ).run()
    #expect(result.status == 0, "\(result)")
    #expect(
      ["74", "141"].contains(
        String(decoding: try Files.bytes(folder.file("status")).filter { $0 != 0x0a }, as: UTF8.self)), "\(result)")
  }

  @Test func `The second name that a killed worker has left goes with the next run`() throws {
    let second = folder.file("out/.L.sqlite.tracks-migrate")
    #expect(link(folder.file("out/L.sqlite"), second) == 0)
    try requireCurrent()
    #expect(!Files.exists(second) && Files.exists(folder.file("out/L.sqlite")))
  }

  @Test func `A time in the future fails no repetition`() throws {
    setTime(86_400)
    try requireCurrent()
  }

  @Test func `A copy with the same bytes and any time is the library of the result`() throws {
    let other = folder.file("other")
    try Files.write(try Files.bytes(library), to: other)
    for offset in [-86_400.0, 86_400] {
      setTime(offset, other)
      #expect(rename(other, library) == 0)
      try Files.write(try Files.bytes(library), to: other)
      try requireCurrent()
    }
  }

  @Test func `Other bytes of the same size and time are not those of the result`() throws {
    let date = try FileManager.default.attributesOfItem(atPath: library)[.modificationDate] as? Date
    var bytes = try Files.bytes(library)
    let title = try #require(bytes.firstRange(of: Array("Title 7".utf8)) ?? bytes.firstRange(of: Array("Track".utf8)))
    bytes[title.lowerBound] ^= 1
    let handle = try FileHandle(forWritingTo: URL(filePath: library))
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
    try FileManager.default.setAttributes([.modificationDate: try #require(date)], ofItemAtPath: library)
    try requireChanged()
  }

  @Test func `A commit in the library's log counts`() throws {
    try FileManager.default.removeItem(atPath: library)
    try FileManager.default.removeItem(atPath: folder.file("out"))
    _ = try folder.library("L.sqlite", LibraryBuilder(writeAheadLogStart: 2))
    try #require(try batch().status == 0)
    try requireCurrent()
    try Database.run("UPDATE ZTRACK SET ZTITLE = 'later' WHERE Z_PK = 1", in: library)
    try requireChanged()
  }

  @Test func `A result that does not say what it was made from is not taken for current`() throws {
    let statistics = folder.file("out/L.sqlite.migration.json")
    try FileManager.default.removeItem(atPath: statistics)
    let result = try batch()
    #expect(result.status == 1 && result.stdout.contains("does not say what it was made from"), "\(result)")
  }

  private func batch(_ words: String..., to output: String = "made") throws -> CommandResult {
    try CommandRunner(["batch", "L.sqlite", "--output-dir", output] + words, folder: folder.path).run()
  }

  private func require(_ status: String, _ result: CommandResult, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(
      result.status == (status == "failed" ? 1 : 0) && result.stdout.contains(#""status":"\#(status)""#), "\(result)",
      sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    ["--identity=id"], ["--artists-path=$.artists[0]"], ["--json=deezer"], ["--roles=main"], ["--split-by-ids"],
    ["--artists-path=$.artists[*]", "--id-path=x"],
  ])
  func `A result that was made with other options is not current`(words: [String]) throws {
    func run(_ words: [String]) throws -> CommandResult {
      try CommandRunner(["batch", "L.sqlite", "--output-dir", "made"] + words, folder: folder.path).run()
    }
    require("migrated", try run(words))
    let made = try FolderSnapshot(folder.file("made"))
    let other = try run([])
    require("failed", other)
    #expect(
      other.stdout.contains("it was made with ") && other.stdout.contains("and would now be made without options"))
    #expect(other.stdout.contains(#""error_code":"output-exists""#))
    let again = try run(words.reversed())
    require("current", again)
    #expect(again.stdout.contains(#""options":["#) && again.stdout.contains(words[0]), "\(again)")
    let reversed = try CommandRunner(["batch", "L.sqlite", "--output-dir", "out"] + words, folder: folder.path).run()
    require("failed", reversed)
    #expect(reversed.stdout.contains("it was made without options"), "\(reversed)")
    #expect(try FolderSnapshot(folder.file("made")) == made)
  }

  @Test func `A result is current only as long as the files of its options say the same`() throws {
    let preset = try successfully("presets", "show", "deezer").stdout.replacing(
      #""name" : "deezer""#, with: #""name" : "own""#)
    let decisions = "decision\tartist\tid\tinto\tinto_id\ttracks\tevidence\nignore\tArtist 1\t\t\t\t\t\n"
    for (option, text) in [("--json", preset), ("--decisions", decisions)] {
      let output = "made\(option)"
      try Files.write(text, to: folder.file("choice"))
      require("migrated", try batch(option, "choice", to: output))
      // Another name of the same text.
      try Files.copy(folder.file("choice"), to: folder.file("copy"))
      require("current", try batch(option, "./copy", to: output))
      Files.remove(folder.file("copy"))
      let changed =
        option == "--json"
        ? text.replacing(#""id" : "id""#, with: #""id" : "key""#) : text.replacing("ignore", with: "keep")
      try #require(changed != text)
      try Files.write(changed, to: folder.file("choice"))
      let result = try batch(option, "choice", to: output)
      require("failed", result)
      #expect(
        result.stdout.contains("a file that its options name, or a mapping model, has changed since"), "\(result)")
    }
  }

  @Test func `A result of a weaker promise is not current, and one of a stronger promise is`() throws {
    for word in ["--strict", "--verify"] {
      let result = try batch(word, to: "out")
      require("failed", result)
      #expect(result.stdout.contains("it was made without \(word)"), "\(result)")
      require("migrated", try batch(word, to: "made\(word)"))
      require("current", try batch(to: "made\(word)"))
    }
  }

  @Test(arguments: [false, true])
  func `A result that was replaced or changed is not taken for current`(isInPlace: Bool) throws {
    let result = folder.file("out/L.sqlite")
    if isInPlace {
      try Database.run("UPDATE ZTRACK SET ZTITLE = 'later' WHERE Z_PK = 1", in: result)
    } else {
      // It has the same UUID, version and time.
      let other = try batch("--artists-path=$.artists[0]")
      require("migrated", other)
      let time = try FileManager.default.attributesOfItem(atPath: result)[.modificationDate]
      #expect(rename(folder.file("made/L.sqlite"), result) == 0)
      try FileManager.default.setAttributes([.modificationDate: try #require(time)], ofItemAtPath: result)
    }
    let bytes = try Files.bytes(result)
    let again = try batch()
    require("failed", again)
    #expect(again.stdout.contains("it was changed or replaced since") && again.stdout.contains("Move it away"))
    #expect(try Files.bytes(result) == bytes)
  }

  /// A file's own account of its last change can be set.
  @Test func `A result that was changed is not current, whatever its time says`() throws {
    let result = folder.file("out/L.sqlite")
    try requireCurrent()
    let date = try FileManager.default.attributesOfItem(atPath: result)[.modificationDate]
    Thread.sleep(forTimeInterval: 0.4)
    try Database.run("UPDATE ZTRACK SET ZTITLE = 'X'; DELETE FROM Z_1TRACKS", in: result)
    try FileManager.default.setAttributes([.modificationDate: try #require(date)], ofItemAtPath: result)
    let refused = try batch()
    #expect(refused.status == 1 && refused.stdout.contains("changed or replaced since"), "\(refused)")
  }

  @Test(arguments: ["--json", "--decisions"])
  func `What each library needs is no pipe`(option: String) throws {
    let script = "mkfifo pipe; (echo > pipe) & $TOOL batch L.sqlite \(option) pipe; status=$?; kill $!; exit $status"
    let result = try CommandRunner.shell(script, in: folder.path).run()
    #expect(result.status == 64 && result.stderr.contains("'\(option)' is a pipe"), "\(result)")
  }

  @Test func `Results in a folder that is not there cannot be created`() throws {
    let result = try CommandRunner(["batch", "L.sqlite", "--results", "none/r.ndjson"], folder: folder.path).run()
    #expect(result.status == 73 && result.stderr.contains("there is no folder 'none"), "\(result)")
  }

  @Test func `A commit in the log of a result counts`() throws {
    let result = folder.file("out/L.sqlite")
    try Files.write([1, 2, 3], to: result + "-wal")
    require("failed", try batch())
  }

  @Test func `A copy of all results is current`() throws {
    try FileManager.default.copyItem(atPath: folder.file("out"), toPath: folder.file("copy"))
    require("current", try batch(to: "copy"))
  }

  @Test func `A library of the new version is not called a result of the folder`() throws {
    try successfully(library, "-q")
    let result = try batch(to: "fresh")
    require("current", result)
    #expect(!result.stdout.contains(#""output""#), "\(result)")
    #expect(
      result.stdout.contains(
        #""warnings":["'fresh/L.sqlite' was not written, because the library has the new version already"]"#),
      "\(result)")
    #expect(!Files.exists(folder.file("fresh/L.sqlite")))
    // In place, it is its own result.
    #expect(
      try CommandRunner(["batch", "L.sqlite"], folder: folder.path).run().stdout.contains(#""output":"L.sqlite""#))
  }

  @Test func `An app's result is current only with the same models, mapping models and options`() throws {
    let source = SampleStore.data("Notes")
    for name in try FileManager.default.contentsOfDirectory(atPath: source) {
      try FileManager.default.copyItem(atPath: "\(source)/\(name)", toPath: folder.file(name))
    }
    func run(_ words: String..., to output: String = "app") throws -> CommandResult {
      let words = ["batch", "library-v1.sqlite", "--output-dir", output, "--model", "Notes.xcdatamodeld"] + words
      return try CommandRunner(words, folder: folder.path).run()
    }
    require("migrated", try run())
    require("current", try run())
    require("failed", try run("--keep-history"))
    let mapping = folder.file("Notes_v2_to_v3.xcmappingmodel/xcmapping.xml")
    let text = try Files.text(mapping)
    try Files.write(text + "\n", to: mapping)
    let changed = try run()
    require("failed", changed)
    #expect(changed.stdout.contains("or a mapping model, has changed since"), "\(changed)")
    try Files.write(text, to: mapping)
    require("current", try run())
  }

  @Test func `The options of a current library are those of the run that made it`() throws {
    let words = ["--identity", "id"]
    let made = #""options":["--identity=id"]"#
    let inPlace = try CommandRunner(["batch", "L.sqlite"] + words, folder: folder.path).run()
    #expect(inPlace.stdout.contains(made), "\(inPlace)")
    let current = try CommandRunner(["batch", "L.sqlite"], folder: folder.path).run()
    #expect(current.stdout.contains(#""status":"current""#) && current.stdout.contains(made), "\(current)")
  }
}
