internal import CommandLineArguments
import MigrationDiagnostics
import TerminalOutput
import TrackLibrary

/// Assembles stores from sorted rows.
struct Assemble: WorkingCommand {
  static let work: Advice.Work = .assembly

  static let configuration = CommandConfiguration(
    abstract: "Assemble a v2 library from the sorted rows that a cluster has made of shards.",
    discussion: """
      This is the last of three steps; see 'tracks-migrate help extract'. The manifest lists the files with tracks, \
      artists and links in their order, each with the number of its lines and its SHA-256. Rows are only streamed: \
      memory does not grow with the library. The same rows always make the same bytes.

      The library appears when it is complete. If a file was cut, changed or is missing, if rows are out of order or \
      refer to rows that are not there, nothing is written, and the error names the file and the line.

      With --stores N, the tracks are divided among N libraries by their keys, each with the artists that it needs. An \
      artist has the same key in all of them.

      EXAMPLES
        tracks-migrate assemble --manifest out/manifest.json --output Library.sqlite
        tracks-migrate assemble --manifest out/manifest.json --output Library.sqlite --stores 16
        tracks-migrate verify Library.sqlite --manifest out/manifest.json
      """,
    otherNames: ["merge", "join"],
    extraWords: { _, _ in "Name the list of the files with --manifest, and the new library with --output." })

  @Option(
    help: ArgumentHelp("The list of the files with the rows.", valueName: "file"),
    completion: .file(.reads, extensions: ["json"]))
  var manifest: String?

  @Option(
    help: ArgumentHelp("The new library. Only one of the same rows may be there already.", valueName: "library"),
    completion: .file(.createsStore, extensions: ["sqlite"]))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Write this many libraries, with names such as Library-00000-of-00016.sqlite.", valueName: "number"))
  var stores: Int?

  @Flag(name: .shortAndLong, help: "Only print errors.")
  var quiet = false

  mutating func validate() throws {
    _ = try files
    if let stores, !(1...1000).contains(stores) { throw ValidationError("'--stores' must be between 1 and 1000.") }
  }

  private var files: (manifest: String, output: String) {
    get throws {
      func name(_ path: String?, _ option: String) throws -> String {
        guard let path else { throw ValidationError("'assemble' requires '\(option)'.") }
        if ["", "-"].contains(path) { throw ValidationError("'\(option)' requires a file name.") }
        return path
      }
      return (try name(manifest, "--manifest"), try name(output, "--output"))
    }
  }

  mutating func run() throws {
    let cancellation = SignalCancellation.listen()
    let (manifest, output) = try files
    var work = StoreAssembly(manifestPath: manifest, path: output)
    work.storeCount = stores
    work.isCancelled = { cancellation.isCancelled }
    var meter: ProgressMeter?
    if !quiet {
      work.onProgress = { completed, total in
        if meter == nil { meter = ProgressMeter(unit: "rows", total: total) }
        meter?.update(completed: completed)
      }
    }
    try reportingErrors {
      defer { meter?.finish() }
      let stores = try work.run()
      meter?.finish()
      guard !quiet else { return }
      for store in stores {
        let counts = [(store.trackCount, "track"), (store.artistCount, "artist"), (store.linkCount, "link")]
          .map { NumberFormat.counted($0.0, $0.1) }
        let verb = store.wasThere ? "Already there:" : "Made"
        StandardError.note("\(verb) '\(store.path)' with \(counts[0]), \(counts[1]) and \(counts[2]).")
      }
    }
  }
}
