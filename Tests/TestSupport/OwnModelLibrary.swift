public import DataModel
internal import PersistentStore
internal import SQLiteDatabase

/// A track library whose model is its own, with what it has beyond ours.
public struct OwnModelLibrary: Sendable, CustomStringConvertible {
  /// What is special about it.
  public let description: String
  /// The model.
  public var model: ManagedObjectModel
  /// The statements that fill it, which are for the layout of a fresh store.
  public let rows: [String]
  /// Which artists each track has in the end: `title|first, second`, by title.
  public let artists: [String]

  /// Describes a library.
  public init(_ description: String, _ entities: [EntityDescription], _ rows: [String], artists: [String] = []) {
    self.description = description
    model = TrackModels.model(entities)
    self.rows = rows
    self.artists = artists
  }

  /// Writes the library.
  ///
  /// - Parameter modelCache: What the store keeps as its own model; by default that model.
  public func write(to path: String, encoding: String = "UTF-8", modelCache: [UInt8]? = nil) throws {
    let layout = FileLayout(pageSize: 4096, autoVacuum: 2, encoding: encoding)
    let writer = try StoreWriter(path: path, schema: StoreSchema(model), layout: layout)
    for row in rows { try writer.connection.execute(row) }
    try writer.finish(
      metadata: .new(for: model, uuid: "6D3A3F1E-0C55-4C6B-9F0E-1A2B3C4D5E6F"),
      modelCache: modelCache ?? model.modelCache())
  }

  /// A document that names artists.
  public static func json(_ names: String...) -> String {
    let artists = names.map { "{\"id\":\"id-\($0)\",\"name\":\"\($0)\",\"imageURL\":\"https://i.example/\($0)\"}" }
    return "'{\"artists\":[\(artists.joined(separator: ","))]}'"
  }

  /// An attribute of text.
  public static func text(_ name: String, isOptional: Bool = true) -> AttributeDescription {
    AttributeDescription(name, .string, isOptional: isOptional)
  }

  /// A to-one relationship.
  public static func one(_ name: String, _ destination: String, _ inverse: String?) -> RelationshipDescription {
    RelationshipDescription(name, to: destination, inverse: inverse, maxCount: 1)
  }

  /// A to-many relationship.
  public static func many(
    _ name: String, _ destination: String, _ inverse: String?, isOrdered: Bool = false
  ) -> RelationshipDescription {
    RelationshipDescription(name, to: destination, inverse: inverse, isOrdered: isOrdered)
  }
}
