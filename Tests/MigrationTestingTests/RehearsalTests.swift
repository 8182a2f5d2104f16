import DataModel
import Foundation
import Migration
import MigrationDiagnostics
import MigrationTesting
import Policies
import TestSupport
import Testing

/// A rehearsal finds what would go wrong on people's devices; each of these goes wrong, and is mended.
@Suite("Rehearsed migrations", .serialized)
struct RehearsalTests {
  private let folder: TemporaryFolder
  private var model: String { folder.file("App.xcdatamodeld") }

  init() throws {
    folder = try TemporaryFolder()
    try version(
      1,
      "<attribute name=\"name\" attributeType=\"String\"/><attribute name=\"kind\" optional=\"YES\" attributeType=\"Integer 16\"/>"
    )
    try version(
      2,
      "<attribute name=\"name\" attributeType=\"String\"/><attribute name=\"kind\" optional=\"YES\" attributeType=\"Integer 16\"/><attribute name=\"note\" optional=\"YES\" attributeType=\"String\"/>"
    )
  }

  private func version(_ number: Int, _ attributes: String, current: Bool = true) throws {
    let path = "\(model)/App \(number).xcdatamodel"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Files.write(
      """
      <?xml version="1.0" encoding="UTF-8"?><model><entity name="Item">\(attributes)
      <relationship name="parent" optional="YES" maxCount="1" destinationEntity="Item" inverseName="children" inverseEntity="Item"/>
      <relationship name="children" optional="YES" toMany="YES" ordered="YES" destinationEntity="Item" inverseName="parent" inverseEntity="Item"/>
      <relationship name="friends" optional="YES" toMany="YES" destinationEntity="Item" inverseName="friends" inverseEntity="Item"/>
      </entity></model>
      """, to: "\(path)/contents")
    guard current else { return }
    try Files.write(
      "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>App \(number).xcdatamodel</string></dict></plist>",
      to: "\(model)/.xccurrentversion")
  }

  private func mapping(_ source: Int, _ destination: Int, _ attributes: String, filter: String? = nil) throws {
    let (old, new) = (try item(source), try item(destination))
    var mapping = EntityMapping.suggested(from: old, to: new)
    for index in mapping.attributeMappings.indices where mapping.attributeMappings[index].name == "name" {
      mapping.attributeMappings[index].valueExpression = try .init(format: attributes)
    }
    mapping.filterPredicate = try filter.map { try .init(format: $0) }
    let file = folder.file("\(source)to\(destination).xcmappingmodel")
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
    let bundle = try ModelBundle(path: model)
    let writer = MappingModelWriter(
      source: try bundle.version(named: "App \(source)").model(),
      destination: try bundle.version(named: "App \(destination)").model(),
      sourceModelPath: "App.xcdatamodeld/App \(source).xcdatamodel",
      destinationModelPath: "App.xcdatamodeld/App \(destination).xcdatamodel")
    try Files.write(try writer.xml(of: MappingModel(entityMappings: [mapping])), to: "\(file)/xcmapping.xml")
  }

  private func item(_ version: Int) throws -> EntityDescription {
    try #require(try ModelBundle(path: model).version(named: "App \(version)").model().entity(named: "Item"))
  }

  private func rehearse() throws -> [MigrationRehearsal.Result] {
    var rehearsal = MigrationRehearsal(tool: MigrationTool(modelPath: model))
    rehearsal.rowCount = 20
    return try rehearsal.run()
  }

  private func failures() throws -> [String] {
    try rehearse().flatMap { result in
      result.checks.compactMap { check in check.failure.map { "\(result.version), \(check.name): \($0)" } }
    }
  }

  @Test func `A change that can be inferred passes, with all rows and links`() throws {
    let results = try rehearse()
    #expect(results.count == 1 && results[0].isPassed, "\(results)")
    #expect(results[0].path == "App 1 → App 2" && results[0].counts == ["Item": [20, 20]])
    #expect(results[0].checks.map(\.name) == ["direct", "step by step", "same result"])
    #expect(try MigrationTool(modelPath: model).migrates(from: "App 1", rowCount: 5, seed: 3))
    #expect(results.junit.contains("tests=\"3\" failures=\"0\"") && results.markdown.contains("all 1 pass"))
  }

  @Test func `A rule that old values break fails validation, until the rule fits`() throws {
    try version(
      3,
      "<attribute name=\"name\" attributeType=\"String\"/><attribute name=\"kind\" attributeType=\"Integer 16\"/><attribute name=\"note\" optional=\"YES\" attributeType=\"String\"/>"
    )
    let failures = try failures()
    #expect(failures.count == 2 && failures[0].contains("Item, kind: 5 instances have no value"), "\(failures)")
    #expect(throws: RehearsalFailure.self) { try MigrationTool(modelPath: model).migrates(from: "App 1") }
    try version(
      3,
      "<attribute name=\"name\" attributeType=\"String\"/><attribute name=\"kind\" attributeType=\"Integer 16\" defaultValueString=\"0\"/><attribute name=\"note\" optional=\"YES\" attributeType=\"String\"/>"
    )
    #expect(try self.failures() == [])
  }

