/// The hashes of the properties of an entity that enter its version hash.
///
/// Each property is hashed once, where it is declared, and handed down: a relationship that is its own inverse is left
/// by its subentities as it is, since there it is still the same relationship of the same entity.
struct PropertyHashes {
  private var hashes: [String: [UInt8]] = [:]

  init() {}

  init(of entity: EntityDescription, inheriting inherited: PropertyHashes) {
    hashes = inherited.hashes
    for attribute in entity.ownAttributes { hashes[attribute.name] = attribute.isTransient ? nil : attribute.hash }
    for relationship in entity.ownRelationships {
      hashes[relationship.name] = relationship.isTransient ? nil : relationship.hash(declaredBy: entity.name)
    }
  }

  /// The hash of a property; `nil` for one that does not enter.
  subscript(name: String) -> [UInt8]? {
    get { hashes[name] }
    set { hashes[name] = newValue }
  }

  /// The hashes, sorted by the names of their properties.
  var sorted: [[UInt8]] {
    hashes.sorted { $0.key.precedesByBytes($1.key) }.map(\.value)
  }
}
