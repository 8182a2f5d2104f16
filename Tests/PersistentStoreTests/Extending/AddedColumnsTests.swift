import DataModel
import PersistentStore
import TestSupport
import Testing

@Suite("What a newer layout has besides")
struct AddedColumnsTests {
  /// A change of a model that is more than a column.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (inout Sketch) -> Void
  }

  /// The parts of a model.
  struct Sketch {
    var text = AttributeDescription("text", .string)
    var place = AttributeDescription("place", .string)
    var added: [AttributeDescription] = [AttributeDescription("rating", .integer16)]
    var notes = RelationshipDescription("notes", to: "Note", inverse: "folder", isOrdered: false)
    var folder = RelationshipDescription("folder", to: "Folder", inverse: "notes", maxCount: 1)
    var tags = RelationshipDescription("tags", to: "Tag", inverse: "notes")
    var links: [RelationshipDescription] = []
    var indexes: [FetchIndexDescription] = []
    var constraints: [[String]] = []
    var others: [EntityDescription] = []
    var isAbstract = false

    var schema: StoreSchema {
      let entities = [
        EntityDescription("Folder", relationships: [notes]),
        EntityDescription(
          "Note", isAbstract: isAbstract, uniquenessConstraints: constraints, attributes: [text, place] + added,
          relationships: [folder, tags] + links, fetchIndexes: indexes),
        EntityDescription("Letter", superentityName: "Note", attributes: [AttributeDescription("stamp", .date)]),
        EntityDescription("Tag", relationships: [RelationshipDescription("notes", to: "Note", inverse: "tags")]),
      ]
      return StoreSchema(TrackModels.model(entities + others))
    }
  }

  private static var old: Sketch {
    var sketch = Sketch()
    sketch.added = []
    sketch.indexes = [FetchIndexDescription("byPlace", properties: ["place"])]
    return sketch
  }

  private static var new: Sketch {
    var sketch = old
    sketch.added = Sketch().added
    return sketch
  }

  @Test func `Columns of many tables are added as SQLite adds them`() throws {
    var new = Self.new
    new.added.append(AttributeDescription("late", .date))
    new.others = [EntityDescription("Café", attributes: [AttributeDescription("a", .string)])]
    var old = Self.old
    old.others = [EntityDescription("Café")]
    let columns = try #require(AddedColumns(from: old.schema, to: new.schema))
    #expect(columns.additions.count == 3)
    let folder = try TemporaryFolder()
    let (path, other) = (folder.file("Copy.sqlite"), folder.file("Other.sqlite"))
    let writer = try StoreWriter(path: path, schema: old.schema, layout: .coreData)
    try writer.finish(metadata: .new(for: old.schema.model, uuid: "ID"))
    try Files.copy(path, to: other)
    for addition in columns.additions {
      try Database.run(
        "ALTER TABLE \(addition.table) ADD COLUMN \(addition.column.name) \(addition.column.sqlType)", in: other)
    }
    try StoreWriter(copyAt: path, adding: columns).connection.execute("COMMIT")
    for query in ["SELECT rowid, * FROM sqlite_schema", "PRAGMA schema_version", "PRAGMA integrity_check"] {
      #expect(try Database.rows(query, in: path) == Database.rows(query, in: other), "\(query)")
    }
  }

  @Test func `A layout may add columns and the indexes that they need`() throws {
    var new = Self.new
    new.indexes.append(FetchIndexDescription("byRating", properties: ["rating"]))
    new.added.append(AttributeDescription("shown", .string, isTransient: true))
    let columns = try #require(AddedColumns(from: Self.old.schema, to: new.schema))
    #expect(columns.additions.map { "\($0.table).\($0.column.name) \($0.column.sqlType)" } == ["ZNOTE.ZRATING INTEGER"])
    #expect(AddedColumns(from: Self.old.schema, to: Self.old.schema)?.additions == [])
  }

  @Test(arguments: [
    Change(testDescription: "a default value") { $0.added[0].defaultValue = .integer(1) },
    Change(testDescription: "a required attribute") { $0.added[0].isOptional = false },
    Change(testDescription: "a derived attribute") { $0.added[0].derivationExpression = "text" },
    Change(testDescription: "an attribute less") { $0.text = AttributeDescription("title", .string) },
    Change(testDescription: "another type") { $0.text.type = .uri },
    Change(testDescription: "a value that becomes required") { $0.text.isOptional = false },
    Change(testDescription: "a value that is not stored any more") { $0.text.isTransient = true },
    Change(testDescription: "a new rule") { $0.text.validation.maximum = .integer(3) },
    Change(testDescription: "an index less") { $0.indexes = [] },
    Change(testDescription: "a constraint") { $0.constraints = [["text"]] },
    Change(testDescription: "an abstract entity") { $0.isAbstract = true },
    Change(testDescription: "an entity more") { $0.others = [EntityDescription("Zebra")] },
    Change(testDescription: "an entity before") { $0.others = [EntityDescription("Ape")] },
    Change(testDescription: "a relationship") { $0.links = [RelationshipDescription("top", to: "Tag", maxCount: 1)] },
    Change(testDescription: "an order") { $0.notes.isOrdered = true },
    Change(testDescription: "a required link") { $0.folder.isOptional = false },
    Change(testDescription: "a least number of links") { $0.tags.minCount = 1 },
    Change(testDescription: "a greatest number of links") { $0.tags.maxCount = 5 },
    Change(testDescription: "values in files") { $0.text.allowsExternalBinaryDataStorage = true },
  ])
  func `A layout that needs more than new columns is not treated as added columns`(change: Change) {
    var new = Self.new
    change.make(&new)
    #expect(AddedColumns(from: Self.old.schema, to: new.schema) == nil)
  }

  @Test func `A layout is not treated as added columns where links might be repaired`() {
    var (old, new) = (Self.old, Self.new)
    for make: (inout Sketch) -> Void in [
      { $0.links = [RelationshipDescription("friends", to: "Note", inverse: "friends")] },
      { $0.links = [RelationshipDescription("hidden", to: "Tag", maxCount: 1, isTransient: true)] },
      { $0.added.append(AttributeDescription("sum", .string, derivationExpression: "text")) },
    ] {
      (old, new) = (Self.old, Self.new)
      make(&old)
      make(&new)
      #expect(AddedColumns(from: old.schema, to: new.schema) == nil)
    }
  }
}
