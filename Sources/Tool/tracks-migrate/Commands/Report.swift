internal import CommandLineArguments
import MigrationDiagnostics
import PersistentStore
import Policies
import SystemC
import TerminalOutput
import TrackLibrary

/// Makes a page about a library.
struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a page about a library or any app's store, to look at in a browser.",
    discussion: """
      The page is one HTML file that needs nothing else and loads nothing: figures before and after, artists to search \
      and sort, charts, the artists who appear together, what the JSON said, what could not be read, and which artists \
      may be the same. What the migration did is taken from <library>.migration.json. For a library that has not been \
      migrated, the page shows what a migration would make of it, by a dry run.

      For an app's store, the page shows its entities; with --model also the way to the current version and what \
      changes on it; and with the statistics of a migration the hops that were made, and the rows of each.

      EXAMPLES
        tracks-migrate report Library.sqlite
        tracks-migrate report Library.sqlite --output - > page.html
        tracks-migrate report App.sqlite --model App.xcdatamodeld
      """,
    otherNames: ["html", "page", "serve", "view", "open", "charts"],
    extraWords: { extra, _ in
      extra.count == 1 ? "Name the page with: --output \(ErrorMessage.shellPath(extra[0]))" : nil
    },
    otherOptions: [
      "serve": "The page is one file, which a browser opens without a server.",
      "open": "The page is one file: open it in a browser.",
      "format":
        "A page is always HTML. Figures in other forms are printed with: tracks-migrate stats LIBRARY --format json",
    ])

  @OptionGroup var source: LibraryArgument

  @Option(
    help: ArgumentHelp(
      "Write to this file, replacing a page that is there. (default: <library>.report.html)", valueName: "file",
      otherNames: ["o", "out", "html"]),
    completion: .file(.writes, extensions: ["html"]))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "What 'migrate --stats' has written. (default: <library>.migration.json)", valueName: "file"),
    completion: .file(.reads, extensions: ["json"]))
  var stats: String?

  @OptionGroup(title: "Artists in the JSON of a library that has not been migrated") var json: JSONOptions

  @OptionGroup(title: "An app's own store") var models: ModelOptions

  @Flag(name: .shortAndLong, help: "Only print errors.")
  var quiet = false

  mutating func validate() throws {
    try models.requireModel()
    if models.model != nil, let option = json.words.first?.split(separator: "=").first {
      throw ValidationError("'\(option)' and '--model' cannot be used together.")
    }
    if output == "" { throw ValidationError("'--output' requires a file name.") }
  }

  mutating func run() throws {
    RunningCommand.migrationWords = models.words
    let (library, models, stats) = (source.library, models, stats)
    var options = TrackMigrationOptions()
    options.json = try json.shape ?? .auto
    options.roles = try json.wantedRoles
    let (trackOptions, jsonWords) = (options, json.words)
    let cancellation = SignalCancellation.listen()
    let path = output ?? "\(library).report.html"
    let isQuiet = quiet
    try answering {
      let html: String
      if let option = jsonWords.first?.split(separator: "=").first { try Self.requireUnmigrated(library, option) }
      if models.model == nil, try LibraryInfo(path: library).version != nil,
        var page = try Self.page(of: library, statistics: stats, jsonWords)
      {
        (page.options, page.cancellation) = (trackOptions, cancellation)
        let (text, danglingLinks, reportError) = try page.make()
        html = text
        if !isQuiet { danglingLinks.warn(library) }
        reportError.map(StandardError.risk)
      } else {
        html = try StorePage(path: library, options: models, statistics: stats).html
      }
      guard path != "-" else {
        let output = StandardOutput()
        try output.write(html)
        return try output.flush()
      }
      try Self.requirePage(path)
      try AtomicFile.write(path, from: [library] + statements(of: library), temporarySuffix: "report") {
        try $0.write(html)
      }
      if !isQuiet { StandardError.note("Made '\(path)'. Open it in a browser.") }
    }
  }

  /// The files besides the library that the page tells of: the statistics, and the rejects that they name.
  private func statements(of library: String) -> [String] {
    if let stats { return [stats] }
    let path = FileSystem.resolved(library) ?? library
    let names = FileSystem.names(in: FileSystem.split(path).folder) ?? []
    return names.map { FileSystem.sibling(of: path, named: $0) }.filter { file in
      FileSystem.suffix(of: file, after: path + ".migration") != nil
        || FileSystem.suffix(of: file, after: path + ".rejects") != nil
    }
  }

  /// The page of a track library; `nil` if the statistics are those of an app's store, which it was migrated as.
  private static func page(of library: String, statistics: String?, _ options: [String]) throws -> LibraryPage? {
    var page = LibraryPage(path: library, advice: advice(library, options))
    guard let statistics else { return page }
    page.report = try? MigrationReport.read(statistics, ofLibraryAt: library)
    return page.report == nil ? nil : page
  }

  private static func advice(_ library: String, _ options: [String]) -> LibraryPage.Advice {
    func command(_ name: String, _ rest: [String] = []) -> String {
      (["tracks-migrate"] + (name.isEmpty ? [] : [name]) + [MigrationDiagnostics.Advice.WayOut.word(library)] + rest)
        .joined(separator: " ")
    }
    let migration = options.map(MigrationDiagnostics.Advice.WayOut.optionWord)
    return LibraryPage.Advice(
      export: command("export", ["--what artists --format csv"]), artist: command("artist"),
      review: command("artists review", ["--output decisions.tsv"]), apply: command("artists apply", ["decisions.tsv"]),
      info: command("info"), doctor: command("doctor"),
      migrate: command("", migration), migrateDecided: command("", migration + ["--decisions", "decisions.tsv"]))
  }

  /// Refuses an option about JSON for what has no JSON to read any more, or never had: it would do nothing.
  private static func requireUnmigrated(_ path: String, _ option: Substring) throws {
    let version = try LibraryInfo(path: path).version
    guard version == nil || version == .current else { return }
    throw ValidationError(
      version == nil
        ? "'\(option)' works with track libraries only, and '\(path)' is not one."
        : "'\(option)' is about a library that has not been migrated, and '\(path)' has been. Make the page without it."
    )
  }

  /// A page is replaced, but nothing else: statistics, rejects and backups lie beside the library too.
  private static func requirePage(_ path: String) throws {
    guard let status = FileStatus(path), status.kind == .regular, status.size > 0 else { return }
    let mark = "<!DOCTYPE html>".utf8
    guard !(try FileSystem.beginning(ofInput: path, count: mark.count)).starts(with: mark) else { return }
    var error = MigrationError(.outputExists, path: path)
    error.advice = "It is not a page, so it is not replaced. Name another file."
    throw error
  }
}
