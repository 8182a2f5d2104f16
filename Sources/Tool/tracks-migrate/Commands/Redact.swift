import CommandLineArguments
import JSONPresets
import MigrationDiagnostics
import StoreHealth
import TerminalOutput

/// Makes a copy of a store that can be shown to others.
struct Redact: WorkingCommand {
  static let work = Advice.Work(verb: "redact", participle: "redacted", noun: "redaction")

  static let configuration = CommandConfiguration(
    abstract: "Copy a store without its secrets, to attach it to a bug report.",
    discussion: """
      Keys, links, entities and the model stay; values are replaced. Text is replaced letter by letter: length, case, \
      script, punctuation and damage stay, and equal words stay equal. In JSON, keys and structure stay. Numbers keep their \
      length, dates move by a secret number of days, UUIDs become others, and data become noise of the same length; \
      property lists and images keep their first bytes. External data files, tables of the app's own, persistent history \
      and metadata are replaced too. A migration of the copy meets the same cases as one of the original.

      The key of the replacement is random and forgotten. The copy has no free pages and no log; statistics and rejects \
      beside the store are not copied. At the end, the whole copy is searched for words of the store with four or more \
      letters; if there is one, no file is written.

      What stays, stays readable: names of tables and columns, keys of JSON and of metadata, the model's version \
      identifiers, words between artists such as "feat" and "with", numbers of one digit, punctuation, and how often a \
      word occurs. Look at the copy before you publish it.

      EXAMPLES
        tracks-migrate redact Library.sqlite --output Shown.sqlite
        tracks-migrate redact App.sqlite --output Shown.sqlite --keep Note.kind --keep Note.state
        tracks-migrate redact App.sqlite --output Shown.sqlite --model App.xcdatamodeld
      """,
    otherNames: ["anonymize", "anonymise", "sanitize", "scrub", "mask", "obfuscate"],
    extraWords: { extra, _ in
      extra.count == 1 ? "Name the new file with: --output \(ErrorMessage.shellPath(extra[0]))" : nil
    })

  @Argument(help: "The store.", completion: .file(.readsStore, extensions: ["sqlite", "db", "store"]))
  var store: String

  @Option(
    help: ArgumentHelp("The new file.", valueName: "file"), completion: .file(.createsStore, extensions: ["sqlite"]))
  var output: String?

  @Option(
    help: ArgumentHelp("The store's model. (default: the store's own copy)", valueName: "model"), completion: .model)
  var model: String?

  @Option(
    help: ArgumentHelp(
      "Leave the values of this attribute as they are; repeat for more.", valueName: "entity.attribute"))
  var keep: [String] = []

  @Flag(name: .shortAndLong, help: "Only print errors.")
  var quiet = false

  mutating func validate() throws {
    guard let output else { throw ValidationError("'redact' requires '--output', the new file.") }
    if ["", "-"].contains(output) { throw ValidationError("'--output' requires a file name.") }
    for name in keep where name.split(separator: ".", omittingEmptySubsequences: false).count < 2 {
      throw ValidationError("the value '\(name)' of '--keep' must have the form Entity.attribute.")
    }
  }

  mutating func run() throws {
    let output = output ?? ""
    var redaction = StoreRedaction(path: store, outputPath: output)
    redaction.kept = keep
    redaction.vocabulary = RedactionVocabulary(Preset.builtIn)
    redaction.requiresCandidate = model != nil
    let (store, model, isQuiet) = (store, model, quiet)
    SignalCancellation.listen()
    try reportingErrors { [redaction] in
      var redaction = redaction
      redaction.candidates = try CandidateModel.all(modelAt: model)
      let result = try redaction.run()
      result.warnings.forEach(StandardError.risk)
      guard !isQuiet else { return }
      let files = result.fileCount == 0 ? "" : " and \(NumberFormat.counted(result.fileCount, "external data file"))"
      StandardError.note(
        "Redacted '\(store)' as '\(output)': \(NumberFormat.counted(Int(clamping: result.rowCount), "row")) of "
          + "\(NumberFormat.counted(result.tableCount, "table"))\(files).")
      if let problem = result.modelProblem {
        StandardError.note("Columns were told by their names and types alone: \(problem).")
      }
      for part in result.leftOut { StandardError.note("Not in the copy: \(part).") }
    }
  }
}

extension RedactionVocabulary {
  /// The words by which presets tell documents, artists and roles apart.
  init(_ presets: [Preset]) {
    var values: [String: Set<String>] = [:]
    func keep(_ words: some Sequence<String>, at path: JSONPath) {
      if case .member(let name)? = path.steps.last { values[name, default: []].formUnion(words) }
    }
    for preset in presets {
      for test in preset.conditions.flatMap(\.tests) { keep([test.value].compactMap { $0 }, at: test.path) }
      for source in preset.artists + preset.otherwise {
        if let filter = source.path.filter, let name = filter.members.last {
          values[name, default: []].insert(filter.value)
        }
        for path in source.role { keep(Array(ArtistRole.words.keys) + preset.roles.keys, at: path) }
      }
    }
    let separators = JoinedName.separatorsByLevel.joined().map { $0.filter { $0.isASCII && $0.isLetter } }
    self.init(
      words: separators.filter { !$0.isEmpty } + ["the"],
      phrases: presets.flatMap { preset in
        preset.images.ignored + preset.nameFormats.flatMap { $0.split(separator: "{}").map(String.init) }
      }, values: values)
  }
}