  @Test func `A filter that loses rows is found`() throws {
    try mapping(1, 2, "$source.name", filter: "kind > 0")
    let failures = try failures()
    #expect(failures.count == 2 || failures.count == 1, "\(failures)")
    #expect(failures[0].contains("left out"), "\(failures)")
    try FileManager.default.removeItem(atPath: folder.file("1to2.xcmappingmodel"))
    #expect(try self.failures() == [])
  }

  @Test func `A direct way that comes to another result than the versions in turn is found`() throws {
    try version(
      3,
      "<attribute name=\"name\" attributeType=\"String\"/><attribute name=\"kind\" optional=\"YES\" attributeType=\"Integer 16\"/><attribute name=\"date\" optional=\"YES\" attributeType=\"Date\"/>"
    )
    try mapping(1, 3, "uppercase:($source.name)")
    try mapping(2, 3, "$source.name")
    let failures = try failures()
    #expect(failures.count == 1 && failures[0].contains("App 1, same result: 'Item' differs"), "\(failures)")
    try mapping(2, 3, "uppercase:($source.name)")
    #expect(try self.failures() == [])
  }

  @Test func `A second renaming that names only the version in between loses values in one hop, and is found`() throws {
    let text = { (name: String, old: String?) in
      "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"\(old.map { " elementID=\"\($0)\"" } ?? "")/>"
    }
    try version(1, text("name", nil))
    try version(2, text("firstName", "name"))
    try version(3, text("givenName", "firstName"))
    let failures = try failures()
    #expect(failures.count == 1, "\(failures)")
    #expect(failures.first?.hasPrefix("App 1, direct: ") == true, "\(failures)")
    #expect(failures.first?.contains("loses 'Item.name', which becomes 'Item.givenName'") == true, "\(failures)")
    let checks = try rehearse()[0].checks
    #expect(checks.map(\.name) == ["direct", "planned", "step by step", "same result"])
    #expect(checks.dropFirst().allSatisfy { $0.failure == nil }, "the hops keep the values: \(checks)")
    // The oldest name is right for all versions.
    try version(3, text("givenName", "name"))
    #expect(try self.failures() == [])
  }

