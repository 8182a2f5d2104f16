import CommandLineArguments
import JSONPresets
import Policies
import TerminalOutput
import TrackLibrary

/// Tells what a store says about itself.
struct Info: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json
  }

  static let configuration = CommandConfiguration(
    abstract: "Show a store's model version, entities, version hashes, metadata and write-ahead log.",
    discussion: """
      Works with any Core Data store. The values of the app's own metadata are not shown, because they may be secrets.

      EXAMPLES
        tracks-migrate info Library.sqlite
        tracks-migrate info App.sqlite --model App.xcdatamodeld
      """,
    otherNames: ["show", "inspect", "describe", "about", "status", "what"],
    extraWords: { _, _ in "It shows one store at a time." })

  @OptionGroup var source: LibraryArgument

  @Option(
    help: ArgumentHelp(
      "Show which version of this model the store has (.xcdatamodeld, .momd, .xcdatamodel or .mom).",
      valueName: "model"),
    completion: .model)
  var model: String?

  @Option(help: .outputFormat)
  var format: Format = .table

  mutating func run() throws {
    let (path, model, format) = (source.library, model, format)
    try answering {
      let info = try LibraryInfo(path: path)
      let versions = try model.map { ($0, try AppVersions(modelAt: $0)) }
      versions?.1.unreadable.warn()
      let text = InfoText(info, model: versions.map { ($0, $1.name(of: info.metadata)) })
      info.danglingLinks?.warn(path)
      info.layoutFault.map(StandardError.risk)
      let output = StandardOutput()
      try output.write(format == .json ? text.json + "\n" : text.table())
      try output.flush()
    }
  }
}

/// The information of a store about itself, as text.
private struct InfoText {
  private let info: LibraryInfo
  private let model: (path: String, version: String?)?

  /// - Parameter model: The model that was asked about, and the name of the store's version if it has one of its.
  init(_ info: LibraryInfo, model: (path: String, version: String?)?) {
    self.info = info
    self.model = model
  }

  func table() throws -> String {
    let output = MemoryOutput()
    let facts =
      [
        ("library", info.path),
        ("version", version),
        ("UUID", info.metadata.uuid),
        ("framework", info.metadata.frameworkVersion.map { "\($0)" } ?? "unknown"),
        ("identifiers", info.metadata.versionIdentifiers.map { "\"\($0)\"" }.joined(separator: ", ")),
        ("size", NumberFormat.bytes(info.size)),
        ("pages", "\(info.layout.pageSize) bytes, auto_vacuum \(info.layout.autoVacuum), \(info.layout.encoding)"),
        ("write-ahead log", writeAheadLog),
        ("metadata keys", info.metadata.properties.keys.sorted().joined(separator: ", ")),
      ] + bookkeeping + [danglingLinks].compactMap { $0 }
    let width = facts.map(\.0.count).max() ?? 0
    for (name, value) in facts {
      try output.writeLine("\(name)\(String(repeating: " ", count: width - name.count))  \(value.visible)")
    }
    try output.writeLine()
    let writer = OutputFormat.table.makeWriter(to: output, terminal: Terminal())
    try writer.begin(columns: ["entity", "Z_ENT", "instances", "version hash"])
    for entity in info.entities {
      try writer.write([
        .string(entity.name), FieldValue(entity.number), FieldValue(entity.instanceCount),
        FieldValue(entity.versionHash?.description),
      ])
    }
    try writer.end()
    for line in documents { try output.writeLine(line) }
    return output.text
  }

  /// The links to missing rows, in a library that has them.
  private var danglingLinks: (String, String)? {
    guard let links = info.danglingLinks, links.count > 0 else { return nil }
    return ("dangling links", "\(NumberFormat.grouped(links.count)), to missing artists or tracks and not counted")
  }

  /// The contents that Core Data keeps besides the instances, in a store that has them.
  private var bookkeeping: [(String, String)] {
    guard let found = info.bookkeeping else { return [] }
    var facts: [(String, String)] = []
    if found.historySize != 0 {
      let size = found.historySize.map { ", \(NumberFormat.bytes($0))" } ?? ""
      facts.append(
        (
          "persistent history",
          "\(NumberFormat.counted(Int(found.transactionCount), "transaction")), "
            + "\(NumberFormat.counted(Int(found.changeCount), "change"))\(size)"
        ))
    }
    if !found.mirrorTables.isEmpty {
      facts.append(
        (
          "CloudKit mirror",
          "\(NumberFormat.counted(found.mirrorTables.count, "table")); a migration leaves the mirror out, because it "
            + "names rows by numbers that change, and the app has to set it up again"
        ))
    }
    return facts
  }

