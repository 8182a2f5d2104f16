import DataModel
import Diagnostics
import Migration
import PersistentStore

/// The version hashes of a model or a store.
struct HashList {
  struct Row {
    let kind: String
    var entity: String?
    var hash: VersionHash?
    /// What is printed for a row without a hash.
    var text: String?
    /// Whether the model that a store keeps says the same.
    var cache: String?
  }

  let name: String
  let rows: [Row]

  /// The lists of what a source stands for: one, or one for each version of a bundle.
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
    for failure in failures { Messages.warning(ErrorMessage(failure).problem) }
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
    let model = try store.cachedModel()
    let cached = model?.entityVersionHashesByName
    func comparison(_ entity: String) -> String? {
      cached.map { $0[entity] == nil ? "missing" : $0[entity] == stored[entity] ? "equal" : "different" }
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
