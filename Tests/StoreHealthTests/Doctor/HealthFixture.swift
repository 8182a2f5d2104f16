import DataModel
import PersistentStore
import StoreHealth
import TestSupport

/// A store with every kind of property, which a test then damages.
final class HealthFixture {
  let folder: TemporaryFolder
  let path: String

  static let model = TrackModels.model([
    EntityDescription(
      "Album", attributes: [AttributeDescription("count", .integer64, derivationExpression: "media.@count")],
      relationships: [
        RelationshipDescription("media", to: "Media", inverse: "album", minCount: 0, maxCount: 3, isOrdered: true)
      ]),
    EntityDescription(
      "Cover", attributes: [AttributeDescription("name", .string, isOptional: false)],
      relationships: [one("media", "Media", "cover")]),
    EntityDescription(
      "Media", uniquenessConstraints: [["title"]],
      attributes: [
        AttributeDescription("code", .integer32, isOptional: false, defaultValue: .integer(7)),
        AttributeDescription("data", .binaryData, allowsExternalBinaryDataStorage: true),
        AttributeDescription("title", .string), AttributeDescription("when", .date),
      ],
      relationships: [
        one("album", "Album", "media"), one("cover", "Cover", "media"),
        RelationshipDescription("tags", to: "Tag", inverse: "media"),
      ], fetchIndexes: [FetchIndexDescription("byTitle", properties: ["title"])]),
    EntityDescription("Song", superentityName: "Media", attributes: [AttributeDescription("key", .string)]),
    EntityDescription(
      "Tag", attributes: [AttributeDescription("name", .string)],
      relationships: [RelationshipDescription("media", to: "Media", inverse: "tags")]),
    EntityDescription("Zone", isAbstract: true),
    EntityDescription(
      "Area", superentityName: "Zone",
      attributes: [AttributeDescription("size", .integer16, validation: AttributeValidation(maximum: .integer(10)))],
      relationships: [
        RelationshipDescription("owner", to: "Tag", maxCount: 1, isOptional: false),
        RelationshipDescription("next", to: "Area", inverse: "last", maxCount: 1),
        RelationshipDescription("last", to: "Area", inverse: "next", maxCount: 1),
      ]),
  ])

  private static func one(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDescription {
    RelationshipDescription(name, to: destination, inverse: inverse, maxCount: 1)
  }

  static let uuid = "0B5C4F0E-6E39-4C3B-9D5B-2A6F1C0E7D11"
  /// The file of the data of the medium 3.
  static let file = "7D2F6A34-1B7C-4C7E-8F6E-0A4C9B0D2E55"

  private static let rows = """
    INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT, ZCOUNT) VALUES (1, 1, 1, 2), (2, 1, 1, 1), (3, 1, 1, 0);
    INSERT INTO ZCOVER (Z_PK, Z_ENT, Z_OPT, ZMEDIA, Z3_MEDIA, ZNAME) VALUES
      (1, 2, 1, 1, 3, 'a'), (2, 2, 1, 4, 4, 'b'), (3, 2, 1, NULL, NULL, 'c');
    INSERT INTO ZMEDIA (Z_PK, Z_ENT, Z_OPT, ZCODE, ZALBUM, ZCOVER, Z_FOK_ALBUM, ZWHEN, ZTITLE, ZKEY, ZDATA) VALUES
      (1, 3, 1, 7, 1, 1, 2048, 100, 'one', NULL, x'0141'), (2, 3, 1, 7, 1, NULL, 3072, NULL, 'two', NULL, NULL),
      (3, 3, 1, 8, NULL, NULL, NULL, 1.5, NULL, NULL, CAST(x'02' || '\(file)' || x'00' AS BLOB)),
      (4, 4, 1, 9, 2, 2, 2048, NULL, 'four', 'k', NULL);
    INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 5, 1, 'x'), (2, 5, 1, 'y');
    INSERT INTO Z_3TAGS (Z_3MEDIA, Z_5TAGS) VALUES (1, 1), (1, 2), (4, 2);
    INSERT INTO ZZONE (Z_PK, Z_ENT, Z_OPT, ZSIZE, ZOWNER, ZNEXT, ZLAST) VALUES
      (1, 7, 1, 3, 1, 2, NULL), (2, 7, 1, 10, 2, NULL, 1);
    UPDATE Z_PRIMARYKEY SET Z_MAX = (CASE Z_NAME WHEN 'Album' THEN 3 WHEN 'Cover' THEN 3 WHEN 'Media' THEN 4
      WHEN 'Tag' THEN 2 WHEN 'Zone' THEN 2 ELSE 0 END);
    """

  /// The bytes of the store, which take a while to make.
  private static let healthy: [UInt8] = {
    do {
      let folder = try TemporaryFolder()
      let path = folder.file("Healthy.sqlite")
      let writer = try StoreWriter(path: path, schema: StoreSchema(model), layout: .coreData)
      try writer.finish(metadata: .new(for: model, uuid: uuid), modelCache: model.modelCache())
      try Database.run(rows, in: path)
      return try Files.bytes(path)
    } catch {
      preconditionFailure("the healthy store cannot be made: \(error)")
    }
  }()

  /// Makes the store, and changes it.
  init(_ changes: String = "") throws {
    folder = try TemporaryFolder(isInMemory: true)
    path = try folder.write(Self.healthy, to: "H.sqlite")
    _ = try folder.makeFolder(".H_SUPPORT/_EXTERNAL_DATA")
    try folder.write([1, 2, 3], to: ".H_SUPPORT/_EXTERNAL_DATA/\(Self.file)")
    if !changes.isEmpty { try Database.run(changes, in: path) }
  }

  /// The examination of the store, with its model named.
  var examination: StoreExamination {
    var examination = StoreExamination(path: path, candidates: [Self.candidate()])
    examination.isModelNamed = true
    return examination
  }

  static func candidate(isCurrent: Bool = true) -> CandidateModel {
    CandidateModel(name: "Health", model: model, isCurrent: isCurrent)
  }

  /// The store's instances and links.
  func contents() throws -> StoreContents { try StoreContents(path, Self.model) }

  /// Changes the bytes of a page.
  func change(page: Int, _ work: (inout ArraySlice<UInt8>) -> Void) throws {
    var bytes = try Files.bytes(path)
    var slice = bytes[(page - 1) * 4096..<page * 4096]
    work(&slice)
    bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: slice)
    try Files.write(bytes, to: path)
  }

  /// The page at the root of a table or index.
  func root(of name: String) throws -> Int {
    Int(try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'", in: path) ?? "") ?? 0
  }
}
