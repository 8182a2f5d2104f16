package import DataModel

/// The versions of the track library's data model.
public enum TrackModelVersion: String, Sendable, CaseIterable {
  /// `Track` with its `artistName` and the raw JSON of the server's response.
  case v1
  /// `Track` and `Artist` in a many-to-many relationship.
  case v2

  /// The version that libraries are migrated to.
  package static let current = v2

  /// The model of this version.
  package var model: ManagedObjectModel {
    switch self {
    case .v1: TrackModel.v1
    case .v2: TrackModel.v2
    }
  }

  /// The version whose model has these hashes, if there is one.
  package init?(versionHashes: [String: VersionHash]) {
    guard let version = Self.allCases.first(where: { $0.model.entityVersionHashesByName == versionHashes }) else {
      return nil
    }
    self = version
  }
}

/// The track library's models, identical to `SampleData/Tracks/Tracks.xcdatamodeld` for Xcode.
enum TrackModel {
  static let v1 = model([
    EntityDescription(
      "Track",
      attributes: [
        AttributeDescription("artistName", .string),
        AttributeDescription("imageURL", .string),
        AttributeDescription("json", .string),
        AttributeDescription("lastPlayedAt", .date),
        AttributeDescription("title", .string),
      ])
  ])

  /// The entity that the second version adds.
  static let artist = EntityDescription(
    "Artist",
    attributes: [
      AttributeDescription("id", .string),
      AttributeDescription("imageURL", .string),
      AttributeDescription("name", .string),
    ],
    relationships: [RelationshipDescription("tracks", to: "Track", inverse: "artists")])

  /// The relationship of `Track` that the second version adds.
  static let artists = RelationshipDescription("artists", to: "Artist", inverse: "tracks")

  static let v2 = model([
    artist,
    EntityDescription(
      "Track",
      attributes: [
        AttributeDescription("imageURL", .string),
        AttributeDescription("lastPlayedAt", .date),
        AttributeDescription("title", .string),
      ],
      relationships: [artists]),
  ])

  private static func model(_ entities: [EntityDescription]) -> ManagedObjectModel {
    do {
      return try ManagedObjectModel(entities: entities)
    } catch {
      // Our own models, checked by every test: this is not input.
      preconditionFailure("\(error)")
    }
  }
}

extension ManagedObjectModel {
  /// A copy of the model with other entities.
  func with(_ entities: [EntityDescription], configurations: [String: [String]]? = nil) throws(ModelError)
    -> ManagedObjectModel
  {
    var model = try ManagedObjectModel(
      entities: entities, versionIdentifiers: versionIdentifiers, configurations: configurations ?? self.configurations)
    model.fetchRequestTemplates = fetchRequestTemplates
    model.editorAttributes = editorAttributes
    return model
  }
}

extension EntityDescription {
  /// A copy of the entity with other properties of its own.
  func with(attributes: [AttributeDescription]? = nil, relationships: [RelationshipDescription]? = nil)
    -> EntityDescription
  {
    var entity = EntityDescription(
      name, isAbstract: isAbstract, superentityName: superentityName, managedObjectClassName: managedObjectClassName,
      renamingIdentifier: renamingIdentifier, versionHashModifier: versionHashModifier, userInfo: userInfo,
      uniquenessConstraints: uniquenessConstraints, attributes: attributes ?? ownDeclaredAttributes,
      relationships: relationships ?? ownRelationships, fetchedProperties: ownFetchedProperties,
      fetchIndexes: fetchIndexes)
    entity.editorAttributes = editorAttributes
    return entity
  }

  /// Whether the entity itself declares a property of this name.
  func declares(_ name: String) -> Bool {
    ownDeclaredAttributes.contains { $0.name == name } || ownRelationships.contains { $0.name == name }
      || ownFetchedProperties.contains { $0.name == name }
  }
}

extension Set<String> {
  /// Whether any of the key paths begins with one of these names.
  func begin(_ paths: [String]) -> Bool {
    paths.contains { path in contains(String(path.prefix { $0 != "." })) }
  }

  /// Whether a format contains one of these names, even in quotes: better one index too few than a broken one.
  func occur(in format: String?) -> Bool {
    format?.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains { contains(String($0)) } ?? false
  }
}

extension AttributeDescription {
  /// Whether the store derives the value from any of these properties.
  func isDerived(from names: Set<String>) -> Bool {
    names.occur(in: derivationExpression) || names.occur(in: derivationFilterPredicate)
  }
}

extension FetchIndexDescription {
  /// Whether the index involves any of these properties.
  func isAbout(_ names: Set<String>) -> Bool {
    names.occur(in: partialIndexPredicate)
      || elements.contains { element in
        switch element.subject {
        case .property(let path): names.begin([path])
        case .expression(let text): names.occur(in: text)
        case .instance, .entity: false
        }
      }
  }
}
