import CommandLineArguments
import Foundation
import MigrationDiagnostics
import PersistentStore
import SystemC
import TerminalOutput

/// Groups the commands about many libraries.
struct Batch: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Migrate many libraries, and sum up what came of them.",
    usage: """
      tracks-migrate batch [<library> ...] [<options>]
      tracks-migrate batch <subcommand>
      """,
    discussion: """
      EXAMPLES
        tracks-migrate batch users/*/Library.sqlite --results results.ndjson
        tracks-migrate batch --retry-failed results.ndjson --results results.ndjson
        tracks-migrate batch summarize results.ndjson
      """,
    subcommands: [MigrateBatch.self, SummarizeBatch.self], defaultSubcommand: MigrateBatch.self,
    otherNames: ["many", "bulk", "folder"])
}

/// Migrates many libraries.
struct MigrateBatch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Migrate many libraries, several at a time.",
    discussion: """
      Each library is migrated as 'tracks-migrate LIBRARY' would migrate it, and gets one line of NDJSON: its path, its \
      status (migrated, current, failed or skipped), counts, seconds, bytes, the paths of what was written, and for a \
      failure what 'tracks-migrate' would have said. A library that fails, even one that brings its process down, \
      touches no other. A library that is current is not changed, so the same batch can be run again at any time.

      A file that belongs to a library beside it by its name is skipped: a backup, a log, statistics, rejects, external \
      data. So the same pattern can be used again. To migrate such a file, name it as the only library.

      With --output-dir, the libraries are only read, and a result has the path of its library below that folder, as \
      with 'cp --parents'. A result that is there counts as current if it was made from the same bytes of the library \
      with the same options, and was not changed since.

      With --shard I/N, this run takes the I-th of N parts, from 0 on. Which part a library is in depends only on its \
      path, so N runs take each library once if they name the libraries alike.

      With --pipe, libraries are read from standard input and results are written in their order, as Spark's 'pipe' \
      wants it; the exit status is 0 whatever came of the libraries, because each line says it.

      On Ctrl-C or SIGTERM no other library is begun, and those at work are rolled back; the results say so.

      EXAMPLES
        tracks-migrate batch users/*/Library.sqlite --results results.ndjson
        find . -name '*.sqlite' -print0 | tracks-migrate batch --files-from - --null --jobs 8
        tracks-migrate batch --files-from list.txt --shard $SLURM_ARRAY_TASK_ID/16 --results part.ndjson
        tracks-migrate batch --retry-failed results.ndjson --results results.ndjson --wait 60

      EXIT STATUS
        0   every library was migrated or was current
        1   at least one library failed
        74  a result cannot be written (75 if the disk is full; SIGPIPE if the reader is gone)
      """)

  @Argument(help: "The libraries.", completion: .file(.replacesStore, extensions: ["sqlite", "db", "store"]))
  var libraries: [String] = []

  @Option(
    help: ArgumentHelp("Read more paths from this file, one on each line; '-' is standard input.", valueName: "file"),
    completion: .file(.reads))
  var filesFrom: String?

  @Flag(help: "The paths in that file end in NUL instead of a line feed, as 'find -print0' writes them.")
  var null = false

  @Flag(help: "Read libraries from standard input and write their results in order; for Spark's 'pipe'.")
  var pipe = false

  @Option(
    help: ArgumentHelp("Run the libraries that failed according to these results again.", valueName: "results"),
    completion: .file(.continues, extensions: ["ndjson"]))
  var retryFailed: String?

  @Option(
    help: ArgumentHelp("Libraries that are migrated at a time. (default: one for each processor)", valueName: "number"))
  var jobs: Int?

  @Option(help: ArgumentHelp("Only take this part of the libraries, such as 0/16.", valueName: "part/parts"))
  var shard: Shard?

  @Option(
    help: ArgumentHelp("Write results below this folder, and leave the libraries unchanged.", valueName: "folder"),
    completion: .directory(.fills))
  var outputDir: String?

  @Option(
    help: ArgumentHelp(
      "Append the result lines to this file. (default: '-', standard output)", valueName: "file"),
    completion: .file(.appends, extensions: ["ndjson"]))
  var results: String?

  @Flag(help: "Put the SHA-256 hash of each new library into its result.")
  var checksum = false

  @Flag(help: "Begin no other library once one has failed.")
  var failFast = false

  @OptionGroup var options: MigrationOptions

  @Flag(name: .shortAndLong, help: "Print no progress and no summary.")
  var quiet = false

  @Flag(help: ArgumentHelp("Migrate the libraries that another process names.", visibility: .hidden))
  var worker = false

  mutating func validate() throws {
    if let jobs, !(1...1024).contains(jobs) { throw ValidationError("'--jobs' requires a number from 1 to 1024.") }
    if pipe, let jobs, jobs > 1 {
      throw ValidationError(
        "'--pipe' answers in order, one library at a time; run several of them instead of '--jobs'.")
    }
    if pipe, filesFrom != nil { throw ValidationError("'--pipe' cannot be used with '--files-from'.") }
    if pipe, results != nil { throw ValidationError("'--pipe' writes to standard output, not to '--results'.") }
    if null, filesFrom == nil, !pipe { throw ValidationError("'--null' requires '--files-from' or '--pipe'.") }
    if outputDir != nil, options.declinesBackup {
      throw ValidationError("'--no-backup' cannot be used with '--output-dir', which leaves the libraries unchanged.")
    }
    for (name, value) in [("--output-dir", outputDir), ("--results", results), ("--files-from", filesFrom)]
    where value == "" {
      throw ValidationError("'\(name)' requires a file name.")
    }
    if libraries.isEmpty, filesFrom == nil, retryFailed == nil, !pipe, !worker {
      throw ValidationError(
        "the argument '<libraries> ...' is missing. Name libraries, or a list of them with '--files-from'.")
    }
  }

  mutating func run() throws {
    if worker {
      return try BatchWorker(options: options, outputFolder: outputDir, resultsPath: results, hashes: checksum).run()
    }
    try requireFiles()
    // What the options name is read before any library is begun.
    _ = try options.trackOptions
    SignalCancellation.listen()
    try reportingErrors { try supervise() }
  }

  /// Checks that what each library needs can be read for each.
  private func requireFiles() throws {
    let inputs = options.json.json.map { ("--json", $0) } + options.decisions.paths.map { ("--decisions", $0) }
    for (option, path) in inputs where FileStatus(path)?.kind == .pipe {
      throw ValidationError(
        "'\(option)' is a pipe, which can be read only once, and each library needs it; save it to a file.")
    }
  }

  private func supervise() throws {
    RunningCommand.migrationWords = options.words
    try requireResultsApart()
    let shard = shard
    let list =
      try filesFrom.map { $0 == "-" ? STDIN_FILENO : try Self.open($0, O_RDONLY) } ?? (pipe ? STDIN_FILENO : nil)
    let (failed, unreadCount) = try failedLibraries()
    let named = libraries + failed
    let source = jobs(named, in: list)
    let newResults = results.flatMap { FileSystem.exists($0) ? nil : $0 }
    let output = try results.flatMap { $0 == "-" ? nil : try Self.openResults($0) }
    let count = pipe ? 1 : jobs ?? ProcessUsage.processorCount
    var arguments = Array(CommandLine.exactArguments.dropFirst())
    arguments.insert("--worker", at: (arguments.firstIndex(of: "batch") ?? -1) + 1)
    let supervisor = BatchSupervisor(
      workers: count, arguments, source, results: StandardOutput(descriptor: output ?? STDOUT_FILENO))
    supervisor.endsAtFailure = failFast
    // A pattern matches the backups of the run before, too. A file that is named alone is meant.
    if named.count != 1 || list != nil {
      let paths = Set(named.map(\.pathBytes))
      supervisor.companion = { path in StoreCompanion.find(path) { paths.contains($0.pathBytes) } }
    }
    if let output, let newResults {
      // New results are not open to more people than any library that they tell of.
      supervisor.onBegin = { try NewFileAccess(from: [$0]).limit(output, named: newResults) }
    }
    let progress = BatchProgress(isQuiet: quiet || pipe, total: list == nil && shard == nil ? source.namedCount : nil)
    supervisor.onProgress = progress.update
    defer { progress.finish() }
    do {
      try supervisor.run()
    } catch let error as MigrationError {
      progress.finish()
      tally(supervisor.counts)
      throw error
    }
    progress.finish()
    if EndRequest.isMade {
      var error = MigrationError(.interrupted)
      error.advice = "The results say what was done. Run this again: libraries that are done count as current."
      throw error
    }
    try tell(supervisor.counts)
    if unreadCount > 0 {
      StandardError.error(
        "\(NumberFormat.counted(unreadCount, "line")) of the results could not be read. Run the libraries in "
          + "\(unreadCount == 1 ? "it" : "them") by their names.")
      throw ExitCode(1)
    }
  }

  /// Checks that the results would replace nothing of a library that a list names.
  ///
  /// What comes through a pipe is not known yet: each library is checked when it is begun.
  private func requireResultsApart() throws {
    guard let results, results != "-", let filesFrom, filesFrom != "-", FileStatus(filesFrom)?.kind == .regular
    else { return }
    let list = try Self.open(filesFrom, O_RDONLY)
    defer { close(list) }
    let jobs = jobs([], in: list)
    repeat {
      try jobs.read()
      while let path = jobs.next() {
        try RunFiles.requireNoClash(writing: results, as: .option("--results"), from: [path])
      }
    } while jobs.pendingList != nil
    try jobs.requireWholeList()
  }

  private func jobs(_ named: [String], in list: Int32?) -> BatchJobs {
    let shard = shard
    return BatchJobs(
      named, list: list, named: filesFrom ?? "-", separator: null ? 0 : 0x0a, answersEachLine: pipe,
      isMine: { shard?.contains($0) ?? true })
  }

  /// Says what became of the libraries.
  private func tally(_ counts: [BatchResult.Status: Int]) {
    let (failed, skipped) = (counts[.failed] ?? 0, counts[.skipped] ?? 0)
    if !quiet, !pipe {
      let all = counts.values.reduce(0, +) - skipped
      let rest =
        skipped == 0
        ? "" : " Skipped: \(NumberFormat.counted(skipped, "backup or other file", plural: "backups and other files"))."
      StandardError.note(
        "\(NumberFormat.counted(all, "library", plural: "libraries")): \(NumberFormat.grouped(counts[.migrated] ?? 0)) migrated, "
          + "\(NumberFormat.grouped(counts[.current] ?? 0)) current, \(NumberFormat.grouped(failed)) failed.\(rest)")
    }
  }

  private func tell(_ counts: [BatchResult.Status: Int]) throws {
    guard !pipe else { return }
    let failed = counts[.failed] ?? 0
    tally(counts)
    guard failed > 0 else { return }
    StandardError.error(
      "\(NumberFormat.counted(failed, "library", plural: "libraries")) could not be migrated. \(failed == 1 ? "Its result says why; run it" : "Their results say why; run them") "
        + "again with: tracks-migrate batch --retry-failed \(again.joined(separator: " "))")
    throw ExitCode(1)
  }

  /// The words that run the failed libraries again as this run would have.
  private var again: [String] {
    let results = results.flatMap { $0 == "-" ? nil : ErrorMessage.shellPath($0) }
    return [results ?? "RESULTS"] + (results.map { ["--results \($0)"] } ?? [])
      + (outputDir.map { ["--output-dir \(ErrorMessage.shellPath($0))"] } ?? [])
      + options.words.map(Advice.WayOut.optionWord)
  }

  /// The libraries that have failed before, and the number of results that are none.
  private func failedLibraries() throws -> ([String], unreadCount: Int) {
    guard let retryFailed else { return ([], 0) }
    let (results, unreadCount) = try BatchResults.read([retryFailed])
    return (results.filter { $0.status == .failed }.map(\.exactPath), unreadCount)
  }

  private static func open(_ path: String, _ flags: Int32) throws -> Int32 {
    let descriptor = SystemC.open(path, flags | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let number = errno
      guard flags & O_CREAT == 0 else {
        var error = FileSystem.failure(.cannotCreate, path, number: number)
        if number == ENOENT { error.detail = "there is no folder '\(FileSystem.split(path).folder)'" }
        throw error
      }
      throw FileSystem.failure(number == ENOENT ? .missing : .unreadable, path, number: number)
    }
    return descriptor
  }

  /// Opens the results to append to them.
  ///
  /// The last line may be torn, if a run was killed as it wrote it.
  private static func openResults(_ path: String) throws -> Int32 {
    // Opened for reading, too, a pipe would keep what no other program reads, and lose it at the end.
    if FileStatus(path)?.kind == .pipe { return try FileSystem.openDevice(path) }
    let descriptor = try open(path, O_RDWR | O_CREAT | O_APPEND)
    try requireResults(descriptor, path)
    var last = UInt8(0x0a)
    if let size = FileStatus(descriptor: descriptor)?.size, size > 0, pread(descriptor, &last, 1, off_t(size - 1)) == 1,
      last != 0x0a
    {
      try FileSystem.write([0x0a], count: 1, to: descriptor, named: path)
    }
    return descriptor
  }
}

