import CommandLineArguments
import MigrationDiagnostics
import ModelInspection
import PersistentStore
import StoreHealth
import TerminalOutput

/// Brings the rows of a damaged store into a new one.
struct Salvage: WorkingCommand {
  static let work = Advice.Work(verb: "salvage", participle: "salvaged", noun: "salvage")

  static let configuration = CommandConfiguration(
    abstract: "Get the rows out of a store that is damaged, into a new store.",
    discussion: """
      Reads the pages of the file itself, without SQLite: those that are left of a file that was cut off, overwritten in \
      places or mixed up, even without its header, and the transactions of its write-ahead log that are complete. Works \
      with any Core Data store. The damaged store is only read.

      The new store has the model of the old one, and its metadata and UUID where they can be read. A row is in it only if \
      nothing in the file speaks against it. Everything else that was found is in <output>.rejects.ndjson, with the reason: \
      rows of which a part is lost, older images of rows, and links to rows that were not found. If there is a file with that \
      name, it stays, and the summary names another, such as <output>.rejects-2.ndjson. Rows whose pages are lost \
      leave no trace; the greatest key that the store ever gave says how many there can be at most.

      SQLite keeps no checksums. A byte that was changed within a value looks like one that was stored, and the tail of a \
      large value can be that of another one if pages or sectors have changed places.

      The model is the store's own copy. If that is lost, too, name it with --model; the models of a track library are \
      known.

      Where the definition of a table is lost, its columns are taken to be in the order of a new store. If rows contradict that, \
      they are among the rejects, and the exit status is 3: values of the other rows may have been exchanged.

      With --deleted, rows are also read from free pages and places, where SQLite leaves what was deleted until it needs the \
      room. Their links are not, and rows with values larger than a page are among the rejects.

      EXAMPLES
        tracks-migrate salvage Damaged.sqlite --output New.sqlite
        tracks-migrate salvage App.sqlite --output New.sqlite --model App.xcdatamodeld
        tracks-migrate salvage App.sqlite --output New.sqlite --deleted
      """,
    otherNames: ["recover", "rescue"],
    extraWords: { extra, _ in
      extra.count == 1 ? "Name the new store with: --output \(ErrorMessage.shellPath(extra[0]))" : nil
    })

  @Argument(help: "The damaged store.", completion: .file(.readsStore, extensions: ["sqlite", "db", "store"]))
  var store: String

  @Option(
    help: ArgumentHelp("The new store.", valueName: "file"), completion: .file(.createsStore, extensions: ["sqlite"]))
  var output: String?

  @Option(
    help: ArgumentHelp("The store's model. (default: the store's own copy)", valueName: "model"), completion: .model)
  var model: String?

  @Flag(name: .customLong("deleted"), help: "Also take rows that were deleted and not yet overwritten.")
  var takesDeleted = false

  @Flag(name: .shortAndLong, help: "Only print errors.")
  var quiet = false

  mutating func validate() throws {
    guard let output else { throw ValidationError("'salvage' requires '--output', the new store.") }
    if ["", "-"].contains(output) { throw ValidationError("'--output' requires a file name.") }
  }

  mutating func run() throws {
    let (model, isQuiet) = (model, quiet)
    var salvage = StoreSalvage(path: store, outputPath: output ?? "")
    salvage.takesDeleted = takesDeleted
    SignalCancellation.listen()
    try reportingErrors { [salvage] in
      var salvage = salvage
      salvage.candidates = try CandidateModel.all(modelAt: model)
      salvage.modelPaths = try model.map { [try ModelSource($0).path] } ?? []
      let text = SalvageText(try salvage.run())
      (isQuiet ? text.findings : text.lines).forEach(StandardError.note)
      if !text.findings.isEmpty { throw foundSomething }
    }
  }
}

/// The outcome of a salvage, in words.
struct SalvageText {
  private let report: SalvageReport

  init(_ report: SalvageReport) { self.report = report }

  var lines: [String] { [headline] + tables + links + pages + rejects + remarks + findings }

