import CommandLineArguments
import DataModel
import Migration
import MigrationDiagnostics
import ModelInspection
import PersistentStore
import TerminalOutput

/// Prints version hashes.
struct HashModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hash",
    abstract: "Print the version hashes of models and stores.",
    discussion: """
      Core Data opens a store with a model if the hashes of all entities are equal. The checksum is \
      NSManagedObjectModel.versionChecksum and the digest is NSStoreModelVersionHashesDigest, both in base64. For a \
      store, prints the hashes in its metadata and whether its cached model has the same ones.

      EXAMPLES
        tracks-migrate models hash Model.xcdatamodeld --all-versions
        tracks-migrate models hash Library.sqlite Model.xcdatamodeld --format csv
        tracks-migrate models hash Model.xcdatamodeld --checksums   # for staged migrations, in Swift
      """)

  @Argument(
    help: "Models or stores; see 'tracks-migrate help models'.", completion: .modelVersion)
  var models: [String]

  @Flag(help: "Print the hashes of all versions in a bundle.")
  var allVersions = false

  @Flag(help: "Print the hashes in base64 instead of hexadecimal.")
  var base64 = false

  @Flag(help: "Print only the checksum of each version, as the Swift literals that the stages of a migration need.")
  var checksums = false

  @Option(help: "The output format.")
  var format: OutputFormat = .table

  @OptionGroup var csv: CSVOptions

  mutating func validate() throws { try csv.check(isCSV: format == .csv) }

  mutating func run() throws {
    let guardsFormulas = csv.guardsFormulas
    guard !checksums else { return try printChecksums() }
    let (words, allVersions, base64, format) = (models, allVersions, base64, format)
    try reportingErrors {
      // All models are read first, so that nothing is printed if the command line is wrong.
      let lists = try words.flatMap { try HashList.all(try ModelSource($0), allVersions: allVersions) }
      let writer = format.makeWriter(
        to: StandardOutput(), terminal: .standardOutput, guardsFormulas: guardsFormulas)
      try writer.begin(columns: [
        "model", "kind", "entity", "hash", format.isForMachines ? "model_cache" : "model cache",
      ])
      for list in lists {
        for row in list.rows {
          let hash = row.hash.map { base64 ? $0.bytes.base64 : $0.description } ?? row.text
          try writer.write([
            .path(list.name), .string(row.kind), FieldValue(row.entity), FieldValue(hash), FieldValue(row.cache),
          ])
        }
      }
      try writer.end()
    }
  }
}

extension HashModels {
  /// Prints a line of Swift for each version.
  private func printChecksums() throws {
    let words = models
    try reportingErrors {
      var lines: [String] = []
      for word in words {
        let source = try ModelSource(word)
        guard source.kind != .store, source.versionName == nil else {
          let model = try source.load()
          lines.append(Self.line(model.model.versionChecksum, model.name))
          continue
        }
        let bundle = try source.bundle()
        for version in bundle.versions {
          lines.append(Self.line(try ModelSource.load(version, of: bundle).model.versionChecksum, version.name))
        }
      }
      try StandardOutput.print(lines)
    }
  }

  private static func line(_ checksum: [UInt8], _ name: String) -> String { "\"\(checksum.base64)\",  // \(name)" }
}

/// The version hashes of a model or a store.
private struct HashList {
  struct Row {
    let kind: String
    var entity: String?
    var hash: VersionHash?
    /// The text printed for a row without a hash.
    var text: String?
    /// Whether the model stored in a store agrees.
    var cache: String?
  }

  let name: String
  let rows: [Row]

  /// The lists for a source: one, or one for each version of a bundle.
  static func all(_ source: ModelSource, allVersions: Bool) throws(MigrationError) -> [HashList] {
    if source.kind == .store { return [try HashList(storeAt: source.path)] }
    guard allVersions, source.versionName == nil else { return [HashList(try source.load())] }
    let bundle = try source.bundle()
    var lists: [HashList] = []
    var failures: [MigrationError] = []
    for version in bundle.versions {
      do {
        lists.append(HashList(try ModelSource.load(version, of: bundle)))
      } catch {
        failures.append(error)
      }
    }
    if let failure = failures.first, lists.isEmpty { throw failure }
    for failure in failures { StandardError.warning(ErrorMessage(command: failure).problem) }
    return lists
  }

  private init(_ model: NamedModel) {
    name = model.name
    rows =
      model.model.entities.map { Row(kind: "entity", entity: $0.name, hash: $0.versionHash) } + [
        Row(kind: "checksum", text: model.model.versionChecksum.base64),
        Row(kind: "digest", text: model.model.versionHashesDigest.base64),
      ]
  }

  private init(storeAt path: String) throws(MigrationError) {
    let store = try StoreReader(path: path)
    let stored = store.metadata.versionHashes
    let model: ManagedObjectModel?
    var isUnreadable = false
    do {
      model = try store.cachedModel()
    } catch {
      // The hashes stand in the metadata, whatever the copy of the model says.
      guard error.code == .unreadableModelCache else { throw error }
      (model, isUnreadable) = (nil, true)
    }
    let cached = model?.entityVersionHashesByName
    func comparison(_ entity: String) -> String? {
      isUnreadable
        ? "unreadable"
        : cached.map { $0[entity] == nil ? "missing" : $0[entity] == stored[entity] ? "equal" : "different" }
    }
    let names = Set(stored.keys).union(cached?.keys.map { $0 } ?? []).sorted { $0.precedesByBytes($1) }
    let digests = [
      ("checksum", StoreMetadata.Key.versionChecksum, model?.versionChecksum),
      ("digest", StoreMetadata.Key.versionHashesDigest, model?.versionHashesDigest),
    ]
    name = path
    rows =
      names.map { Row(kind: "entity", entity: $0, hash: stored[$0], cache: comparison($0)) }
      + digests.compactMap { kind, key, computed in
        store.metadata.properties[key]?.string.map { text in
          Row(kind: kind, text: text, cache: computed.map { $0.base64 == text ? "equal" : "different" })
        }
      }
    try store.close()
  }
}

/// The version hashes that a compiled mapping model was made for, next to those of every version.
enum MappingHashes {
  static func write(_ explanation: MappingExplanation, to output: any TextOutput, terminal: Terminal) throws {
    let versions = explanation.versions.filter { $0.model != nil }
    let writer = OutputFormat.table.makeWriter(to: output, terminal: terminal)
    try writer.begin(columns: ["entity", "as", "mapping model"] + versions.map(\.versionName))
    for (side, word) in [(\MappingVersionFit.asSource, "source"), (\.asDestination, "destination")] {
      let fits = versions.map { $0[keyPath: side] }
      guard let entities = fits.lazy.compactMap({ $0 }).first?.entities else { continue }
      for (place, entity) in entities.enumerated() {
        try writer.write(
          [.string(entity.name), .string(word), FieldValue(entity.fileHash.map(short))]
            + fits.map { FieldValue($0.flatMap { text($0.entities, at: place) }) })
      }
    }
    try writer.end()
  }

  /// All versions have the entities at the same indexes.
  private static func text(_ entities: [MappingSideFit.Entity], at place: Int) -> String? {
    guard entities.indices.contains(place) else { return nil }
    guard let hash = entities[place].modelHash else { return "missing" }
    return entities[place].fits ? "same" : short(hash)
  }

  private static func short(_ hash: VersionHash) -> String { "\(hash.description.prefix(12))…" }
}
