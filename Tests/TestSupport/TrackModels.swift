public import DataModel

/// The track library's models, written down once more, so that tests do not lean on what they test.
public enum TrackModels {
  /// `Track` alone.
  public static let v1 = model([
    EntityDescription("Track", attributes: strings("artistName", "imageURL", "json", "title") + [played])
  ])

  /// `Track` and `Artist`.
  public static let v2 = model([
    EntityDescription(
      "Artist", attributes: strings("id", "imageURL", "name"),
      relationships: [RelationshipDescription("tracks", to: "Track", inverse: "artists")]),
    EntityDescription(
      "Track", attributes: strings("imageURL", "title") + [played],
      relationships: [RelationshipDescription("artists", to: "Artist", inverse: "tracks")]),
  ])

  /// A model that a test knows to be right.
  public static func model(_ entities: [EntityDescription]) -> ManagedObjectModel {
    do {
      return try ManagedObjectModel(entities: entities)
    } catch {
      preconditionFailure("a test's model is wrong: \(error)")
    }
  }

  private static let played = AttributeDescription("lastPlayedAt", .date)

  private static func strings(_ names: String...) -> [AttributeDescription] {
    names.map { AttributeDescription($0, .string) }
  }
}
