import CoreDataExpressions
import Foundation
import TestSupport
import Testing

/// Stores as SwiftData writes them: an enumeration and a struct are composite attributes there.
@Suite("Stores with composite attributes")
struct CompositeStoreTests {
  private let folder: TemporaryFolder
  private let model: String
  private let store: String

  private static let optional = #"optional="YES" attributeType="#
  private static let position = """
    <attribute name="x" \(optional)"Double"/><attribute name="y" \(optional)"Double"/>
    <attribute name="label" \(optional)"String"/>
    """
  private static func version(_ attributes: String, _ composites: String) -> String {
    """
    <entity name="Trip"><attribute name="name" optional="YES" attributeType="String"/>\(attributes)
    <relationship name="stops" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Trip" inverseName="trip"
     inverseEntity="Trip"/>
    <relationship name="trip" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Trip"
     inverseName="stops" inverseEntity="Trip"/></entity>\(composites)
    """
  }
  private static func composite(_ name: String, _ definition: String, id: String = "") -> String {
    #"<attribute name="\#(name)" optional="YES" attributeType="Composite" composite="\#(definition)"\#(id)/>"#
  }

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("App.sqlite")
    let kind = #"<composite name="Kind"><attribute name="kind" \#(Self.optional)"String"/></composite>"#
    model = try folder.models(
      "M.xcdatamodeld",
      [
        "v1": Self.version(
          Self.composite("kind", "Kind") + Self.composite("pos", "Position"),
          kind + "<composite name=\"Position\">\(Self.position)</composite>"),
        "v2": Self.version(
          Self.composite("kind", "Kind") + Self.composite("place", "Position", id: #" elementID="pos""#),
          kind
            + "<composite name=\"Position\">\(Self.position)<attribute name=\"z\" \(Self.optional)\"Integer 32\"/></composite>"
        ),
      ], current: "v2")
    try successfully("fixture", "new", "--rows", "3", "--model", "\(model):v1", store)
    try Database.run(
      """
      UPDATE ZTRIP SET ZNAME = 'n' || Z_PK, ZKIND = iif(Z_PK = 2, 'walk', NULL), ZX = iif(Z_PK = 3, NULL, Z_PK * 1.5),
      ZY = NULL, ZLABEL = iif(Z_PK = 1, 'home', NULL), ZTRIP = iif(Z_PK = 1, NULL, 1)
      """, in: store)
  }

