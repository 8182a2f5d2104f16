import CommandLineArguments
import DataModel
import Migration
import MigrationDiagnostics
import ModelInspection
import PersistentStore
import TerminalOutput

/// Keeps a change to a model from breaking stores of versions that have shipped.
struct GuardModels: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case lines, table, json, ndjson, csv, github, sarif, markdown
  }

  static let configuration = CommandConfiguration(
    commandName: "guard",
    abstract: "Check that no change to a model breaks stores of shipped versions.",
    discussion: """
      A version that has shipped must stay as it is, because stores of it are on people's devices. This command reports \
      shipped versions that were changed or removed, a current version that is older than before, versions with the same \
      version hashes, versions whose stores have no way to the current one or lose values when Core Data opens them in one \
      hop, required attributes for which stores have no value, values and links that are dropped on that way, and renaming \
      identifiers that match nothing or claim what another property keeps the name of. It warns of versions from which the \
      app has to migrate step by step, since Core Data's one hop would bypass the mapping models ('needs-hops').

      Of Swift source it checks the migration plans instead: versions that a plan does not name, stages that are missing or \
      out of order, stages that cannot be inferred or are between equal version hashes, and classes without a version.

      Shipped versions are those in 'models.lock' beside the model, which belongs into the repository: record a version \
      with --update when it ships. With --against, they are those of a Git revision, another copy of the model or another \
      lock file instead.

      The exit status is 0 if nothing is broken, and 3 if something is.

      EXAMPLES
        tracks-migrate models guard Model.xcdatamodeld
        tracks-migrate models guard Model.xcdatamodeld --against origin/main --format github
        tracks-migrate models guard Model.xcdatamodeld --update
        tracks-migrate models guard Sources/Models
      """)

  @Argument(
    help: ArgumentHelp("The model with all its versions (.xcdatamodeld or Swift source).", valueName: "model"),
    completion: .model)
  var bundle: String?

  @Option(help: ArgumentHelp("The model, instead of the argument.", valueName: "model"), completion: .model)
  var model: String?

  @Option(
    help: ArgumentHelp(
      "What has shipped: a Git revision, a copy of the model, or a lock file. (default: models.lock beside the model)",
      valueName: "ref|file"))
  var against: String?

  @Option(
    help: ArgumentHelp(
      "A mapping model, or a folder of them; repeat for more. (default: those in the model's project)",
      valueName: "path"),
    completion: .file(.reads, extensions: ["xcmappingmodel", "cdm"]))
  var mapping: [String] = []

  @Flag(help: "Record the versions that are not in 'models.lock' yet, if nothing is broken.")
  var update = false

  @Option(
    help: ArgumentHelp(
      "The output format: lines like those of compilers, tables and records, or what GitHub, SARIF viewers or pull "
        + "requests show."))
  var format: Format = .lines

  @OptionGroup var csv: CSVOptions

  mutating func validate() throws {
    try csv.check(isCSV: format == .csv)
    try ModelChoice.checkPresence(bundle, model)
    if update, against != nil {
      throw ValidationError("'--update' writes 'models.lock', so it cannot go with '--against'.")
    }
  }

  mutating func run() throws {
    let (named, option, against, mapping, update, format) = (bundle, model, against, mapping, update, format)
    let guardsFormulas = csv.guardsFormulas
    SignalCancellation.listen()
    try reportingErrors {
      let model = try ModelChoice(argument: named, option: option)
      if update, let version = model.versionName {
        throw ValidationError(
          "'--update' records the version that the model marks as current, so it cannot go with ':\(version)'.")
      }
      let bundle = try ModelSource(path: model.path, versionNamed: model.versionName).bundle()
      let lockPath = FileSystem.sibling(of: bundle.path, named: ModelLock.fileName)
      let shipped =
        try against.map { try ShippedModel.named($0, for: bundle) } ?? ShippedModel.locked(bundle, at: lockPath)
      let search = try Self.mappings(of: bundle, mapping)
      let check = ModelGuard(bundle, shipped: shipped, mappings: search.mappings)
      let findings = check.findings
      if findings.contains(where: { $0.id == DroppedProperty.id }), let bounds = search.bounds.remark {
        StandardError.warning(bounds.worded(for: RunningCommand.reader))
      }
      let isBroken = findings.contains { $0.severity == .error }
      // What is asked for is done before anything is printed, which a reader may not want to read to its end.
      if update, !isBroken { try ShippedModel.record(check.current, of: bundle, at: lockPath) }
      do {
        try Self.write(findings.filter { !update || $0.id != "not-locked" }, of: check, bundle, format, guardsFormulas)
      } catch is BrokenPipe where isBroken {}
      if isBroken { throw foundSomething }
    }
  }

  private static func write(
    _ findings: [ModelFinding], of check: ModelGuard, _ bundle: ModelBundle, _ format: Format,
    _ guardsFormulas: Bool
  ) throws {
    let output = StandardOutput()
    switch format {
    case .lines:
      for record in findings { try output.writeLine(LintMessage(record, bundle.path).line) }
      if findings.allSatisfy({ $0.severity != .error }) { try output.writeLine(check.summary(findings).visible) }
    case .github: for record in findings { try output.writeLine(LintMessage(record, bundle.path).workflowCommand) }
    case .sarif: try output.writeLine(LintMessage.sarif(findings.map { LintMessage($0, bundle.path) }))
    case .markdown: try output.write(check.markdown(findings))
    case .table, .json, .ndjson, .csv:
      try ModelFinding.write(
        findings, OutputFormat(rawValue: format.rawValue) ?? .table, guardsFormulas: guardsFormulas, to: output)
    }
    try output.flush()
  }

  private static func mappings(of bundle: ModelBundle, _ paths: [String]) throws -> MappingSearch {
    let versions = bundle.versions.compactMap { version in
      (try? version.model()).map { LoadedModelVersion(name: version.name, model: $0) }
    }
    var search = MappingSearch(versions: versions)
    // SwiftData's plans have no mapping models.
    if paths.isEmpty, bundle.schemaPlans == nil { try search.addMappings(besideModelAt: bundle.path) }
    for path in paths { try search.add(path: path) }
    search.remarks.forEach(StandardError.warning)
    return search
  }
}

