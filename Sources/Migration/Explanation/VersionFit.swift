public import DataModel
public import Diagnostics
public import PersistentStore

/// How well one version of a bundle fits a store.
public struct VersionFit: Sendable {
  /// The name of the version.
  public let versionName: String
  /// The model; `nil` when it cannot be read.
  public let model: NamedModel?
  /// Why the model cannot be read.
  public let error: MigrationError?
  /// How many entities have the same version hash on both sides.
  public let equalCount: Int
  /// The entities whose version hashes differ.
  public let differing: [String]
  /// The entities that only the store has.
  public let onlyInStore: [String]
  /// The entities that only the model has.
  public let onlyInModel: [String]
  /// How many single changes lead from the store's own model here; 0 when it keeps none.
  let changeCount: Int

  /// The configuration that the store fits, where it does not fit the version as a whole.
  public let configurationName: String?

  /// Whether the store can be opened with this version, or with one of its configurations.
  public var fits: Bool { model != nil && (distance == 0 || configurationName != nil) }

  /// How many entities are not the same.
  public var distance: Int { differing.count + onlyInStore.count + onlyInModel.count }

  /// Tries every version of a bundle, in its order.
  public static func all(_ bundle: ModelBundle, for store: StoreReader) -> [VersionFit] {
    let cached = (try? store.writtenModel()).flatMap(\.self)
      .map { NamedModel(model: $0, name: store.file.path, precision: .compiled) }
    return bundle.versions.map { version in
      do throws(MigrationError) {
        let model = try ModelSource.load(version, of: bundle)
        return VersionFit(version.name, model, store.metadata.versionHashes, cached)
      } catch {
        return VersionFit(version.name, unreadable: error)
      }
    }
  }

  /// The version that differs least from the store; of several the last.
  public static func nearest(of fits: [VersionFit]) -> VersionFit? {
    fits.filter { $0.model != nil }.reversed()
      .min { ($0.fits ? 0 : 1, $0.distance, $0.changeCount) < ($1.fits ? 0 : 1, $1.distance, $1.changeCount) }
  }

  private init(
    _ name: String, _ model: NamedModel, _ storeHashes: [String: VersionHash], _ cached: NamedModel?
  ) {
    let modelHashes = model.model.entityVersionHashesByName
    let common = modelHashes.keys.filter { storeHashes[$0] != nil }
    versionName = name
    self.model = model
    error = nil
    differing = common.filter { modelHashes[$0] != storeHashes[$0] }.sorted { $0.precedesByBytes($1) }
    equalCount = common.count - differing.count
    onlyInStore = storeHashes.keys.filter { modelHashes[$0] == nil }.sorted { $0.precedesByBytes($1) }
    onlyInModel = modelHashes.keys.filter { storeHashes[$0] == nil }.sorted { $0.precedesByBytes($1) }
    configurationName =
      modelHashes == storeHashes
      ? nil : model.model.configurationName(compatibleWithVersionHashes: storeHashes)
    changeCount = cached.map { model.difference(from: $0).changes.count } ?? 0
  }

  private init(_ name: String, unreadable error: MigrationError) {
    versionName = name
    model = nil
    self.error = error
    configurationName = nil
    (equalCount, changeCount) = (0, 0)
    (differing, onlyInStore, onlyInModel) = ([], [], [])
  }
}