  @Test func `Elements have columns named after them, in the order in which they were declared`() throws {
    #expect(
      try Database.value("SELECT sql FROM sqlite_schema WHERE name = 'ZTRIP'", in: store)
        == "CREATE TABLE ZTRIP ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTRIP INTEGER, ZX FLOAT, "
        + "ZY FLOAT, ZKIND VARCHAR, ZNAME VARCHAR, ZLABEL VARCHAR )")
  }

  @Test func `The store's own model is shown with its composites and their elements`() throws {
    let model = try successfully("models", "show", store, "--format", "json").json()
    let entity = try #require((model["entities"] as? [[String: Any]])?.first)
    let attributes = try #require(entity["attributes"] as? [[String: Any]])
    #expect(attributes.compactMap { $0["name"] as? String } == ["kind", "name", "pos"])
    #expect(attributes[2]["type"] as? String == "Composite")
    #expect(
      (attributes[2]["elements"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["x", "y", "label"])
    let text = try successfully("models", "show", store).stdout
    #expect(text.contains("pos.label  element       String"), "\(text)")
    let hashes = try successfully("models", "hash", store, "--format", "csv").stdout
    #expect(hashes.split(separator: "\n").dropFirst().allSatisfy { $0.contains(",equal") }, "\(hashes)")
  }

  @Test(arguments: [
    ("pos.x > 2", "2"), ("pos == nil", "3"), ("pos != nil AND pos.label == nil", "2"), ("kind.kind == 'walk'", "2"),
    ("ANY stops.pos.x == 3", "1"), ("trip.pos.label BEGINSWITH 'h'", "2 3"), ("stops.@max.pos.x == 3", "1"),
    ("SUBQUERY(stops, $s, $s.kind.kind == 'walk' AND $s.pos.x > 1).@count == 1", "1"), ("pos.label.length == 4", "1"),
    ("trip.pos == nil", "1"),
  ])
  func `Conditions lead into composites, in SQL and on objects`(condition: String, keys: String) throws {
    let rows = try successfully("query", store, "Trip", "--where", condition, "--fields", "key", "--format", "csv")
      .stdout
    #expect(rows.split(whereSeparator: \.isNewline).dropFirst().joined(separator: " ") == keys)
  }

  @Test func `An element that a composite does not have is an error and not nil`() throws {
    for condition in ["pos.nope == nil", "trip.pos.nope == 1 OR name != nil", "po.x == 1"] {
      let result = try CommandRunner(["query", store, "Trip", "--where", condition]).run()
      #expect(result.status != 0 && result.stdout.isEmpty && result.stderr.contains("has no attribute"), "\(result)")
    }
  }

  @Test func `Rows are exported, sorted and compared by their elements`() throws {
    let rows = try successfully("export", store, "--entity", "Trip", "--format", "ndjson").stdout
    #expect(
      rows.split(separator: "\n").first?.contains(#""pos.x":1.5,"pos.y":null,"pos.label":"home""#) == true, "\(rows)")
    let sorted = try successfully(
      "query", store, "Trip", "--sort=-pos.x", "--fields", "key,pos.x", "--format", "csv"
    ).stdout
    #expect(sorted.split(whereSeparator: \.isNewline).map(String.init) == ["key,pos.x", "2,3.0", "1,1.5", "3,"])
    let copy = folder.file("Copy.sqlite")
    try FileManager.default.copyItem(atPath: store, toPath: copy)
    try Database.run("UPDATE ZTRIP SET ZLABEL = 'away' WHERE Z_PK = 1", in: copy)
    let difference = try CommandRunner(["diff", store, copy, "--format", "csv"]).run()
    #expect(difference.status == 3 && difference.stdout.contains("pos.label"), "\(difference)")
  }

  @Test func `A lightweight migration keeps the values of a renamed composite and adds an element`() throws {
    try successfully(store, "--model", model, "--verify", "--strict")
    #expect(
      try Database.rows("SELECT Z_PK, ZKIND, ZX, ZY, ZLABEL, ZZ FROM ZTRIP ORDER BY 1", in: store)
        == ["1|NULL|1.5|NULL|home|NULL", "2|walk|3.0|NULL|NULL|NULL", "3|NULL|NULL|NULL|NULL|NULL"])
    let found = try successfully("query", store, "Trip", "--where", "place.x > 2", "--fields", "key", "--format", "csv")
    #expect(found.stdout.split(whereSeparator: \.isNewline).last == "2")
    try successfully("verify", store, "--model", model, "--source", store + ".v1-backup")
  }

  /// A mapping model with an expression for the whole composite and for single elements.
  private func mapping(_ attributes: [(String, CoreDataExpressions.Expression?)]) throws -> String {
    var entity = MappingXML.Entity("e", from: "Trip", to: "Trip").attribute("name").relationship("stops")
      .relationship("trip")
    for (name, expression) in attributes {
      guard let expression else {
        entity = entity.attribute(name)
        continue
      }
      entity = entity.attribute(name, ("valueexpressiondata", "binary", try MappingXML.archive(expression)))
    }
    var xml = MappingXML(entity)
    xml.sourcePath = "M.xcdatamodeld/v1.xcdatamodel"
    xml.destinationPath = "M.xcdatamodeld/v2.xcdatamodel"
    return try folder.mappingModel("Trip.xcmappingmodel", xml: xml.text)
  }

  @Test(arguments: [nil, "$source.pos"])
  func `A mapping of a whole composite carries over its elements with statements`(text: String?) throws {
    let expression = try text.map { try CoreDataExpressions.Expression(format: $0) }
    let mapping = try mapping([("kind", nil), ("place", expression)])
    let result = try successfully(store, "--model", model, "--mapping", mapping, "--no-infer", "--verify", "--verbose")
    #expect(result.stderr.contains("with statements on whole tables"), "\(result.stderr)")
    #expect(
      try Database.rows("SELECT Z_PK, ZKIND, ZX, ZLABEL, ZZ FROM ZTRIP ORDER BY 1", in: store)
        == ["1|NULL|1.5|home|NULL", "2|walk|3.0|NULL|NULL", "3|NULL|NULL|NULL|NULL"])
  }

  @Test func `Elements are mapped one by one, from elements and with conversions`() throws {
    let mapping = try mapping([
      ("kind", .constant(.null)), ("place.x", CoreDataExpressions.Expression(format: "$source.pos.x * 2")),
      ("place.label", CoreDataExpressions.Expression(format: "FUNCTION($source.pos.x, 'stringValue')")),
      ("place.z", CoreDataExpressions.Expression(format: "$source.pos.label.length")),
    ])
    try successfully(store, "--model", model, "--mapping", mapping, "--no-infer", "--verify")
    #expect(
      try Database.rows("SELECT Z_PK, ZKIND, ZX, ZY, ZLABEL, ZZ FROM ZTRIP ORDER BY 1", in: store)
        == ["1|NULL|3.0|NULL|1.5|4", "2|NULL|6.0|NULL|3|NULL", "3|NULL|NULL|NULL|NULL|NULL"])
  }

  @Test func `A mapping that asks a composite for an element that it does not have is refused before any work`() throws
  {
    let mapping = try mapping([("place.x", CoreDataExpressions.Expression(format: "$source.pos.nope + 1"))])
    let before = try Files.bytes(store)
    let result = try CommandRunner([store, "--model", model, "--mapping", mapping, "--no-infer"]).run()
    #expect(result.status == 78 && result.stderr.contains("pos.nope"), "\(result)")
    #expect(try Files.bytes(store) == before)
  }

  @Test func `Models with composites are compared, checked, compiled and rehearsed`() throws {
    let difference = try CommandRunner(["models", "diff", "\(model):v1", "\(model):v2"]).run()
    #expect(difference.status == 3 && difference.stdout.contains("nothing is lost"), "\(difference)")
    #expect(difference.stdout.contains("place.label  renamed  pos.label"), "\(difference)")
    try successfully("models", "lint", model)
    let compiled = folder.file("M.momd")
    try successfully("models", "compile", model, "--output", compiled)
    #expect(
      try successfully("models", "hash", "\(compiled):v1", "--format", "csv").stdout.split(separator: "\n").dropFirst()
        .map { $0.split(separator: ",").dropFirst() }
        == successfully("models", "hash", "\(model):v1", "--format", "csv").stdout.split(separator: "\n").dropFirst()
        .map { $0.split(separator: ",").dropFirst() })
    try successfully("rehearse", "--model", model)
  }

  @Test func `A model that cannot be read does not make its store a damaged one`() throws {
    try Database.run("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'", in: store)
    for arguments in [["query", store, "Trip"], ["models", "show", store], ["export", store, "--entity", "Trip"]] {
      let result = try CommandRunner(arguments).run()
      #expect(result.status == 65, "\(result)")
      #expect(result.stderr.contains("the copy of its model that '\(store)' keeps cannot be read"), "\(result)")
      #expect(!result.stderr.contains("backup") && !result.stderr.contains("sqlite' is damaged"), "\(result)")
    }
    try successfully("query", store, "Trip", "--model", model)
    try successfully(store, "--model", model)
  }
}
