import CommandLineArguments
import MigrationDiagnostics
import PersistentStore
import StoreHealth
import TerminalOutput
import TrackLibrary

/// Says whether a store is what it claims to be, and mends what can be mended.
struct Doctor: WorkingCommand {
  static let work = Advice.Work(verb: "repair", participle: "repaired", noun: "repair")

  /// The output format.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json
  }

  static let configuration = CommandConfiguration(
    abstract: "Check whether a store is what it claims to be, and repair it.",
    discussion: """
      Checks the file and its pages, the write-ahead log and journal, Core Data's own tables, the tables, columns, indexes and \
      triggers of the model, and the rows: their entities, values, links, text, external data files and history. Works \
      with any Core Data store. Each finding has a stable code, the rows that it concerns, what it means for an app that \
      opens the store, and what to do. At the end stands what was checked, and what could not be.

      The model is the one of --model with the store's version hashes, or without --model that of a track library, else \
      the store's own copy. Without any, nothing is said about the rows.

      Nothing is changed without --repair. With it, what can be mended without losing a value is mended in a copy, which \
      replaces the store as a migration does: missing indexes, triggers, columns and tables without rows; rows of \
      Z_PRIMARYKEY and greatest keys; the copy of the model; indexes and lists of free pages that are wrong; entity \
      numbers that follow from other rows. Where one row of a one-to-one relationship names another, and that one names \
      none and is named by no other row, its end is set. A required attribute gets the model's default value, as in a \
      migration that adds it. The copy is examined and compared with the store before it replaces it, and the store is \
      kept as <store>.unrepaired-backup, which 'restore' brings back. A store whose rows have to be saved with \
      'tracks-migrate salvage' is refused.

      The exit status is 0 if nothing was found or everything was repaired, and 3 if a finding remains.

      EXAMPLES
        tracks-migrate doctor Library.sqlite
        tracks-migrate doctor App.sqlite --model App.xcdatamodeld --format json
        tracks-migrate doctor App.sqlite --repair
      """)

  @Argument(
    help: "The store: a SQLite file written by Core Data.",
    completion: .file(.replacesStore, extensions: ["sqlite", "db", "store"]))
  var store: String

  @Option(
    help: ArgumentHelp(
      "The app's model (.xcdatamodeld, .momd, .xcdatamodel or .mom). (default: the store's own copy)",
      valueName: "model"),
    completion: .model)
  var model: String?

  @Option(help: "The output format.")
  var format: Format = .text

  @Flag(
    name: .customLong("repair"),
    help: ArgumentHelp("Repair what can be repaired without losing anything.", otherNames: ["fix", "mend"]))
  var isRepairing = false

  @OptionGroup var waiting: WaitOption

  mutating func run() throws {
    let (path, model, format, isRepairing) = (store, model, format, isRepairing)
    let patience = waiting.patience(isQuiet: false, SignalCancellation.listen())
    try reportingErrors {
      var examination = StoreExamination(path: path, candidates: try CandidateModel.all(modelAt: model))
      (examination.waiting, examination.isModelNamed) = (patience, model != nil)
      let report: HealthReport
      if isRepairing {
        report = HealthReport(try StoreRepair(examination).run(), isModelGiven: model != nil)
      } else {
        report = HealthReport(try examination.run(), isModelGiven: model != nil)
      }
      report.outcome?.warnings.forEach(StandardError.risk)
      switch format {
      case .text: try StandardOutput.print(report.lines)
      case .json: try StandardOutput.print([report.json])
      }
      if !report.document.findings.isEmpty { throw foundSomething }
    }
  }
}
