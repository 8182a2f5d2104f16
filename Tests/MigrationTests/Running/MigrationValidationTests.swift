import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

@Suite("Rows that break the rules of the new model")
struct MigrationValidationTests {
  private static func note(_ attributes: AttributeDescription...) -> [EntityDescription] {
    [EntityDescription("Note", attributes: attributes)]
  }

  private static func text(_ isOptional: Bool, maximum: Int64? = nil) -> AttributeDescription {
    AttributeDescription(
      "text", .string, isOptional: isOptional,
      validation: AttributeValidation(maximum: maximum.map { .integer($0) }))
  }

  private static let extra = AttributeDescription("extra", .string)
  private static let rows =
    "INSERT INTO ZNOTE (Z_PK, Z_ENT, ZTEXT) VALUES (3, 1, NULL), (5, 1, 'long'), (7, 1, NULL)"

  @Test func `A lightweight hop refuses and names rows that break a new rule`() throws {
    let store = try AppStore(
      [Self.note(Self.text(true)), Self.note(Self.text(true, maximum: 3), Self.extra)], Self.rows)
    let error = try store.refusal()
    #expect(error.code == .validationFailed)
    #expect(error.subject == MigrationError.Subject(path: store.path, entity: "Note", property: "text"))
    #expect(error.detail == "1 instance has too long a string (1660): row 5")
  }

  @Test func `A validation failure names its hop`() throws {
    let store = try AppStore(
      [Self.note(Self.text(true)), Self.note(Self.text(true), Self.extra), Self.note(Self.text(false), Self.extra)],
      Self.rows)
    let error = try store.refusal(store.stepwiseMigration)
    #expect(error.subject.path == store.path)
    #expect(
      error.detail == "2 instances have no value, which the model requires (1570): rows 3, 7 "
        + "(on the way from 'V2' to 'V3')")
  }

  @Test func `A lightweight hop counts rows that were invalid before, and a strict one refuses them`() throws {
    let store = try AppStore([Self.note(Self.text(false)), Self.note(Self.text(false), Self.extra)], Self.rows)
    var migration = store.migration
    migration.isStrict = true
    let error = try store.refusal(migration)
    #expect(error.code == .strictFindings)
    #expect(
      error.detail == "Note.text: 2 instances have no value, which the model requires (1570): rows 3, 7")
    let result = try store.result()
    #expect(result.steps.first?.statistics["validation.missing-value"] == 2)
    #expect(MigrationText().outcome(.migrated(result), of: "").contains("    broken rule, missing value: 2"))
    #expect(try store.rows("SELECT count(*) FROM ZNOTE WHERE ZTEXT IS NULL") == ["2"])
  }

  @Test func `A mapping model refuses invalid rows even if they were invalid before`() throws {
    var store = try AppStore([Self.note(Self.text(false)), Self.note(Self.text(false), Self.extra)], Self.rows)
    store.map(1, "Mapping", ["Note"])
    #expect(try store.refusal().code == .validationFailed)
  }

  /// What apps migrate without a mapping model: a new list that is required, as SwiftData writes `[Model] = []`, a truth
  /// value that becomes a number, and a list that becomes one destination.
  @Test func `Empty lists without a minimum and the last of several links are valid`() throws {
    func versions(_ type: AttributeType, _ maxCount: Int32, _ lists: RelationshipDescription...) -> [EntityDescription]
    {
      [
        EntityDescription(
          "A", attributes: [AttributeDescription("x", type)],
          relationships: [RelationshipDescription("bs", to: "B", inverse: "a", maxCount: maxCount)] + lists),
        EntityDescription("B", relationships: [RelationshipDescription("a", to: "A", inverse: "bs", maxCount: 1)]),
      ]
    }
    let list = RelationshipDescription("list", to: "B", isOptional: false)
    let store = try AppStore(
      [versions(.boolean, 0), versions(.integer64, 1, list)],
      """
      INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 1), (2, 1, 0), (3, 1, NULL);
      INSERT INTO ZB (Z_PK, Z_ENT, ZA) VALUES (1, 2, 1), (2, 2, 1), (3, 2, 2);
      """)
    let result = try store.result()
    #expect(result.steps.flatMap(\.remarks).count { $0.contains("its inverse 'bs' becomes to-one") } == 1)
    #expect(try store.rows("SELECT ZX, ZBS FROM ZA ORDER BY Z_PK") == ["1|2", "0|3", "NULL|NULL"])
    #expect(try store.rows("SELECT ZA FROM ZB ORDER BY Z_PK") == ["NULL", "1", "2"])
  }

  @Test func `Duplicates are refused where values become unique`() throws {
    let unique = EntityDescription("Note", uniquenessConstraints: [["text"]], attributes: [Self.text(true)])
    let store = try AppStore(
      [Self.note(Self.text(true)), [unique]],
      "INSERT INTO ZNOTE (Z_PK, Z_ENT, ZTEXT) VALUES (3, 1, 'same'), (5, 1, 'same')")
    let error = try store.refusal()
    #expect(error.code == .validationFailed)
    #expect(error.detail == "1 value occurs more than once (134111): rows 3, 5")
  }
}