extension MigrateBatch {
  /// Checks that a file that is there has results, or nothing: it may be another name of any file that a library needs.
  private static func requireResults(_ descriptor: Int32, _ path: String) throws {
    guard FileStatus(descriptor: descriptor)?.kind == .regular else { return }
    var head = [UInt8](repeating: 0, count: 1 << 20)
    let count = pread(descriptor, &head, head.count, 0)
    guard count >= 0 else { throw FileSystem.failure(.unreadable, path) }
    head.removeLast(head.count - count)
    let lines = head.split(separator: 0x0A)
    // The only line may be torn.
    if lines.isEmpty || lines.contains(where: { BatchResult(line: $0) != nil }) { return }
    if lines.count == 1, head.last != 0x0A, head.starts(with: BatchResult.beginning) { return }
    var error = MigrationError(.cannotCreate, path: path, detail: "it has something else than the results of a batch")
    error.advice = "Nothing was changed. Name another file with --results."
    throw error
  }
}

/// One of several parts of a batch.
struct Shard: ExpressibleByArgument {
  /// Which part it is, from 0 on.
  let number: Int
  /// The number of parts.
  let count: Int

  init?(argument: String) {
    let numbers = argument.split(separator: "/", omittingEmptySubsequences: false).map { UInt32($0) }
    guard numbers.count == 2, let number = numbers[0], let count = numbers[1], number < count else { return nil }
    (self.number, self.count) = (Int(number), Int(count))
  }

