import DataModel
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

@testable import StoreHealth

/// A store with a value in every corner, and words that must not be in a redacted copy.
struct RedactionFixture {
  let folder: TemporaryFolder
  let path: String
  let copy: String

  static let model = TrackModels.model([
    EntityDescription(
      "Person", uniquenessConstraints: [["email"]],
      attributes: [
        AttributeDescription("name", .string), AttributeDescription("email", .string),
        AttributeDescription("born", .date), AttributeDescription("score", .double),
        AttributeDescription("level", .integer16, validation: .init(minimum: .integer(10), maximum: .integer(60))),
        AttributeDescription("ident", .uuid), AttributeDescription("site", .uri),
        AttributeDescription("photo", .binaryData, allowsExternalBinaryDataStorage: true),
        AttributeDescription("extra", .transformable), AttributeDescription("isActive", .boolean),
      ],
      relationships: [
        OwnModelLibrary.one("boss", "Person", "staff"), OwnModelLibrary.many("staff", "Person", "boss"),
        OwnModelLibrary.many("tags", "Tag", "people"),
      ]),
    EntityDescription(
      "Tag", attributes: [AttributeDescription("label", .string)],
      relationships: [OwnModelLibrary.many("people", "Person", "tags")]),
  ])

  private static let rows = [
    """
    INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZEMAIL, ZBORN, ZSCORE, ZLEVEL, ZISACTIVE, ZIDENT, ZSITE, ZBOSS, ZEXTRA)
    VALUES (1, 1, 3, 'Anna Katharina', 'anna@mueller.example', 600000000, 12.75, 42, 1,
      x'6ba7b8109dad11d180b400c04fd430c8', 'https://mueller.example/anna', NULL, CAST('bplist00 classified' AS BLOB)),
    (2, 1, 1, 'Bertram', 'bertram@mueller.example', 600086400.5, 0.5, 11, 0, NULL, NULL, 1, NULL),
    (3, 1, 1, 'anna katharina', NULL, NULL, NULL, 99, NULL, NULL, NULL, 77, NULL),
    (4, 1, 1, CAST(x'42f6726e737465696e' AS TEXT), 'x@y.example', '2020-01-31', 'text', 5, 2, NULL, 7, 'not a key', NULL)
    """,
    "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZLABEL) VALUES (1, 2, 1, 'confidential')",
    "INSERT INTO Z_1TAGS (Z_1PEOPLE, Z_2TAGS) VALUES (1, 1), (2, 1)",
  ]

  init(encoding: String = "UTF-8", modelCache: [UInt8]? = nil) throws {
    folder = try TemporaryFolder(isInMemory: true)
    (path, copy) = (folder.file("App.sqlite"), folder.file("Shown.sqlite"))
    try OwnModelLibrary("people", Self.model.entities, Self.rows).write(
      to: path, encoding: encoding, modelCache: modelCache)
  }

  /// Redacts the store with a known key.
  ///
  /// - Parameter candidates: The models to choose from; the store's own copy has no limits of values.
  func redact(keeping kept: [String] = [], candidates: [CandidateModel] = []) throws -> StoreRedaction.Result {
    var redaction = StoreRedaction(path: path, outputPath: copy)
    redaction.candidates = candidates
    redaction.key = RedactionKey(7, 8)
    redaction.kept = kept
    return try redaction.run()
  }

  /// Gives the store an external data file for the photo of a row.
  func addExternalFile(_ name: String, _ contents: [UInt8], row: Int64?) throws {
    _ = try folder.makeFolder(".App_SUPPORT/_EXTERNAL_DATA")
    try folder.write(contents, to: ".App_SUPPORT/_EXTERNAL_DATA/\(name)")
    guard let row else { return }
    let hex = ([2] + Array(name.utf8) + [0]).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try Database.run("UPDATE ZPERSON SET ZPHOTO = x'\(hex)' WHERE Z_PK = \(row)", in: path)
  }

  /// The values of a query in the store and in its copy.
  func values(_ sql: String) throws -> (original: [String], redacted: [String]) {
    (try Database.rows(sql, in: path), try Database.rows(sql, in: copy))
  }

  /// Whether a file has a word, in any case, in UTF-8 or UTF-16.
  static func contains(_ word: String, inFileAt path: String) throws -> Bool {
    let bytes = try Files.bytes(path).map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    let letters = Array(word.lowercased().utf8)
    return bytes.firstRange(of: letters) != nil || bytes.filter { $0 != 0 }.firstRange(of: letters) != nil
  }
}
