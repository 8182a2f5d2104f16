import TestSupport
import Testing

@Suite("The rules by which a manifest is read")
struct ManifestRulesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try write()
    try successfully("assemble", "--manifest", "m.json", "--output", "Empty.sqlite", in: folder.path)
  }

  /// Writes a manifest of nothing, with other members and another count or other files of tracks.
  private func write(_ members: String = "", count: String = "0", files: String = "[]") throws {
    let none = #"{"count":0,"files":[]}"#
    let tracks = #"{"count":\#(count),"files":\#(files)}"#
    try Files.write(
      #"{"format_version":1,"tracks":\#(tracks),"artists":\#(none),"links":\#(none)\#(members)}"#,
      to: folder.file("m.json"))
  }

  private func results() throws -> [CommandResult] {
    Files.remove(folder.file("New.sqlite"))
    return try [
      ["assemble", "--manifest", "m.json", "--output", "New.sqlite"],
      ["verify", "Empty.sqlite", "--manifest", "m.json"],
    ].map { try CommandRunner($0, folder: folder.path).run() }
  }

  /// Expects assembly and verification to refuse the manifest with the same words.
  private func expectRefusal(_ problem: String) throws {
    for (result, verb) in zip(try results(), ["assembled", "compared"]) {
      #expect(result.status == 65 && result.stderr.contains("' cannot be \(verb): \(problem)"), "\(result)")
    }
    #expect(!Files.exists(folder.file("New.sqlite")))
  }

  @Test(arguments: ["1e999", "[[{}]]", "2.5", #""\u0000""#, #""\ud83d\ude00""#, "null"])
  func `Other members are passed over by assembly and verification`(value: String) throws {
    try write(#","note":\#(value)"#)
    for result in try results() { #expect(result.status == 0, "\(result)") }
  }

  @Test func `Half a surrogate pair is refused by both with its reason`() throws {
    try write(#","note":"\ud800""#)
    try expectRefusal("it is not JSON, or was cut, or has half a surrogate pair")
  }

  @Test(arguments: [
    ("2.5", "'tracks.count' is not a whole number, or is too large"),
    ("1e999", "'tracks.count' is not a whole number, or is too large"),
    ("1000000000000000000000000000000", "'tracks.count' is not a whole number, or is too large"),
    ("\"0\"", "'tracks.count' has another type than it should have"), ("null", "'tracks.count' is null"),
    ("-1", "tracks counts -1 rows, and its files 0"),
  ])
  func `A count that is none is named`(count: String, problem: String) throws {
    try write(count: count)
    try expectRefusal(problem)
  }

  @Test(arguments: [
    ("{}", "'tracks.files' has another type than it should have"),
    ("[1]", "'tracks.files[0]' has another type than it should have"),
    (#"[{"path":1}]"#, "'tracks.files[0].path' has another type than it should have"),
    (#"[{"path":"x","count":0}]"#, "'tracks.files[0].sha256' is missing"),
    (#"[{"path":".","count":0,"sha256":""}]"#, "it is the manifest's folder, not a file in it"),
    (#"[{"path":"./","count":0,"sha256":""}]"#, "it is the manifest's folder, not a file in it"),
  ])
  func `A file that is none is named`(files: String, problem: String) throws {
    try write(files: files)
    try expectRefusal(problem)
  }

  @Test(arguments: [
    (#""x""#, "is not a UUID"), (#""{5A3C9B1E-0B3F-4C56-9C3D-0123456789AB}""#, "is not a UUID"),
    (#""5A3C9B1E-0B3F-4C56-9C3D-0123456789AB\u0000zzz""#, "is not a UUID"),
    (#""5A3C9B1E-0B3F-4C56-9C3D-0123456789AB\u0000""#, "is not a UUID"),
    ("1", "'uuid' has another type than it should have"),
  ])
  func `A UUID that is none is refused by both`(uuid: String, problem: String) throws {
    try write(#","uuid":\#(uuid)"#)
    for result in try results() { #expect(result.status == 65 && result.stderr.contains(problem), "\(result)") }
  }

  @Test(arguments: [[], ["--stores", "1"]] as [[String]])
  func `A library that the same manifest has made is there already, and any other file is in the way`(
    options: [String]
  ) throws {
    let command = ["assemble", "--manifest", "m.json", "--output", "Same.sqlite"] + options
    try successfully(command, in: folder.path)
    let before = try folder.snapshot()
    let repeated = try successfully(command, in: folder.path)
    #expect(repeated.stderr.hasPrefix("Already there: 'Same"), "\(repeated)")
    #expect(try folder.snapshot() == before)
    // Another store, from other rows.
    try write(#","uuid":"5A3C9B1E-0B3F-4C56-9C3D-0123456789AB""#)
    let changed = try folder.snapshot()
    let refused = try CommandRunner(command, folder: folder.path).run()
    #expect(refused.status == 73 && refused.stderr.contains("already exists"), "\(refused)")
    #expect(try folder.snapshot() == changed)
  }
}