  /// Whether a library is in this part.
  func contains(_ path: String) -> Bool {
    // FNV-1a, then the finalizer of MurmurHash3: paths that differ in one digit are spread over all parts.
    var hash = path.pathBytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
    return (hash ^ (hash >> 33)) % UInt64(count) == UInt64(number)
  }
}

/// The progress of a batch: a bar on a terminal, and now and then a line elsewhere.
private final class BatchProgress {
  private let isQuiet: Bool
  private let meter: ProgressMeter
  private let isTerminal = Terminal.standardError.isTerminal
  private let start = MonotonicTime.now()
  private var next = MonotonicTime.now() + interval

  /// The time between two lines.
  private static let interval = Duration.seconds(30)

  init(isQuiet: Bool, total: Int?) {
    self.isQuiet = isQuiet
    meter = ProgressMeter(unit: "libraries", total: total)
  }

  func update(done: Int, failed: Int) {
    guard !isQuiet else { return }
    meter.update(completed: done)
    guard !isTerminal, MonotonicTime.now() >= next else { return }
    next = MonotonicTime.now() + Self.interval
    StandardError.note(
      "\(NumberFormat.counted(done, "library", plural: "libraries")) done (\(NumberFormat.grouped(failed)) failed) after "
        + "\(NumberFormat.duration(MonotonicTime.now() - start)).")
  }

  func finish() { meter.finish() }
}
