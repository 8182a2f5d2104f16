/// An entity that is altered to see which version hash comes out.
struct EntityTrial {
  var entity: EntityDescription
  var properties: PropertyHashes
  var superentityHash: VersionHash?

  var hash: VersionHash { entity.computeVersionHash(properties, superentityHash: superentityHash) }

  /// The same under another name, to which its relationships to itself lead too.
  func renamed(to name: String) -> EntityTrial {
    var renamed = self
    renamed.entity.name = name
    for var relationship in entity.ownRelationships where relationship.destinationEntityName == entity.name {
      relationship.destinationEntityName = name
      renamed.properties[relationship.name] = relationship.isTransient ? nil : relationship.hash(declaredBy: name)
    }
    return renamed
  }
}

/// A way in which the entity of a store may differ from that of the model.
struct HashCandidate {
  /// What it alters; two candidates for the same thing exclude each other.
  let slot: String
  /// Whether it is common enough to be tried together with others.
  let isLikely: Bool
  /// What leads from the store to the model.
  let changes: [ModelChange]
  let apply: (inout EntityTrial) -> Void
}
