internal import ProcessControl

/// The folder of one comparison: its libraries, and the result of the program that ran last.
final class Workspace {
  let options: Options
  /// Where the program that runs puts its result; emptied before each.
  let resultFolder: String
  private let folder: String
  private let say: (String) -> Void
  private var made: Set<String> = []

  init(_ options: Options, say: @escaping (String) -> Void) throws(BenchmarkError) {
    let parent = options.workFolder ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/tracks-migrate-benchmark.XXXXXX".utf8CString)
    let folder = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let folder else { throw BenchmarkError("cannot make a folder in '\(parent)'") }
    self.folder = folder
    self.options = options
    self.say = say
    resultFolder = folder + "/result"
  }

  /// The result of the program that runs.
  var result: String { resultFolder + "/result.sqlite" }

  /// Removes the folder.
  func discard() {
    _ = try? Command(["rm", "-rf", folder]).run()
  }

  /// A library of so many tracks, which is made on first use.
  func library(_ trackCount: Int) throws(BenchmarkError) -> String {
    try file("\(trackCount).sqlite") { (path) throws(BenchmarkError) in
      say("Making a library of \(trackCount) tracks")
      try require([options.tool, "sample", String(trackCount), path])
    }
  }

  /// The library of so many tracks, migrated.
  func migratedLibrary(_ trackCount: Int) throws(BenchmarkError) -> String {
    let source = try library(trackCount)
    return try file("\(trackCount)-v2.sqlite") { (path) throws(BenchmarkError) in
      try require([options.tool, "migrate", source, "--output", path])
    }
  }

  /// A file that is made on first use.
  func file(_ name: String, _ make: (String) throws(BenchmarkError) -> Void) throws(BenchmarkError) -> String {
    let path = folder + "/" + name
    if made.insert(name).inserted { try make(path) }
    return path
  }

  /// Runs a contender once, in an empty result folder and with nothing left to write to the disk.
  func run(_ contender: Contender) throws(BenchmarkError) -> Usage {
    try require(["rm", "-rf", resultFolder])
    try require(["mkdir", resultFolder])
    sync()
    limit_cores(Int32(contender.cores))
    defer { limit_cores(2) }
    var usage = try require(contender.words)
    var status = stat()
    if stat(result, &status) == 0 { usage.size = Double(status.st_size) }
    return usage
  }

  /// What a command prints.
  func output(of words: [String]) throws(BenchmarkError) -> String {
    let path = folder + "/output"
    try require(words, outputPath: path)
    return try Self.text(path)
  }

  /// Runs a command that must succeed.
  @discardableResult
  func require(_ words: [String], outputPath: String = "/dev/null") throws(BenchmarkError) -> Usage {
    var command = Command(words)
    command.outputPath = outputPath
    command.errorPath = folder + "/error"
    let (usage, status) = try command.run()
    guard is_interrupted() == 0 else { throw BenchmarkError("interrupted") }
    guard status == 0 else {
      throw BenchmarkError(
        "'\(words.joined(separator: " "))' ended with \(status)\n\((try? Self.text(command.errorPath)) ?? "")")
    }
    return usage
  }

  private static func text(_ path: String) throws(BenchmarkError) -> String {
    guard let file = fopen(path, "r") else { throw BenchmarkError("cannot read '\(path)'") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