  /// The doubts about rows that are in the new store, which are not among the rejects.
  var findings: [String] {
    report.contradictions.sorted { $0.key < $1.key }.map { table, count in
      "The columns of '\(table)' are not in the order of a new store: \(NumberFormat.counted(count, "row")) "
        + "\(count == 1 ? "contradicts" : "contradict") it. Values of its other rows may be in the wrong columns of the same "
        + "kind: compare them before you use '\(report.outputPath)'."
    }
  }

  private var headline: String {
    let links = report.links.reduce(0) { $0 + $1.count }
    return "Salvaged '\(report.path)' as '\(report.outputPath)': \(NumberFormat.counted(report.rowCount, "row"))"
      + (report.links.isEmpty ? "." : " and \(NumberFormat.counted(links, "link")) of many-to-many relationships.")
  }

  private var tables: [String] {
    report.tables.map { table in
      let names = report.entities.filter { $0.rootEntity == table.rootEntity }
        .map { "\($0.name) \(NumberFormat.grouped($0.count))" }.joined(separator: ", ")
      return "  \(names): " + missing(table)
    }
  }

  /// The rows that may be missing: only an upper bound is known.
  private func missing(_ table: SalvageReport.Table) -> String {
    guard let most = table.mostMissing, let greatest = table.greatestKey else {
      return "the number of rows that the store had is lost."
    }
    guard most > 0 else { return "none is missing: the greatest key ever given is \(NumberFormat.grouped(greatest))." }
    return
      "the greatest key ever given is \(NumberFormat.grouped(greatest)), so at most \(NumberFormat.counted(most, "row")) "
      + "\(most == 1 ? "is" : "are") missing, including deleted ones."
  }

  private var links: [String] {
    report.links.map { "  \($0.relationship): \(NumberFormat.counted($0.count, "link"))." }
      + (report.rejectedLinkCount == 0
        ? []
        : [
          "\(NumberFormat.counted(report.rejectedLinkCount, "link")) of these rows "
            + "\(report.rejectedLinkCount == 1 ? "is" : "are") among the rejects."
        ])
  }

  private var pages: [String] {
    var lines: [String] = []
    let (unreadable, unclaimed) = (report.unreadablePages, report.unclaimedPages)
    if unreadable.count > 0 {
      lines.append(
        "Of \(NumberFormat.counted(report.pageCount, "page")), \(NumberFormat.grouped(unreadable.count)) cannot be read: "
          + "\(unreadable.text()).")
    }
    if unclaimed.count > 0 {
      lines.append(
        "\(NumberFormat.counted(unclaimed.count, "page")) \(unclaimed.count == 1 ? "holds" : "hold") parts of values whose "
          + "rows were not found: \(unclaimed.text()).")
    }
    if report.imageCount > 0 {
      lines.append("\(NumberFormat.counted(report.imageCount, "page")) came from the log or the journal.")
    }
    return lines
  }

  private var rejects: [String] {
    var lines: [String] = []
    if report.deletedCount > 0 {
      lines.append(
        "\(NumberFormat.grouped(report.deletedCount)) of these rows \(report.deletedCount == 1 ? "was" : "were") deleted in the "
          + "damaged store.")
    }
    if report.freeRowCount > 0 {
      lines.append(
        "\(NumberFormat.counted(report.freeRowCount, "row")) in free pages \(report.freeRowCount == 1 ? "was" : "were") left "
          + "out; most were deleted. To take them, too, add '--deleted'.")
    }
    if report.unconfirmedRowCount > 0 {
      lines.append(
        "The list of free pages is lost, and no page leads to those of \(NumberFormat.counted(report.unconfirmedRowCount, "row")): "
          + "rows that were deleted, or older than the last change, may be among them.")
    }
    guard let path = report.rejectsPath else { return lines }
    let reasons = report.rejects.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
    lines.append("Rejects: '\(path)'")
    return lines + reasons.map { "  \(NumberFormat.grouped($0.value)): \($0.key.clause)" }
  }

  private var remarks: [String] { report.remarks.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." } }
}
