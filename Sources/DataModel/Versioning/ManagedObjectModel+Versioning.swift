extension ManagedObjectModel {
  /// The version hash of each entity: together they identify the version of the model.
  public var entityVersionHashesByName: [String: VersionHash] {
    Dictionary(entities.map { ($0.name, $0.versionHash) }, uniquingKeysWith: { first, _ in first })
  }

  /// The digest that newer stores keep as `NSStoreModelVersionHashesDigest`.
  public var versionHashesDigest: [UInt8] {
    var message = HashMessage()
    for entity in entities {
      message.append(entity.name)
      message.append(entity.versionHash.bytes)
    }
    return Digest.sha512(message.bytes)
  }

  /// The checksum that newer stores and compiled models keep as `NSStoreModelVersionChecksumKey`.
  public var versionChecksum: [UInt8] {
    Digest.sha256(entities.flatMap(\.versionHash.bytes))
  }

  /// Whether a store with these version hashes can be opened with this model as it is.
  ///
  /// Compares as `isConfiguration(withName:compatibleWithStoreMetadata:)` does for the whole model:
  /// the same entities, each with the same hash.
  ///
  /// - Parameter hashes: The version hashes by entity name, as a store's metadata hold them.
  public func isCompatible(withVersionHashes hashes: [String: VersionHash]) -> Bool {
    entityVersionHashesByName == hashes
  }
}
