import DataModel
import PersistentStore
import TestSupport
import Testing

@Suite("Entity numbers in a store")
struct EntityNumberTests {
  private static let model = TrackModels.model([
    EntityDescription("Car", relationships: [one("owner", "Person", "cars")]),
    EntityDescription("SportCar", superentityName: "Car"),
    EntityDescription("LuxuryCar", superentityName: "SportCar", renamingIdentifier: "ExpensiveCar"),
    EntityDescription("Person", relationships: [many("cars", "Car", "owner")]),
  ])

  private func numbers(_ changes: String) throws -> [String: Int] {
    let schema = try StoreFixture(Self.model, changes).schema()
    return Dictionary(uniqueKeysWithValues: schema.entityNames.map { ($0, schema.entityNumber($0)) })
  }

  private func fault(_ changes: String) throws -> String { try StoreFixture(Self.model, changes).fault() }

  private static let fresh = ["Car": 1, "SportCar": 2, "LuxuryCar": 3, "Person": 4]

  @Test func `Entity numbers are those of the store`() throws {
    let found = try numbers(
      """
      UPDATE Z_PRIMARYKEY SET Z_ENT = 100 - Z_ENT, Z_SUPER = iif(Z_SUPER, 100 - Z_SUPER, 0);
      """)
    #expect(found == ["Car": 99, "SportCar": 98, "LuxuryCar": 97, "Person": 96])
  }

  @Test func `Entity numbers order the names, but roots stay before their descendants`() throws {
    let store = try StoreFixture(
      Self.model, "UPDATE Z_PRIMARYKEY SET Z_ENT = 100 - Z_ENT, Z_SUPER = iif(Z_SUPER, 100 - Z_SUPER, 0)")
    let schema = try store.schema()
    #expect(schema.entityNames == ["Person", "LuxuryCar", "SportCar", "Car"])
    #expect(schema.tables.map(\.entityNames) == [["Car", "SportCar", "LuxuryCar"], ["Person"]])
  }

  @Test(arguments: [
    "UPDATE Z_PRIMARYKEY SET Z_NAME = 'ExpensiveCar' WHERE Z_ENT = 3",
    "UPDATE Z_PRIMARYKEY SET Z_NAME = 'FastCar' WHERE Z_ENT = 2",
    "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Old' || Z_NAME",
    "UPDATE Z_PRIMARYKEY SET Z_NAME = NULL WHERE Z_ENT = 4",
    // A renamed entity and a new one with its former name.
    "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Person' WHERE Z_ENT = 3",
    "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 7), (16002, 'TRANSACTION', 0, 7), (17001, 'Car', 0, 1)",
    // The table has one column more than the model requires, which does no harm.
    "ALTER TABLE Z_PRIMARYKEY ADD COLUMN ZEXTRA",
  ])
  func `Entity numbers are found under old names too`(changes: String) throws {
    #expect(try numbers(changes) == Self.fresh)
  }

  @Test func `Renamed entities are found by their old names wherever they are`() throws {
    let model = TrackModels.model([
      EntityDescription("Album", renamingIdentifier: "Record"), EntityDescription("Band", renamingIdentifier: "Group"),
      EntityDescription("Song"),
    ])
    let store = try StoreFixture(
      model,
      """
      CREATE TABLE other AS SELECT * FROM Z_PRIMARYKEY; DELETE FROM Z_PRIMARYKEY;
      INSERT INTO Z_PRIMARYKEY SELECT 3 - Z_ENT, iif(Z_ENT = 1, 'Record', 'Group'), 0, 0 FROM other WHERE Z_ENT < 3;
      INSERT INTO Z_PRIMARYKEY SELECT * FROM other WHERE Z_ENT = 3; DROP TABLE other
      """)
    let schema = try store.schema()
    #expect(["Album", "Band", "Song"].map { schema.entityNumber($0) } == [2, 1, 3])
  }

  @Test func `A missing entity number is reported with both sides named`() throws {
    #expect(
      try fault("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 4")
        == """
        it has no entity that could be the model's 'Person', its entities being: 'Car', 'SportCar', 'LuxuryCar'; or \
        this model is not its own
        """)
    #expect(try fault("DELETE FROM Z_PRIMARYKEY").contains("'Car', its entities being: none"))
  }

  @Test(arguments: [
    // Two unknown names where the model misses one.
    "UPDATE Z_PRIMARYKEY SET Z_NAME = 'X' WHERE Z_ENT = 2; INSERT INTO Z_PRIMARYKEY VALUES (9, 'Y', 1, 0)",
    // The unknown name is not in the place of the missing one.
    "UPDATE Z_PRIMARYKEY SET Z_NAME = 'X', Z_SUPER = 4 WHERE Z_ENT = 2",
    // With a name unknown, the others have to be where the model has them.
    "UPDATE Z_PRIMARYKEY SET Z_NAME = 'X' WHERE Z_ENT = 4; UPDATE Z_PRIMARYKEY SET Z_SUPER = 1 WHERE Z_ENT = 3",
    "UPDATE Z_PRIMARYKEY SET Z_ENT = -4 WHERE Z_ENT = 4",
  ])
  func `Entity numbers are not guessed`(changes: String) throws {
    #expect(try fault(changes).hasPrefix("it has no entity that could be the model's"))
  }

  @Test func `Entity numbers are never shared`() throws {
    let shared = """
      CREATE TABLE other AS SELECT * FROM Z_PRIMARYKEY; DROP TABLE Z_PRIMARYKEY;
      ALTER TABLE other RENAME TO Z_PRIMARYKEY; UPDATE Z_PRIMARYKEY SET Z_ENT = 1 WHERE Z_ENT = 4
      """
    #expect(try fault(shared).contains("'Car' and 'Person' have the same number 1"))
  }
}
