import DataModel
import Migration
import PersistentStore
import TestSupport

/// A store with links of all kinds, to whose entities attributes are added on two levels and in two steps.
struct ColumnFixture {
  static let copying = "adding columns to a copy of the store"
  static let refusing = "rewriting the store instead of adding columns to a copy, because "

  let store: AppStore

  /// - Parameter changes: Statements that change the store after its rows were written.
  init(
    _ changes: String = "", last: AttributeDescription = AttributeDescription("late", .date),
    text: AttributeDescription = AttributeDescription("text", .string), layout: FileLayout = .coreData
  ) throws {
    store = try AppStore(Self.versions(last, text), layout: layout)
    try Database.run(try Self.rows(store.versions[0].model) + changes, in: store.path)
  }

  private static func versions(_ last: AttributeDescription, _ text: AttributeDescription) -> [[EntityDescription]] {
    let rating = AttributeDescription("rating", .integer16)
    let byRating = FetchIndexDescription("byRating", properties: ["rating"])
    func version(
      _ note: [AttributeDescription], _ letter: [AttributeDescription], _ indexes: [FetchIndexDescription]
    ) -> [EntityDescription] {
      [
        EntityDescription(
          "Folder", attributes: [AttributeDescription("name", .string)],
          relationships: [RelationshipDescription("notes", to: "Note", inverse: "folder", isOrdered: true)]),
        EntityDescription("Letter", superentityName: "Note", attributes: letter),
        EntityDescription(
          "Note", attributes: note,
          relationships: [
            RelationshipDescription("folder", to: "Folder", inverse: "notes", maxCount: 1),
            RelationshipDescription("next", to: "Note", inverse: "previous", maxCount: 1),
            RelationshipDescription("previous", to: "Note", inverse: "next", maxCount: 1),
            RelationshipDescription("tags", to: "Tag", inverse: "notes", isOrdered: true),
          ], fetchIndexes: indexes),
        EntityDescription("Tag", relationships: [RelationshipDescription("notes", to: "Note", inverse: "tags")]),
      ]
    }
    let data = AttributeDescription("data", .binaryData)
    return [
      version([text], [data], []), version([text, rating], [data], [byRating]),
      version([text, rating, last], [data, AttributeDescription("price", .decimal)], [byRating]),
    ]
  }

  /// Two notes and a letter in a folder, one following another; keys were used up to 12.
  private static func rows(_ model: ManagedObjectModel) throws -> String {
    let schema = StoreSchema(model)
    func column(_ relationship: String, _ content: EntityTable.Column.Content) -> String {
      let columns = schema.table(forEntityNamed: "Note")?.columns ?? []
      return columns.first { $0.propertyName == relationship && $0.content == content }?.name ?? ""
    }
    let (note, letter) = (schema.entityNumber("Note"), schema.entityNumber("Letter"))
    guard let tags = schema.joinTables.first else { return "" }
    let order = tags.naming.orderColumn ?? tags.inverse.orderColumn ?? ""
    let (first, second) = (tags.keyColumns[0], tags.keyColumns[1])
    let (noteKeys, tagKeys) = tags.naming.entityName == "Note" ? (first, second) : (second, first)
    return """
      INSERT INTO ZFOLDER (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (5, \(schema.entityNumber("Folder")), 1, 'Ablage');
      INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) SELECT value, \(schema.entityNumber("Tag")), 1 FROM json_each('[1, 2, 3]');
      INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT, ZDATA, ZFOLDER, \(column("folder", .order)), ZNEXT, ZPREVIOUS,
        \(column("next", .destinationEntity)), \(column("previous", .destinationEntity)))
      VALUES (1, \(note), 4, 'zwölf "12" 😀', NULL, 5, 2048, 9, NULL, \(letter), NULL),
        (2, \(note), 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        (9, \(letter), 1, 'L', zeroblob(9000), 5, 1024, NULL, 1, NULL, \(note));
      INSERT INTO \(tags.name) (\(noteKeys), \(tagKeys), \(order)) VALUES (1, 1, 2048), (1, 3, 1024), (9, 3, 2048);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 12 WHERE Z_NAME = 'Note';

      """
  }

  /// The result of a migration.
  struct Output {
    let path: String
    let result: StoreMigration.Result
    let log: [String]

    /// How many hops were done by adding columns.
    var copyCount: Int { log.count { $0 == ColumnFixture.copying } }
    /// Why hops were not done so.
    var obstacles: [String] {
      log.filter { $0.hasPrefix(ColumnFixture.refusing) }.map { String($0.dropFirst(ColumnFixture.refusing.count)) }
    }
  }

  private final class Log { var lines: [String] = [] }

  /// Migrates the store to a new file, by adding columns where that can be, or without.
  func output(copies: Bool, _ name: String = "New.sqlite") throws -> Output {
    let path = store.folder.file("\(copies)-\(name)")
    return try output(copies: copies) { $0.outputPath = path }
  }

  func output(copies: Bool, _ change: (inout StoreMigration) -> Void) throws -> Output {
    var migration = store.stepwiseMigration
    migration.leastSizeOfCopies = copies ? 0 : .max
    let log = Log()
    migration.log = { log.lines.append($0) }
    change(&migration)
    return Output(
      path: migration.outputPath ?? migration.path, result: try store.result(migration), log: log.lines)
  }

  /// The contents of a result, in terms of the last model.
  func contents(_ output: Output) throws -> StoreContents { try StoreContents(output.path, store.versions[2].model) }
}
