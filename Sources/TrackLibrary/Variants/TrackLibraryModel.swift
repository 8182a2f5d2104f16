public import DataModel
public import Diagnostics
public import PersistentStore

/// The model that a track library was written with: one of our own, or another that has what a migration needs.
public struct TrackLibraryModel: Sendable, Hashable {
  /// The version that the model is, or is like.
  public let version: TrackModelVersion
  /// The model itself.
  public let model: ManagedObjectModel
  /// Whether the model is the library's own rather than exactly one of ours.
  public let isVariant: Bool

  /// Recognises the model of a store: by its version hashes, otherwise by the model that the store keeps of itself.
  ///
  /// - Throws: `MigrationError` with `unknownVersion` or `newerVersion` when neither is that of a track library.
  public init(of store: StoreReader) throws(MigrationError) {
    if let version = TrackModelVersion(versionHashes: store.metadata.versionHashes) {
      self.init(version: version, model: version.model, isVariant: false)
      return
    }
    let (model, problem) = Self.ownModel(of: store)
    guard let model else { throw Self.unknown(store, problem) }
    guard let version = TrackModelVersion(like: model) else {
      throw Self.unknown(store, "the model that it keeps is none of a track library")
    }
    self.init(version: version, model: model, isVariant: true)
  }

  private init(version: TrackModelVersion, model: ManagedObjectModel, isVariant: Bool) {
    self.version = version
    self.model = model
    self.isVariant = isVariant
  }

  /// The model that a store keeps, or what is wrong with it.
  private static func ownModel(of store: StoreReader) -> (model: ManagedObjectModel?, problem: String?) {
    do throws(MigrationError) {
      return (try store.writtenModel(), nil)
    } catch {
      return (nil, error.detail ?? "the model that it keeps cannot be read")
    }
  }

  private static func unknown(_ store: StoreReader, _ problem: String?) -> MigrationError {
    let hashes = store.metadata.versionHashes
    let names = hashes.keys.sorted()
    // Hashes say nothing of older and newer. What has all entities of the newest version, with other contents, can
    // only be a later one.
    let isNewer = TrackModelVersion.current.model.entities.allSatisfy { hashes[$0.name] != nil }
    let isNewerFormat = (store.metadata.versionHashesVersion ?? 0) > 3
    let entities = names.isEmpty ? "it names no entities" : "its entities are \(names.joined(separator: ", "))"
    return MigrationError(
      isNewer || isNewerFormat ? .newerVersion : .unknownVersion, path: store.file.path,
      detail: entities + (problem.map { ", and \($0)" } ?? ""))
  }
}
