extension ManagedObjectModel {
  /// The configuration whose entities are those of a store, each with the same hash.
  ///
  /// An app may keep the entities of a configuration in a store of their own; such a store names no others.
  ///
  /// - Parameter hashes: The version hashes by entity name, as a store's metadata hold them.
  /// - Returns: The first such configuration by name; `nil` where there is none.
  public func configurationName(compatibleWithVersionHashes hashes: [String: VersionHash]) -> String? {
    let known = entityVersionHashesByName
    return configurations.keys.sorted { $0.precedesByBytes($1) }.first { name in
      let members = Set(configurations[name] ?? [])
      return !members.isEmpty && members.count == hashes.count
        && members.allSatisfy { known[$0] != nil && known[$0] == hashes[$0] }
    }
  }
}
