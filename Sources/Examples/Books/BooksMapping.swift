internal import DataModel
public import Migration
internal import Policies

/// The mapping models between the versions of the book library.
///
/// The order of their entity mappings is the order of the work.
public enum BooksMapping {
  /// From version 1 to 2: the policy of books makes the authors.
  public static var v1ToV2: MappingModel {
    let (v1, v2) = (BooksModel.v1, BooksModel.v2)
    return MappingModel(entityMappings: [
      .example(from: ("User", v1), to: ("User", v2), relationships: [.relationship("books", by: "BookToBook")]),
      .exampleAddition("Author", in: v2),
      books(v1, v2, modelVersion: "2", relationships: ["authors", "users"].map(unmapped)),
    ])
  }

  /// From version 2 to 3, in two passes: users first, because the policy of books looks for them.
  public static var v2ToV3: [MappingModel] { [v2ToV3User, v2ToV3Rest] }

  /// From version 2 to 3, the users only.
  public static var v2ToV3User: MappingModel {
    MappingModel(entityMappings: [
      .example(from: ("User", BooksModel.v2), to: ("User", BooksModel.v3), relationships: [unmapped("files")])
    ])
  }

  /// From version 2 to 3, all but the users: the policy of books makes the files.
  public static var v2ToV3Rest: MappingModel {
    let (v2, v3) = (BooksModel.v2, BooksModel.v3)
    return MappingModel(entityMappings: [
      .exampleAddition("File", in: v3),
      books(
        v2, v3, modelVersion: "3",
        relationships: [.relationship("authors", by: "AuthorToAuthor"), unmapped("files")]),
      .example(from: ("Author", v2), to: ("Author", v3), relationships: [.relationship("books", by: "BookToBook")]),
    ])
  }

  private static func books(
    _ source: ManagedObjectModel, _ destination: ManagedObjectModel, modelVersion: String,
    relationships: [PropertyMapping]
  ) -> EntityMapping {
    var mapping = EntityMapping.example(
      from: ("Book", source), to: ("Book", destination), policy: BookToBookMigrationPolicy.className,
      relationships: relationships)
    mapping.userInfo = ["modelVersion": modelVersion]
    return mapping
  }

  /// A relationship that the policy sets.
  private static func unmapped(_ name: String) -> PropertyMapping { PropertyMapping(name: name, valueExpression: nil) }
}
