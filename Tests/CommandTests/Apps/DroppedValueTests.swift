import DataModel
import Foundation
import TestSupport
import Testing

@Suite("Attributes whose values an inferred hop drops")
struct DroppedValueTests {
  private let folder: TemporaryFolder
  private let store: String
  private let model: String

  /// The attribute `note` is gone in the second version, and `x` begins empty, because `y` claims its values.
  init() throws {
    folder = try TemporaryFolder()
    let text = { (name: String, old: String?) in
      "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"\(old.map { " elementID=\"\($0)\"" } ?? "")/>"
    }
    model = try folder.writeAppModel(
      entity: "Item", versions: [text("note", nil) + text("x", nil), text("x", nil) + text("y", "x")])
    store = folder.file("App.sqlite")
    _ = try CommandRunner(["fixture", "new", "--model", "\(model):App", "--rows", "6", store]).run()
    try Database.run(
      "UPDATE ZITEM SET ZNOTE = CASE WHEN Z_PK < 4 THEN 'n' END, ZX = CASE WHEN Z_PK < 3 THEN 'x' END", in: store)
  }

  private func migrate(_ options: String...) throws -> CommandResult {
    try CommandRunner([store, "--model", model] + options, folder: folder.path).run()
  }

  @Test func `The number of rows is in a warning, in the plan and in the statistics`() throws {
    let plan = try migrate("--dry-run")
    #expect(plan.stdout.contains("warning: 3 rows have a value of 'Item.note', which is removed"), "\(plan)")
    #expect(plan.stdout.contains("warning: 2 rows have a value of 'Item.x', which begins empty"), "\(plan)")
    let result = try migrate("--stats", folder.file("stats.json"))
    #expect(result.status == 0, "\(result)")
    #expect(
      result.stderr.contains("warning: 3 rows have a value of 'Item.note', which is removed from 'App' to 'App 2'"))
    #expect(result.stderr.contains("warning: 2 rows have a value of 'Item.x'") && result.stderr.contains("go to 'y'"))
    let json = try JSONSerialization.jsonObject(with: Data(Files.bytes(folder.file("stats.json")))) as? [String: Any]
    let hop = try #require((json?["hops"] as? [[String: Any]])?.first)
    #expect(hop["dropped_values_count_by_attribute"] as? [String: Int] == ["Item.note": 3, "Item.x": 2])
    #expect(try Database.rows("SELECT count(ZX), count(ZY) FROM ZITEM", in: store) == ["0|2"])
  }

  @Test func `A strict migration is refused, and changes nothing`() throws {
    let before = try Files.bytes(store)
    let result = try migrate("--strict")
    #expect(result.status == 65 && result.stderr.contains("3 rows have a value of 'Item.note'"), "\(result)")
    #expect(try Files.bytes(store) == before)
    try Database.run("UPDATE ZITEM SET ZNOTE = NULL, ZX = NULL", in: store)
    #expect(try migrate("--strict").status == 0)
  }

  @Test func `A strict migration is refused for values that another attribute claims`() throws {
    let text = { (name: String, old: String?) in
      "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"\(old.map { " elementID=\"\($0)\"" } ?? "")/>"
    }
    _ = try folder.writeAppModel(
      entity: "Item",
      versions: [text("note", nil) + text("x", nil), text("note", nil) + text("x", nil) + text("y", "x")])
    let before = try Files.bytes(store)
    let result = try migrate("--strict")
    #expect(result.status == 65 && result.stderr.contains("2 rows have a value of 'Item.x'"), "\(result)")
    #expect(try Files.bytes(store) == before)
    try Database.run("UPDATE ZITEM SET ZX = NULL", in: store)
    #expect(try migrate("--strict").status == 0)
  }

  @Test func `Attributes without values are dropped without a word`() throws {
    try Database.run("UPDATE ZITEM SET ZNOTE = NULL, ZX = NULL", in: store)
    let result = try migrate("--stats", folder.file("stats.json"))
    #expect(result.status == 0 && !result.stderr.contains("have a value"), "\(result)")
    #expect(try !Files.text(folder.file("stats.json")).contains("dropped_values"))
  }

  @Test func `A batch has the warning in its results`() throws {
    let result = try CommandRunner(
      ["batch", store, "--model", model, "--results", folder.file("results.ndjson")], folder: folder.path
    ).run()
    #expect(result.status == 0, "\(result)")
    #expect(try Files.text(folder.file("results.ndjson")).contains("3 rows have a value of 'Item.note'"))
  }

  @Test func `A mapping model elsewhere in the project is used, and named with its path`() throws {
    try Files.write("", to: folder.file("Package.swift"))
    _ = try folder.mappingModel(
      "Maps/M.xcmappingmodel", entities: ["Item"], from: "App", to: "App 2", of: "App")
    let result = try migrate("--dry-run")
    #expect(result.stdout.contains("by '\(folder.file("Maps/M.xcmappingmodel"))'"), "\(result)")
  }
}
