import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// A fresh store that a test then changes with plain SQL, as years of use change one.
final class StoreFixture {
  let folder: TemporaryFolder
  let path: String
  let model: ManagedObjectModel

  /// Writes a fresh store and changes it.
  init(_ model: ManagedObjectModel, layout: FileLayout = .coreData, _ changes: String...) throws {
    folder = try TemporaryFolder()
    path = folder.file("Old.sqlite")
    self.model = model
    let writer = try StoreWriter(path: path, schema: StoreSchema(model), layout: layout)
    try writer.finish(metadata: .new(for: model, uuid: "6D3A3F1E-0C55-4C6B-9F0E-1A2B3C4D5E6F"))
    for change in changes { try Database.run(change, in: path) }
  }

  convenience init(_ entities: [EntityDescription], _ changes: String...) throws {
    try self.init(TrackModels.model(entities))
    for change in changes { try Database.run(change, in: path) }
  }

  func reader() throws -> StoreReader { try StoreReader(path: path) }

  /// The layout that is found for the model, or for another.
  func schema(_ other: ManagedObjectModel? = nil) throws -> StoreSchema {
    try StoreSchema(other ?? model, introspecting: reader())
  }

  /// The error for a model that the store does not match.
  func fault(_ other: ManagedObjectModel? = nil) throws -> String {
    let error = #expect(throws: MigrationError.self) { try schema(other) }
    #expect(error?.code == .damaged)
    #expect(error?.subject.path == path)
    return error?.detail ?? ""
  }
}

/// The columns of an entity's properties by their names: `title ZTITLE`.
func columns(_ schema: StoreSchema, _ entity: String, _ properties: String...) -> [String] {
  properties.map { schema.column(forProperty: $0, ofEntityNamed: entity)?.name ?? "none" }
}

func text(_ names: String...) -> [AttributeDescription] { names.map { AttributeDescription($0, .string) } }

func one(_ name: String, _ destination: String, _ inverse: String? = nil) -> RelationshipDescription {
  RelationshipDescription(name, to: destination, inverse: inverse, maxCount: 1)
}

func many(
  _ name: String, _ destination: String, _ inverse: String? = nil, isOrdered: Bool = false
) -> RelationshipDescription {
  RelationshipDescription(name, to: destination, inverse: inverse, isOrdered: isOrdered)
}
