import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

@Suite("Derived attributes and indexes of a new store")
struct DerivedAttributeTests {
  private func count(_ expression: String) -> AttributeDescription {
    AttributeDescription("count", .integer64, derivationExpression: expression)
  }

  /// Pages belong to books, a novel is a book, and the book may be below something else.
  private func model(_ expression: String, parent: String? = nil) -> ManagedObjectModel {
    TrackModels.model(
      [
        EntityDescription(
          "Book's", superentityName: parent, attributes: [count(expression)],
          relationships: [many("pages", "Page", "book"), many("friends", "Book's", "friends")]),
        EntityDescription("Novel", superentityName: "Book's"),
        EntityDescription("Page", relationships: [one("book", "Book's", "pages")]),
      ] + (parent.map { [EntityDescription($0)] } ?? []))
  }

  /// Writes three books and four pages, and gives the path of the store.
  private func write(_ model: ManagedObjectModel, to folder: TemporaryFolder) throws -> String {
    let path = folder.file("New.sqlite")
    let writer = try StoreWriter(path: path, schema: StoreSchema(model), layout: .coreData)
    for (entity, key) in [("Book's", 2), ("Novel", 3), ("Novel", 4)] as [(String, Int64)] {
      try writer.inserter(forEntityNamed: entity, properties: []).insert(primaryKey: key, values: [])
    }
    for (page, book) in [(1, 2), (2, 3), (3, 3), (4, nil)] as [(Int64, Int64?)] {
      try writer.inserter(forEntityNamed: "Page", properties: ["book"]).insert(
        primaryKey: page, values: [book.map { .integer($0) } ?? .null])
    }
    if model.entity(named: "Base") != nil {
      try writer.inserter(forEntityNamed: "Base", properties: []).insert(primaryKey: 1, values: [])
    }
    try writer.finish(metadata: .new(for: model, uuid: "ID"))
    return path
  }

