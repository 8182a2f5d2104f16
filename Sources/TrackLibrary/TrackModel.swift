public import DataModel

/// The versions of the track library's data model.
public enum TrackModelVersion: String, Sendable, CaseIterable {
  /// `Track` with its `artistName` and the raw JSON of the server's answer.
  case v1
  /// `Track` and `Artist` in a many-to-many relationship.
  case v2

  /// The version that libraries are migrated to.
  public static let current = v2

  /// The model of this version.
  public var model: ManagedObjectModel {
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

/// The track library's models, as `SampleData/Tracks/Tracks.xcdatamodeld` has them for Xcode.
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
      // Our own models, checked by every test: this is no input.
      preconditionFailure("\(error)")
    }
  }
}