/// The ways to find the shipped versions of a model.
enum ShippedModel {
  /// Returns the model in the lock file beside a bundle; nil without a lock file.
  static func locked(_ bundle: ModelBundle, at path: String) throws -> ModelLock.Model? {
    guard try FileSystem.isThere(path) else { return nil }
    // It is written, too; reading a pipe would wait for a program that writes to it.
    guard FileStatus(path)?.kind == .regular else {
      var error = MigrationError(.unreadable, path: path, detail: "it is not a file")
      error.advice = "Move it away, or name another lock file."
      throw error
    }
    return try ModelLock(path: path).model(named: FileSystem.split(bundle.path).name)
  }

  /// Returns the model that a word on the command line names.
  static func named(_ word: String, for bundle: ModelBundle) throws -> ModelLock.Model {
    let name = FileSystem.split(bundle.path).name
    guard try FileSystem.isThere(word) else { return try GitRevision(word).model(bundle) }
    if FileStatus(word)?.kind == .directory { return try ModelLock.Model.whole(try ModelSource(path: word).bundle()) }
    let lock = try ModelLock(path: word)
    guard let model = lock.model(named: name) ?? (lock.models.count == 1 ? lock.models.first : nil) else {
      var error = MigrationError(.missingModel, path: name, detail: "'\(word)' does not have it")
      error.advice = "The lock file has \(lock.models.map { "'\($0.name)'" }.joined(separator: ", "))."
      throw error
    }
    return model
  }

  /// Adds the versions that are new to the lock file: those that were checked.
  ///
  /// Other runs that record in the same file, for other models, wait meanwhile.
  static func record(_ now: ModelLock.Model, of bundle: ModelBundle, at path: String) throws {
    var new: [String] = []
    try DocumentFile.update(path, from: [bundle.path]) {
      var lock = try FileSystem.isThere(path) ? ModelLock(path: path) : ModelLock()
      var model = lock.model(named: now.name) ?? ModelLock.Model(name: now.name, current: nil, versions: [])
      let added = now.versions.filter { version in !model.versions.contains { $0.name == version.name } }
      model.versions += added
      model.current = now.current
      lock.set(model)
      new = added.map(\.name)
      return String(decoding: lock.json, as: UTF8.self)
    }
    note(new, in: path)
  }

  static func note(_ new: [String], in path: String) {
    let names = new.isEmpty ? "nothing new" : new.map { "'\($0)'" }.joined(separator: ", ")
    StandardError.note("Recorded in '\(path)': \(names).")
  }
}

extension ModelGuard {
  /// Returns the summary for findings among which nothing is broken.
  func summary(_ findings: [ModelFinding]) -> String {
    let needsHops = findings.contains { $0.id == OneHopFinding.hopsID }
    let verdict =
      findings.isEmpty
      ? "Nothing found" : "Nothing is broken\(needsHops ? " if the app migrates step by step" : "")"
    let shipped = shippedCount.map {
      "; \(NumberFormat.counted($0, "shipped version")) unchanged, with a way to it"
    }
    return "\(verdict): \(versions)\(shipped ?? "")."
  }

  private var versions: String {
    "\(NumberFormat.counted(versionCount, "version"))\(currentName.map { ", current '\($0)'" } ?? "")"
  }

  /// The findings as a comment on a pull request.
  func markdown(_ findings: [ModelFinding]) -> String {
    let errors = findings.count { $0.severity == .error }
    var text =
      "### \(name.markdown): \(errors == 0 ? "no shipped version is broken" : NumberFormat.counted(errors, "problem"))\n\n"
    text += "\(versions.markdown).\n"
    guard !findings.isEmpty else { return text }
    text += "\n| | Version | Finding | What to do |\n|---|---|---|---|\n"
    for finding in findings {
      let sign = finding.severity == .error ? "❌" : finding.severity == .warning ? "⚠️" : "ℹ️"
      text +=
        "| \(sign) | \((finding.versionName ?? "").markdown) | \(finding.problem.markdown) | \(finding.adviceText.markdown) |\n"
    }
    return text
  }
}
