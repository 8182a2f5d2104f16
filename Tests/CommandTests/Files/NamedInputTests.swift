import Foundation
import TestSupport
import Testing

/// A file that a person names to be read may be a symbolic link, as Kubernetes mounts the files of a ConfigMap, or a pipe.
@Suite("Named inputs")
struct NamedInputTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try LibraryBuilder().write(to: folder.file("V1.sqlite"))
    try Files.copy(folder.file("V1.sqlite"), to: folder.file("V2.sqlite"))
    try successfully(folder.file("V2.sqlite"))
    let data = try folder.makeFolder("data")
    try Files.copy(folder.file("V2.sqlite.migration.json"), to: data + "/stats.json")
    try Files.copy(folder.file("V1.sqlite"), to: data + "/shard.sqlite")
    try Files.write(try successfully("presets", "show", "spotify").stdout, to: data + "/preset.json")
    try Files.write("decision\tartist\tid\tinto\tinto_id\ttracks\tevidence\n", to: data + "/decisions.tsv")
    try Files.write(#"{"artists":[{"name":"A"}]}"#, to: data + "/answer.json")
    try Files.write("{\"title\":\"x\",\"artists\":[\"y\"]}\n", to: data + "/feed")
    let model = try folder.models(
      "M.xcdatamodeld", ["1": #"<entity name="A" syncable="YES"/>"#], current: "1")
    try successfully("models", "guard", model, "--update")
    try FileManager.default.moveItem(atPath: folder.file("models.lock"), toPath: data + "/lock")
    try successfully("batch", folder.file("V2.sqlite"), "--results", data + "/results")
  }

  /// Command lines in which `@` is the input.
  private static let inputs = [
    (["migrate", "V1.sqlite", "--dry-run", "--json", "@"], "preset.json"),
    (["migrate", "V1.sqlite", "--dry-run", "--decisions", "@"], "decisions.tsv"),
    (["artists", "apply", "V2.sqlite", "@", "--dry-run"], "decisions.tsv"),
    (["artists", "review", "V2.sqlite", "--decisions", "@"], "decisions.tsv"),
    (["batch", "summarize", "@"], "results"),
    (["batch", "--retry-failed", "@"], "results"),
    (["presets", "test", "@"], "answer.json"),
    (["models", "guard", "M.xcdatamodeld", "--against", "@"], "lock"),
    (["report", "V2.sqlite", "--output", "-", "--stats", "@"], "stats.json"),
    (["extract", "@", "--first-key", "1"], "feed"),
  ]

  @Test(arguments: inputs) func `An input may be a symbolic link`(words: [String], name: String) throws {
    // The link of a ConfigMap leads through another one.
    try Files.link(folder.file("current"), to: "data")
    try Files.link(folder.file("link"), to: "current/\(name)")
    let result = try CommandRunner(words.map { $0 == "@" ? "link" : $0 }, folder: folder.path).run()
    #expect(result.status == 0, "\(result)")
  }

  @Test(arguments: inputs) func `An input may be a pipe`(words: [String], name: String) throws {
    mkfifo(folder.file("pipe"), 0o600)
    let line = words.map { $0 == "@" ? "pipe" : $0 }.joined(separator: " ")
    let result = try CommandRunner.shell("cat data/\(name) > pipe & $TOOL \(line)", in: folder.path).run()
    #expect(result.status == 0, "\(result)")
  }

  @Test func `A library may be a symbolic link for extract`() throws {
    try Files.link(folder.file("link"), to: "data/shard.sqlite")
    let result = try successfully("extract", folder.file("link"))
    #expect(result.lines.count > 1)
  }

  @Test(arguments: [["--json", "pipe"], ["--decisions", "pipe"]])
  func `A run that waits for the writer of a pipe ends with a signal`(options: [String]) throws {
    guard let injector = FaultInjector.shared else { return }
    mkfifo(folder.file("pipe"), 0o600)
    var runner = CommandRunner(["artists", "review", "V2.sqlite"] + options, folder: folder.path)
    let strike = ["KINDS": "open", "ONLY": "open", "CALL": "1", "ACTION": "stop"]
    runner.environment.merge(injector.environment(root: folder.file("pipe"), strike)) { $1 }
    let command = try runner.start()
    #expect(command.waitUntilStopped())
    command.send(SIGTERM)
    command.send(SIGCONT)
    #expect(try command.finish().end == .signalled(SIGTERM))
  }

  @Test func `An input that is a folder or does not end is an error`() throws {
    for (path, problem) in [("data", "it is a folder"), ("/dev/zero", "longer than 512 MiB")] {
      let result = try CommandRunner(["presets", "test", path], folder: folder.path).run()
      #expect(result.status == 66, "\(result)")
      #expect(result.stderr.contains(problem), "\(result)")
    }
  }
}

/// SQLite opens no file whose absolute path is longer than 504 bytes, and says nothing but that it cannot.
@Suite("Paths that are too long for SQLite")
struct LongPathTests {
  private let folder: TemporaryFolder
  /// The length of the folder's path, with the slash after it.
  private let inner: String

  init() throws {
    folder = try TemporaryFolder()
    // So that "L.sqlite" has a path of 495 bytes: short enough for a reader, not for the file next to it.
    var path = folder.path
    while 495 - 9 - path.utf8.count > 102 { path += "/" + String(repeating: "d", count: 100) }
    path += "/" + String(repeating: "e", count: 495 - 9 - path.utf8.count - 1)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    inner = path
  }

  @Test func `A path that SQLite cannot open is refused with the reason and the limit`() throws {
    let library = inner + "/" + String(repeating: "L", count: 19)
    try LibraryBuilder().write(to: folder.file("L"))
    try Files.copy(folder.file("L"), to: library)
    for words in [["info"], ["migrate"], ["stats"], ["query"], ["export"]] {
      let result = try CommandRunner(words + [library] + (words == ["query"] ? ["Track"] : [])).run()
      #expect(result.status == 66, "\(result)")
      #expect(result.stderr.contains("its path has 506 bytes"), "\(result)")
      #expect(result.stderr.contains("504") && result.stderr.contains("512"), "\(result)")
    }
  }

  @Test func `A library next to which no hidden file has room is refused before any work`() throws {
    let library = inner + "/L.sqlite"
    try LibraryBuilder().write(to: folder.file("L"))
    try Files.copy(folder.file("L"), to: library)
    try successfully("info", library)
    try folder.write(Array("{\"title\":\"x\",\"artists\":[\"y\"]}\n".utf8), to: "feed")
    for words in [
      [library], [library, "--dry-run"], [folder.file("L"), "--output", inner + "/N.sqlite"],
      ["import", folder.file("feed"), inner + "/N.sqlite"], ["sample", "5", inner + "/N.sqlite"],
      ["fixture", "new", "--model", SampleStore.data("Notes/Notes.xcdatamodeld"), inner + "/N.sqlite"],
    ] {
      let result = try CommandRunner(words).run()
      #expect(result.status == 73, "\(result)")
      #expect(result.stderr.contains("bytes, and SQLite opens none of more than 504: its limit is 512"), "\(result)")
      #expect(try Files.listing(inner) == ["L.sqlite"])
    }
  }
}
