import CoreDataExpressions
import DataModel
import Migration
import PersistentStore
import TestSupport
import Testing

/// SQLite compares the bytes that a store keeps, which in UTF-16 have another order than the text.
struct WideTextTests {
  private static let model = TrackModels.model([
    EntityDescription("A", attributes: [AttributeDescription("x", .string)])
  ])

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    arguments: ["UTF-8", "UTF-16le", "UTF-16be"],
    [
      ("x < 'b'", ["Fire", "Firť"]), ("x >= 'b'", ["😀", "be", "ť"]), ("x BETWEEN {'b', 'ť'}", ["be", "ť"]),
      ("x BEGINSWITH 'Fire'", ["Fire"]), ("x BEGINSWITH 'b'", ["be"]), ("x ENDSWITH 'ť'", ["Firť", "ť"]),
      ("NOT x ENDSWITH 'ť'", ["Fire", "😀", "be"]), ("x CONTAINS 'ir'", ["Fire", "Firť"]),
    ] as [(String, [String])]
  )
  func `Text is compared as text in every store encoding`(
    encoding: String, example: (filter: String, texts: [String])
  ) throws {
    let layout = FileLayout(pageSize: 4096, autoVacuum: 2, encoding: encoding)
    let rows = ["Fire", "😀", "be", "Firť", "ť"].enumerated().map {
      "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX) VALUES (\($0 + 1), 1, 1, '\($1)')"
    }
    for perInstance in [false, true] {
      let (old, new) = (folder.file("Old.sqlite"), folder.file("New.sqlite"))
      try SampleStore.write(Self.model, rows, layout: layout, to: old)
      Files.remove(new)
      var mapping = EntityMapping.suggested(
        from: MigrationFixture.entity("A", in: Self.model), to: MigrationFixture.entity("A", in: Self.model))
      mapping.filterPredicate = try Predicate(format: example.filter)
      var options = MigrationManager.Options()
      options.migratesPerInstance = perInstance
      try SampleStore.migrate(
        old, Self.model, to: new, Self.model, MappingModel(entityMappings: [mapping]), options: options)
      #expect(try Database.rows("SELECT ZX FROM ZA ORDER BY Z_PK", in: new) == example.texts, "\(perInstance)")
    }
  }
}
