import CommandLineKit
import TrackLibrary

/// Makes a library to try things on.
struct Sample: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a synthetic v1 library of any size.",
    discussion: """
      The same number, seed and options always give the same bytes.

      EXAMPLES
        tracks-migrate sample 1000 Try.sqlite
        tracks-migrate sample 1000000 Large.sqlite --seed 7
      """)

  @Argument(help: ArgumentHelp("The number of tracks.", valueName: "number"))
  var count: Int

  @Argument(help: ArgumentHelp("The file to make.", valueName: "file"), completion: .file(extensions: ["sqlite"]))
  var file: String

  @Option(help: ArgumentHelp("Another number, another library.", valueName: "number"))
  var seed: UInt64 = 42

  @Flag(help: "Begin with tracks whose JSON is odd or broken in every way that the migration handles.")
  var odd = false

  @Flag(help: "Leave part of the tracks in a live write-ahead log.")
  var wal = false

  mutating func validate() throws {
    if count < 0 { throw ValidationError("The number of tracks must not be negative.") }
  }

  mutating func run() throws {
    var sample = SampleLibrary(trackCount: count, seed: seed)
    sample.includesOddities = odd
    sample.leavesWriteAheadLog = wal
    sample.cancellation = Interruption.listen()
    let file = file
    let meter = ProgressMeter(unit: "tracks", total: count)
    sample.onProgress = { completed, _ in meter.update(completed: completed) }
    try reportingErrors {
      defer { meter.finish() }
      let counts = try sample.write(to: file)
      meter.finish()
      Messages.note("Made '\(file)' with \(NumberFormat.grouped(counts.trackCount)) tracks.")
    }
  }
}