  @Test(arguments: ["count:(pages)", "pages.@count"])
  func `Counts are computed after all rows are written and then kept current by triggers`(expression: String) throws {
    let folder = try TemporaryFolder()
    let model = model(expression)
    let path = try write(model, to: folder)
    #expect(try Database.rows("SELECT ZCOUNT FROM \"ZBOOK'S\" ORDER BY Z_PK", in: path) == ["1", "2", "0"])
    #expect(
      try Database.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name", in: path) == [
        "Z_DA_ZBOOK'S_Book's_count_SOURCE_INSERT", "Z_DA_ZPAGE_Book's_count_PARAMETER_DELETE",
        "Z_DA_ZPAGE_Book's_count_PARAMETER_INSERT", "Z_DA_ZPAGE_Book's_count_PARAMETER_UPDATE_DECREMENT",
        "Z_DA_ZPAGE_Book's_count_PARAMETER_UPDATE_INCREMENT",
      ])
    #expect(StoreSchema(model).omissions.isEmpty)
    #expect(try Database.integrity(path) == ["ok"])
    // Writing here goes past the triggers, whose functions only Core Data has.
    try Database.run("INSERT INTO ZPAGE (Z_PK, ZBOOK) VALUES (9, 2)", in: path)
  }

  /// Core Data's functions are not SQLite's; in their place is one that takes any arguments.
  @Test(.enabled(if: Program.sqlite != nil, "needs sqlite3"), .timeLimit(.minutes(1)))
  func `Triggers keep the counts correct after every change of rows`() throws {
    let folder = try TemporaryFolder()
    let path = try write(model("pages.@count"), to: folder)
    let triggers = try Database.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'", in: path).map {
      $0.split(separator: "|", maxSplits: 1).map(String.init)
    }
    #expect(triggers.count == 5)
    for trigger in triggers {
      var statement = trigger[1]
      for function in ["UpdatedAffectedObjectValue", "InsertUpdatedAffectedObjectValue"] {
        statement.replace("NSCoreDataDATrigger\(function)(", with: "coalesce(")
      }
      #expect(statement != trigger[1])
      try Database.run("DROP TRIGGER \"\(trigger[0])\"; \(statement)", in: path)
    }
    let shell = try Companion(try #require(Program.sqlite), ["-batch", path])
    defer { shell.end() }
    func counts(after change: String) throws -> String {
      try shell.ask(
        "\(change); SELECT group_concat(ifnull(ZCOUNT, '-')) FROM (SELECT * FROM \"ZBOOK'S\" ORDER BY Z_PK);")
    }
    #expect(try counts(after: "SELECT 1 WHERE 0") == "1,2,0")
    #expect(try counts(after: "INSERT INTO ZPAGE (Z_PK, ZBOOK) VALUES (5, 4), (6, 4), (7, NULL)") == "1,2,2")
    #expect(try counts(after: "UPDATE ZPAGE SET ZBOOK = 2 WHERE Z_PK = 5") == "2,2,1")
    #expect(try counts(after: "UPDATE ZPAGE SET ZBOOK = NULL WHERE Z_PK = 2") == "2,1,1")
    #expect(try counts(after: "UPDATE ZPAGE SET ZBOOK = 3 WHERE Z_PK = 7") == "2,2,1")
    #expect(try counts(after: "DELETE FROM ZPAGE WHERE Z_PK IN (1, 2)") == "1,2,1")
    // Pages that were there before their book, and a book whose count is not known yet.
    #expect(try counts(after: "INSERT INTO ZPAGE (Z_PK, ZBOOK) VALUES (8, 9), (9, 9)") == "1,2,1")
    #expect(try counts(after: "INSERT INTO \"ZBOOK'S\" (Z_PK, Z_ENT, Z_OPT) VALUES (9, 1, 1)") == "1,2,1,2")
    #expect(try counts(after: "UPDATE \"ZBOOK'S\" SET ZCOUNT = NULL WHERE Z_PK = 9") == "1,2,1,-")
    #expect(try counts(after: "INSERT INTO ZPAGE (Z_PK, ZBOOK) VALUES (10, 9)") == "1,2,1,1")
  }

  /// Books have pages that do not know their book, so the pages' table has a hidden key.
  private func modelWithoutInverse(hasNovels: Bool) -> ManagedObjectModel {
    TrackModels.model(
      [
        EntityDescription(
          "Book", attributes: [count("pages.@count")], relationships: [RelationshipDescription("pages", to: "Page")]),
        EntityDescription("Page"),
      ] + (hasNovels ? [EntityDescription("Novel", superentityName: "Book")] : []))
  }

  @Test func `Counts over a relationship without an inverse use its hidden key`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("New.sqlite")
    let model = modelWithoutInverse(hasNovels: false)
    let writer = try StoreWriter(path: path, schema: StoreSchema(model), layout: .coreData)
    for key in [1, 2] as [Int64] {
      try writer.inserter(forEntityNamed: "Book", properties: []).insert(primaryKey: key, values: [])
    }
    for key in [1, 2, 3] as [Int64] {
      try writer.inserter(forEntityNamed: "Page", properties: []).insert(primaryKey: key, values: [])
    }
    try writer.connection.execute("UPDATE ZPAGE SET Z1PAGES = 2 WHERE Z_PK < 3")
    try writer.finish(metadata: .new(for: model, uuid: "ID"))
    #expect(try Database.rows("SELECT ZCOUNT FROM ZBOOK ORDER BY Z_PK", in: path) == ["0", "2"])
    #expect(StoreSchema(model).omissions.isEmpty)
    let source = try #require(StoreSchema(model).triggerStatements.last)
    #expect(source.contains("AFTER INSERT ON ZBOOK FOR EACH ROW BEGIN UPDATE"), "\(source)")
    #expect(source.contains("(SELECT IFNULL(COUNT(Z1PAGES), 0) FROM ZPAGE WHERE Z1PAGES = NEW.Z_PK)"))
  }

  @Test func `Triggers of a relationship without an inverse name the entities whose rows they change`() {
    let triggers = StoreSchema(modelWithoutInverse(hasNovels: true)).triggerStatements
    let range = "1 <= Z_ENT AND Z_ENT <= 2"
    #expect(triggers.count == 5)
    for trigger in triggers.dropLast() {
      #expect(trigger.components(separatedBy: "Z1PAGES AND \(range)").count == 3, "\(trigger)")
      #expect(trigger.contains(" WHEN (NEW.Z1PAGES NOT NULL)") || trigger.contains(" WHEN (OLD.Z1PAGES NOT NULL)"))
    }
    #expect(triggers[4].contains("FOR EACH ROW WHEN 1 <= NEW.Z_ENT AND NEW.Z_ENT <= 2 BEGIN"), "\(triggers[4])")
    #expect(!triggers[4].contains(range), "\(triggers[4])")
  }

  @Test func `Counts of a subentity cover only its own rows, and triggers are left out`() throws {
    let folder = try TemporaryFolder()
    let model = model("count:(pages)", parent: "Base")
    let path = try write(model, to: folder)
    #expect(try Database.rows("SELECT ZCOUNT FROM ZBASE ORDER BY Z_PK", in: path) == ["NULL", "1", "2", "0"])
    #expect(StoreSchema(model).triggerStatements.isEmpty)
    #expect(StoreSchema(model).omissions.map(\.kind) == [.derivedAttributeTriggers])
  }

  @Test(arguments: [
    "primary.title", "count:(friends)", "sum:(pages.number)", "canonical:(title)", "now()", "count:(no)",
  ])
  func `Other derived attributes are reported`(expression: String) {
    let schema = StoreSchema(model(expression))
    #expect(schema.triggerStatements.isEmpty)
    #expect(
      schema.omissions.map { "\($0.kind) \($0.entityName).\($0.name)" } == ["derivedAttributeTriggers Book's.count"])
  }

  @Test func `Indexes that are left out are reported`() {
    let element = FetchIndexElementDescription(property: "x")
    let schema = StoreSchema(
      TrackModels.model([
        EntityDescription(
          "E", attributes: text("x"),
          fetchIndexes: [
            FetchIndexDescription("fine", elements: [element, FetchIndexElementDescription(.instance)]),
            FetchIndexDescription(
              "place", elements: [FetchIndexElementDescription(property: "x", collationType: .rTree)]),
            FetchIndexDescription("some", elements: [element], partialIndexPredicate: "x != nil"),
            FetchIndexDescription("computed", elements: [FetchIndexElementDescription(.expression("lowercase:(x)"))]),
          ])
      ]))
    #expect(schema.omissions.map(\.name) == ["place", "some", "computed"])
    #expect(schema.omissions.map(\.kind) == [.spatialIndex, .partialIndex, .expressionIndex])
    #expect(schema.indexStatements.count == 1)
  }
}
