package import PropertyList

extension ArchivedObject {
  /// The elements of an array or a set that may be missing, still as references.
  package func list(_ key: String) throws(ModelFileProblem) -> [PropertyList] {
    guard let collection = try collection(key, "a list") else { return [] }
    return try collection.part("NS.objects", of: key)
  }

  /// The keys and values of a dictionary that may be missing; the values still are references.
  ///
  /// - Parameter skipsOtherKeys: Whether keys that are no texts are left out instead of being an error.
  package func dictionary(
    _ key: String, skipsOtherKeys: Bool = false
  ) throws(ModelFileProblem) -> [(key: String, value: PropertyList)] {
    guard let dictionary = try collection(key, "a dictionary") else { return [] }
    let (keys, values) = try dictionary.columns(of: key)
    guard keys.count == values.count else { throw unexpected(key, "a value for each key") }
    var pairs: [(key: String, value: PropertyList)] = []
    for (name, value) in zip(keys, values) {
      if let name = try archive.text(name) {
        pairs.append((name, value))
      } else if !skipsOtherKeys {
        throw unexpected(key, "a text for each key")
      }
    }
    return pairs
  }

  private func columns(of key: String) throws(ModelFileProblem) -> (keys: [PropertyList], values: [PropertyList]) {
    guard let mapping = try object("searchMapping") else {
      return (try part("NS.keys", of: key), try part("NS.objects", of: key))
    }
    // Core Data keeps the entities of a model cache in a dictionary of its own kind, which may have empty places.
    let (keys, values) = (try mapping.list("keys"), try list("values"))
    guard keys.count == values.count, let empty = try text("emptyToken") else { return (keys, values) }
    var full: (keys: [PropertyList], values: [PropertyList]) = ([], [])
    for (name, value) in zip(keys, values) where try archive.text(value) != empty {
      full.keys.append(name)
      full.values.append(value)
    }
    return full
  }

  private func collection(_ key: String, _ expected: String) throws(ModelFileProblem) -> ArchivedObject? {
    guard try value(key) != nil else { return nil }
    guard let object = try archive.object(fields[key], subject: subject) else { throw unexpected(key, expected) }
    return object
  }

  /// The field of the owner says more to people than the part of a collection, so errors name that.
  private func part(_ part: String, of key: String) throws(ModelFileProblem) -> [PropertyList] {
    guard let list = try value(part)?.array else { throw unexpected(key, "a collection") }
    try archive.spend(list.count)
    return list
  }
}
