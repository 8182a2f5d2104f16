import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

@Suite("Removed entities that still have rows")
struct RemovedEntityTests {
  let folder: TemporaryFolder
  let store: String
  let model: String

  /// Three versions of a model of notes, which become memos, which get a date.
  ///
  /// The newest version sorts first by name.
  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("App.sqlite")
    model = try folder.makeFolder("App.xcdatamodeld")
    let text = #"<attribute name="text" optional="YES" attributeType="String"/>"#
    let date = #"<attribute name="date" optional="YES" attributeType="Date" usesScalarValueType="NO"/>"#
    let tag = #"<entity name="Tag" representedClassName="Tag" syncable="YES"/>"#
    try write("App 1", #"<entity name="Memo" representedClassName="Memo" syncable="YES">\#(text)\#(date)</entity>"#)
    try write("App 2", #"<entity name="Note" representedClassName="Note" syncable="YES">\#(text)</entity>\#(tag)"#)
    try write("App 3", #"<entity name="Memo" representedClassName="Memo" syncable="YES">\#(text)</entity>\#(tag)"#)
    try folder.write(
      Array(
        #"<plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>App 1.xcdatamodel</string></dict></plist>"#
          .utf8), to: "App.xcdatamodeld/.xccurrentversion")
    let old = try ModelBundle(path: model).version(named: "App 2").model()
    try StoreWriter(path: store, schema: StoreSchema(old), layout: .coreData).finish(
      metadata: .new(for: old, uuid: "ID"))
    try Database.run(
      """
      INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT) SELECT value, 1, 1, 'n' || value FROM json_each('[1,2,3,4,5,6,7,8]')
      """, in: store)
  }

  private func write(_ version: String, _ entities: String) throws {
    _ = try folder.makeFolder("App.xcdatamodeld/\(version).xcdatamodel")
    let xml = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
      \(entities)</model>
      """
    try folder.write(Array(xml.utf8), to: "App.xcdatamodeld/\(version).xcdatamodel/contents")
  }

  /// Writes a mapping model between two versions, given as pairs of entities.
  private func mapping(_ source: String, _ destination: String, _ entities: [(String, String)]) throws -> String {
    let objects = entities.enumerated().map { place, names in
      """
      <object type="XDDEVENTITYMAPPING" id="e\(place)">
      <attribute name="sourcename" type="string">\(names.0)</attribute>
      <attribute name="destinationname" type="string">\(names.1)</attribute>
      <attribute name="mappingnumber" type="int16">\(place + 1)</attribute>
      <relationship name="mappingmodel" type="1/1" idrefs="m"></relationship></object>
      """
    }
    return try folder.mappingModel(
      "Maps/\(source).xcmappingmodel",
      xml: """
        <database><databaseInfo></databaseInfo>
        \(objects.joined())
        <object type="XDDEVMAPPINGMODEL" id="m">
        <attribute name="sourcemodelpath" type="string">App.xcdatamodeld/\(source).xcdatamodel</attribute>
        <attribute name="destinationmodelpath" type="string">App.xcdatamodeld/\(destination).xcdatamodel</attribute>
        <relationship name="entitymappings" type="0/0" idrefs="\(entities.indices.map { "e\($0)" }.joined(separator: " "))">
        </relationship></object></database>
        """)
  }

  private func run(_ arguments: String...) throws -> CommandResult {
    try CommandRunner([store, "--model", model] + arguments).run()
  }

  @Test func `A mapping model that leads on is used even if the wanted version sorts first`() throws {
    let mapping = try mapping("App 2", "App 3", [("Note", "Memo"), ("Tag", "Tag")])
    let plan = try run("--mapping", mapping, "--dry-run")
    #expect(
      plan.lines.filter { $0.hasPrefix("  1.") || $0.hasPrefix("  2.") } == [
        "  1. 'App 2' to 'App 3', by 'App 2.xcmappingmodel'", "  2. 'App 3' to 'App 1', by inference (lightweight)",
      ], "\(plan)")
    #expect(try run("--mapping", mapping).status == 0)
    #expect(try Database.value("SELECT count(*) FROM ZMEMO", in: store) == "8")
  }

  @Test func `A migration that would remove rows changes nothing and names the entities and the option`() throws {
    let before = try folder.snapshot()
    for more in [[], ["--no-backup"], ["--output", folder.file("New.sqlite")]] {
      let result = try CommandRunner([store, "--model", model] + more).run()
      #expect(result.status == 65)
      #expect(
        result.stderr
          == "tracks-migrate: error: '\(store)' was not migrated, because whole entities with rows would be dropped: "
          + "'Note' (8 rows), from 'App 2' to 'App 1'. Nothing was changed. Check the model, the version and the "
          + "mapping models (--model, --to, --mapping); to drop these rows, add --allow-loss.\n", "\(result)")
      #expect(try folder.snapshot() == before)
    }
  }

  @Test func `A dry run reports the rows that would be lost`() throws {
    let before = try folder.snapshot()
    let result = try run("--dry-run")
    #expect(result.status == 0)
    #expect(result.stdout.contains("     'Note': 8 rows would be lost (needs --allow-loss)\n"), "\(result)")
    #expect(try run("--dry-run", "--allow-loss").stdout.contains("     'Note': 8 rows would be lost\n"))
    #expect(!result.stdout.contains("'Tag': 0"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `Rows are removed and counted in the report when --allow-loss is given`() throws {
    let stats = folder.file("stats.json")
    let result = try run("--allow-loss", "--stats", stats)
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr.contains("    removed with the entity Note: 8\n"), "\(result)")
    let report = try Files.text(stats)
    #expect(report.contains(#""removed_instances_count_by_entity" : {"#) && report.contains(#""Note" : 8"#))
    #expect(try Database.value("SELECT count(*) FROM ZMEMO", in: store) == "0")
  }

  @Test func `A later hop is also stopped, even if a mapping model made the rows before`() throws {
    let mapping = try mapping("App 2", "App 3", [("Note", "Memo"), ("Note", "Tag")])
    let before = try folder.snapshot()
    let result = try run("--mapping", mapping)
    #expect(result.status == 65)
    #expect(result.stderr.contains("would be dropped: 'Tag' (8 rows), from 'App 3' to 'App 1'. Nothing"), "\(result)")
    #expect(try folder.snapshot() == before)
    #expect(try run("--mapping", mapping, "--allow-loss").status == 0)
    #expect(try Database.value("SELECT count(*) FROM ZMEMO", in: store) == "8")
  }

  @Test func `An entity without an entity mapping counts as removed`() throws {
    let mapping = try mapping("App 2", "App 1", [("Tag", "Memo")])
    let result = try run("--mapping", mapping)
    #expect(result.status == 65)
    #expect(result.stderr.contains("would be dropped: 'Note' (8 rows), from 'App 2' to 'App 1'."), "\(result)")
  }

  @Test func `An entity without rows is removed without any option`() throws {
    try Database.run("DELETE FROM ZNOTE", in: store)
    #expect(try run("--dry-run").stdout.contains("would be lost") == false)
    #expect(try run().status == 0)
  }

  @Test func `A model of another app removes nothing`() throws {
    let store = try SampleStore("Notes", version: 2)
    try store.migrate("--to", "Notes 3", "--no-backup")
    let other = try folder.makeFolder("Other")
    let wrong = other + "/Other.xcdatamodel"
    try FileManager.default.createDirectory(atPath: wrong, withIntermediateDirectories: true)
    try Files.write(try Files.text(model + "/App 2.xcdatamodel/contents"), to: wrong + "/contents")
    let before = try store.folder.snapshot()
    let result = try tracksMigrate(store.path, "--model", wrong)
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("would be dropped: 'Attachment' (49 rows), from 'own model'"), "\(result)")
    #expect(try store.folder.snapshot() == before)
  }
}
