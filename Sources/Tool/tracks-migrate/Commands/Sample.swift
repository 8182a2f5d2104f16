import CommandLineArguments
import Samples
import TerminalOutput
import TrackLibrary

/// Makes a library to try things on.
struct Sample: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a sample library of any size.",
    discussion: """
      The same count, seed and options always produce the same file, byte for byte.

      EXAMPLES
        tracks-migrate sample 1000 Try.sqlite
        tracks-migrate sample 1000000 Large.sqlite --seed 7
        tracks-migrate sample 100 Books.sqlite --example books
      """,
    otherNames: ["example", "demo", "generate", "create", "make"])

  @Argument(help: ArgumentHelp("The number of tracks, books or notes to make.", valueName: "number"))
  var count: Int

  @Argument(
    help: ArgumentHelp("The file to create.", valueName: "file"),
    completion: .file(.createsStore, extensions: ["sqlite"]))
  var file: String

  @Option(help: ArgumentHelp("The seed of the random content.", valueName: "number"))
  var seed: UInt64 = 42

  @Option(help: "What the library contains; 'notes-v2' has notes with pictures.")
  var example: SampleExample = .tracks

  @Flag(help: "Include one of every malformed input that the migration handles.")
  var odd = false

  @Flag(help: "Leave some of the tracks in the write-ahead log.")
  var wal = false

  @Flag(
    name: .customLong("mapping-models"),
    help: ArgumentHelp(
      "Write the example's mapping models into the folder <file> instead; the number is ignored.",
      visibility: .hidden))
  var wantsMappingModels = false

  mutating func validate() throws {
    if count < 0 { throw ValidationError("the number of \(example.unit) must not be negative.") }
    if wal, example != .tracks {
      throw ValidationError("'--wal' works with tracks only, not with '\(example.rawValue)'.")
    }
  }

  mutating func run() throws {
    if wantsMappingModels { return try writeMappingModels() }
    let (file, meter) = (file, ProgressMeter(unit: example.unit, total: count))
    var made = count
    try reportingErrors {
      defer { meter.finish() }
      if let kind = example.kind {
        try writeExample(kind, meter)
      } else {
        made = try writeTracks(meter)
      }
      meter.finish()
      StandardError.note("Made '\(file)' with \(NumberFormat.counted(made, String(example.unit.dropLast()))).")
    }
  }

  private func writeMappingModels() throws {
    try reportingErrors {
      for mapping in ExampleMappingFile.all where mapping.folder == example.folder {
        try mapping.write(toFolder: file)
      }
    }
  }

  private func writeTracks(_ meter: ProgressMeter) throws -> Int {
    var sample = SampleLibrary(trackCount: count, seed: seed)
    sample.includesOddities = odd
    sample.leavesWriteAheadLog = wal
    sample.cancellation = SignalCancellation.listen()
    sample.onProgress = { completed, _ in meter.update(completed: completed) }
    return try sample.write(to: file).trackCount
  }

  private func writeExample(_ kind: ExampleLibrary.Kind, _ meter: ProgressMeter) throws {
    var library = ExampleLibrary(kind, count: count, seed: seed)
    library.includesOddities = odd
    library.cancellation = SignalCancellation.listen()
    library.onProgress = { meter.update(completed: $0) }
    try library.write(to: file)
  }
}

enum SampleExample: String, CaseIterable, Sendable, ExpressibleByArgument {
  case tracks
  case books
  case notes
  case notesV2 = "notes-v2"

  /// The unit of the counts.
  var unit: String {
    switch self {
    case .tracks: "tracks"
    case .books: "books"
    case .notes, .notesV2: "notes"
    }
  }

  /// The folder of `SampleData` that holds the example.
  var folder: String {
    switch self {
    case .tracks: "Tracks"
    case .books: "Books"
    case .notes, .notesV2: "Notes"
    }
  }

  /// The kind of example library; nothing for tracks, which have a generator of their own.
  var kind: ExampleLibrary.Kind? { ExampleLibrary.Kind(rawValue: rawValue) }
}
