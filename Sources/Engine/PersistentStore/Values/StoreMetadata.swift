package import DataModel
package import PropertyListFormat
package import SQLiteDatabase

/// A store's metadata: the row of `Z_METADATA`.
///
/// Unknown keys, including the app's own, are kept unchanged. They may contain secrets, so their values are never printed.
package struct StoreMetadata: Sendable, Hashable {
  /// The store's identity, which migrations keep.
  package var uuid: String
  /// The property list, in its original order.
  package var properties: PropertyListDictionary

  /// Creates metadata.
  package init(uuid: String, properties: PropertyListDictionary) {
    self.uuid = uuid
    self.properties = properties
  }

  /// The version hash of every entity.
  package var versionHashes: [String: VersionHash] {
    let pairs = properties[Key.versionHashes]?.dictionary?.pairs ?? []
    return Dictionary(
      pairs.compactMap { pair in pair.value.data.map { (pair.key, VersionHash(bytes: $0)) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The version of the algorithm behind the hashes in all stores of Core Data's.
  static let hashesVersion: Int64 = 3

  /// The version of the algorithm that computed the version hashes.
  package var versionHashesVersion: Int64? { properties[Key.versionHashesVersion]?.integer }

  /// The version of the Core Data framework that wrote the store.
  package var frameworkVersion: Int64? { properties[Key.frameworkVersion]?.integer }

  /// Whether the framework that wrote the store keeps a copy of the model in it.
  ///
  /// Older frameworks do not create the table.
  package var hasModelCache: Bool { (frameworkVersion ?? 0) >= 637 }

  /// The names that the model's author gave the version.
  package var versionIdentifiers: [String] {
    properties[Key.versionIdentifiers]?.array?.compactMap(\.string) ?? []
  }

  /// The metadata of the same store with another model.
  package func migrated(to model: ManagedObjectModel) -> StoreMetadata {
    var migrated = self
    var hashes = PropertyListDictionary()
    for entity in model.entities { hashes[entity.name] = .data(entity.versionHash.bytes) }
    migrated.properties[Key.versionHashes] = .dictionary(hashes)
    migrated.properties[Key.versionHashesVersion] = .integer(Self.hashesVersion)
    migrated.properties[Key.versionIdentifiers] = .array(model.versionIdentifiers.map { .string($0) })
    // Digests are not added if the framework did not write them: they would make the file look newer than it is.
    if properties[Key.versionHashesDigest] != nil {
      migrated.properties[Key.versionHashesDigest] = .string(model.versionHashesDigest.base64)
    }
    if properties[Key.versionChecksum] != nil {
      migrated.properties[Key.versionChecksum] = .string(model.versionChecksum.base64)
    }
    return migrated
  }

  /// Replaces the metadata of a store that has some.
  package func replace(in connection: Connection) throws {
    let statement = try connection.prepare(
      "UPDATE Z_METADATA SET Z_PLIST = ? WHERE Z_VERSION IS (SELECT min(Z_VERSION) FROM Z_METADATA)")
    try statement.bind(PropertyList.dictionary(properties).binary(), at: 1)
    try statement.run()
  }

  /// The metadata of a new store.
  package static func new(for model: ManagedObjectModel, uuid: String) -> StoreMetadata {
    StoreMetadata(
      uuid: uuid,
      properties: [
        Key.frameworkVersion: .integer(1338),
        Key.versionChecksum: .string(""),
        Key.versionHashes: .dictionary([:]),
        Key.versionHashesDigest: .string(""),
        Key.versionHashesVersion: .integer(Self.hashesVersion),
        Key.versionIdentifiers: .array([]),
        Key.storeType: .string("SQLite"),
        Key.autoVacuumLevel: .string("2"),
      ]
    ).migrated(to: model)
  }

  /// The keys that belong to Core Data.
  package enum Key {
    /// The version hash of every entity.
    package static let versionHashes = "NSStoreModelVersionHashes"
    /// The version of the algorithm behind the hashes.
    package static let versionHashesVersion = "NSStoreModelVersionHashesVersion"
    /// A digest of all hashes, in newer stores.
    package static let versionHashesDigest = "NSStoreModelVersionHashesDigest"
    /// A checksum of all hashes, in newer stores.
    package static let versionChecksum = "NSStoreModelVersionChecksumKey"
    /// The names that the model's author gave the version.
    package static let versionIdentifiers = "NSStoreModelVersionIdentifiers"
    /// The version of Core Data that wrote the store.
    package static let frameworkVersion = "NSPersistenceFrameworkVersion"
    /// The kind of store.
    package static let storeType = "NSStoreType"
    /// The key for the way in which the file releases free pages.
    package static let autoVacuumLevel = "_NSAutoVacuumLevel"
  }
}