  @Test func `An attribute that is dropped with values fails, unless a loss is allowed`() throws {
    try version(2, "<attribute name=\"name\" attributeType=\"String\"/>")
    let failures = try failures()
    #expect(
      failures.count == 1 && failures[0].contains("rows have a value of 'Item.kind', which is removed"), "\(failures)")
    var rehearsal = MigrationRehearsal(tool: MigrationTool(modelPath: model))
    rehearsal.tool.settings.allowsLoss = true
    #expect(try rehearsal.run().allSatisfy(\.isPassed))
  }

  @Test func `An attribute whose values another one claims is found`() throws {
    try version(
      2,
      "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/><attribute name=\"title\" optional=\"YES\" attributeType=\"String\" elementID=\"name\"/><attribute name=\"kind\" optional=\"YES\" attributeType=\"Integer 16\"/>"
    )
    let failures = try failures()
    #expect(
      failures.count == 1 && failures[0].contains("20 rows have a value of 'Item.name', which begins empty"),
      "\(failures)")
  }

  /// Attributes of which the version hashes leave out the transformer.
  private func transformable(_ transformer: String? = nil) -> String {
    let name = transformer.map { " valueTransformerName=\"\($0)\"" } ?? ""
    return "<attribute name=\"body\" optional=\"YES\" attributeType=\"Transformable\"\(name)/>"
  }

  @Test func `A version that differs in nothing that its hashes have is current, and needs no migration`() throws {
    try version(1, transformable())
    try version(2, transformable("NSSecureUnarchiveFromData"))
    let results = try rehearse()
    #expect(results.map(\.isPassed) == [true] && results.map(\.isCurrent) == [true], "\(results)")
    #expect(results.map(\.counts) == [["Item": [20, 20]]] && results[0].checks.map(\.name) == ["current"])
    #expect(results[0].version == "App 1")
    #expect(
      results.text == """
        current App 1, which has the version hashes of App 2  (20 made rows of each entity, seed 1)
                Item 20 → 20
        1 store is current.
        """)
    #expect(results.markdown.contains("| App 1, which has the version hashes of App 2 | Item: 20 → 20 |"))
    #expect(results.junit.contains("name=\"current\"") && results.junit.contains("failures=\"0\""))
    #expect(try MigrationTool(modelPath: model).migrates(from: "App 1", rowCount: 5))
  }

  @Test func `Versions on the way with the same hashes are rehearsed under their own names`() throws {
    try version(1, transformable())
    try version(2, transformable("A"))
    try version(3, transformable("A") + "<attribute name=\"kind\" optional=\"YES\" attributeType=\"Integer 16\"/>")
    try version(4, transformable("B") + "<attribute name=\"kind\" optional=\"YES\" attributeType=\"Integer 16\"/>")
    var rehearsal = MigrationRehearsal(tool: MigrationTool(modelPath: model))
    rehearsal.rowCount = 5
    let store = folder.file("Shipped.sqlite")
    try StoreFixture(model: try ModelBundle(path: model).version(named: "App 4").model(), rowCount: 3).write(to: store)
    rehearsal.storePaths = [store]
    let results = try rehearsal.run()
    #expect(results.allSatisfy(\.isPassed) && results.map(\.isCurrent) == [false, false, true, true], "\(results)")
    #expect(results.map(\.version) == ["App 1", "App 2", "App 3", "App 4"])
    #expect(results.map(\.path).prefix(2) == ["App 1 → App 4", "App 2 → App 4"])
    #expect(results[2].path == "App 3, which has the version hashes of App 4" && results[3].path == "App 4")
    #expect(results[3].counts == ["Item": [3, 3]])
    #expect(results.text.hasSuffix("\n2 migrations passed, 2 stores are current."), "\(results.text)")
  }

  @Test func `Mapping models on the way are noted, since Core Data itself does not follow them`() throws {
    try version(
      3,
      "<attribute name=\"name\" attributeType=\"String\"/><attribute name=\"kind\" optional=\"YES\" attributeType=\"Integer 16\"/>"
    )
    try version(
      2,
      "<attribute name=\"name\" attributeType=\"String\"/><attribute name=\"kind\" optional=\"YES\" attributeType=\"Integer 16\"/><attribute name=\"note\" optional=\"YES\" attributeType=\"String\"/>",
      current: false)
    try version(
      4,
      "<attribute name=\"name\" attributeType=\"String\"/><attribute name=\"kind\" optional=\"YES\" attributeType=\"Integer 16\"/><attribute name=\"date\" optional=\"YES\" attributeType=\"Date\"/>"
    )
    try mapping(1, 2, "$source.name")
    try mapping(2, 4, "$source.name")
    let results = try rehearse()
    #expect(results[0].isPassed && results[0].notes.count == 1, "\(results)")
    #expect(results[0].notes[0].contains("bypasses the mapping models"), "\(results)")
    #expect(results.text.contains("note: Core Data") && results.markdown.contains("Core Data itself"))
    #expect(results.junit.contains("<system-out>Core Data itself"))
  }

  @Test func `Stores of shipped versions are tried and stay what they are`() throws {
    let store = folder.file("Shipped.sqlite")
    try StoreFixture(model: try ModelBundle(path: model).version(named: "App 1").model(), rowCount: 7).write(to: store)
    let before = try Files.bytes(store)
    var rehearsal = MigrationRehearsal(tool: MigrationTool(modelPath: model))
    rehearsal.storePaths = [store]
    let results = try rehearsal.run()
    #expect(
      results.map(\.store).last == store && results.last?.counts == ["Item": [7, 7]] && results.allSatisfy(\.isPassed))
    #expect(try Files.bytes(store) == before)
    #expect(throws: MigrationError.self) {
      try StoreFixture(model: try ModelBundle(path: model).version(named: "App 1").model()).write(to: store)
    }
    #expect(try Files.bytes(store) == before)
  }

  @Test func `A fixture has every corner, the same for the same seed`() throws {
    let model = try ModelBundle(path: model).version(named: "App 2").model()
    func rows(_ seed: UInt64) throws -> [String] {
      let path = folder.file("\(seed)-\(UUID().uuidString).sqlite")
      try StoreFixture(model: model, rowCount: 40, seed: seed).write(to: path)
      #expect(try Database.isWhole(path))
      return try Database.rows("SELECT ZNAME, ZKIND, ZNOTE, ZPARENT, Z_FOK_PARENT FROM ZITEM", in: path)
        + Database.rows("SELECT * FROM Z_1FRIENDS", in: path)
    }
    let first = try rows(1)
    #expect(try rows(1) == first && rows(2) != first)
    let path = folder.file("corners.sqlite")
    try StoreFixture(model: model, rowCount: 40).write(to: path)
    let facts = try Database.rows(
      """
      SELECT count(*), sum(ZNAME = ''), sum(ZKIND = 32767), sum(ZKIND = -32768), sum(ZKIND IS NULL) > 0, sum(ZNOTE IS NULL) > 0,
        max(length(ZNAME)) > 10000, count(ZPARENT) > 0, sum(ZPARENT IS NULL) > 0, count(Z_FOK_PARENT) > 0 FROM ZITEM
      """, in: path)
    #expect(facts == ["40|1|1|1|1|1|1|1|1|1"])
    #expect(try Database.rows("SELECT count(*) FROM Z_1FRIENDS", in: path) == ["40"])
  }
}