  /// The shapes of the tracks' JSON.
  private var documents: [String] {
    guard let documents = info.documents, documents.documentCount > 0 else { return [] }
    let read = documents.countByPreset.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { name, count in
      (count, "\(name) (\(Preset.named(name)?.title ?? ""))")
    }
    let missing = documents.countByReason.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
      .map { ($0.value, "without artists: \($0.key.summary)") }
    let width = documents.documentCount.description.count + 1
    return ["", "JSON of \(NumberFormat.counted(documents.documentCount, "track")) that were looked at:"]
      + (read + missing).map { count, text in
        "  \(String(repeating: " ", count: max(0, width - "\(count)".count)))\(count)  \(text)"
      }
      + MigrationSummary.suggestions(documents.suggestions)
  }

  var json: String {
    JSONObject {
      $0.add("format_version", .integer(1))
      $0.add("library", .path(info.path))
      $0.add("version", FieldValue(info.version?.rawValue))
      $0.add("model", FieldValue(info.version == nil ? nil : info.hasCustomModel ? "own" : "known"))
      if let model { $0.add("model_version", FieldValue(model.version)) }
      $0.add("uuid", .string(info.metadata.uuid))
      $0.add("framework_version", FieldValue(info.metadata.frameworkVersion))
      $0.add("version_identifiers", .strings(info.metadata.versionIdentifiers))
      $0.add("size_bytes", .integer(info.size))
      $0.add("page_size_bytes", .integer(info.layout.pageSize))
      $0.add("auto_vacuum", .integer(info.layout.autoVacuum))
      $0.add("encoding", .string(info.layout.encoding))
      $0.add("journal", .string(info.usesWriteAheadLog ? "wal" : "rollback"))
      $0.add("write_ahead_log_size_bytes", .integer(info.writeAheadLogSize))
      $0.add("metadata_keys", .strings(info.metadata.properties.keys.sorted()))
      if let figure = info.danglingLinks?.figure { $0.add(figure.name, figure.value) }
      if let bookkeeping = info.bookkeeping {
        $0.add("history_transactions_count", .integer(bookkeeping.transactionCount))
        $0.add("history_changes_count", .integer(bookkeeping.changeCount))
        $0.add("history_size_bytes", FieldValue(bookkeeping.historySize))
        $0.add("cloudkit_mirror_tables", .strings(bookkeeping.mirrorTables))
      }
      if let documents = info.documents {
        $0.add("documents_looked_at_count", .integer(Int64(documents.documentCount)))
        $0.add("documents_count_by_preset", object: Self.counts(documents.countByPreset.map { ($0.key, $0.value) }))
        $0.add(
          "fallback_tracks_count_by_reason",
          object: Self.counts(documents.countByReason.map { ($0.key.rawValue, $0.value) }))
        $0.add("suggested_options", .strings(documents.suggestions.flatMap(\.artists).map(JSONOptions.arguments)))
      }
      $0.add(
        "entities",
        objects: info.entities.map { entity in
          JSONObject {
            $0.add("name", .string(entity.name))
            $0.add("number", FieldValue(entity.number))
            $0.add("instances_count", FieldValue(entity.instanceCount))
            $0.add("version_hash", FieldValue(entity.versionHash?.description))
          }
        })
    }.text
  }

  private static func counts(_ counts: [(name: String, count: Int)]) -> JSONObject {
    JSONObject { object in
      for (name, count) in counts.sorted(by: { $0.name < $1.name }) { object.add(name, .integer(Int64(count))) }
    }
  }

  private var version: String {
    guard let model else { return MigrationSummary.name(of: info) }
    return model.version.map { "'\($0)' of '\(model.path)'" } ?? "none of '\(model.path)'"
  }

  private var writeAheadLog: String {
    guard info.usesWriteAheadLog else { return "not used" }
    return info.writeAheadLogSize == 0
      ? "empty: all changes are in the file" : "\(NumberFormat.bytes(info.writeAheadLogSize)) of changes"
  }
}
