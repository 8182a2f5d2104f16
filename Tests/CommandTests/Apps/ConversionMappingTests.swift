import CoreDataExpressions
import Foundation
import TestSupport
import Testing

@Suite("Mapping models that convert values without a policy")
struct ConversionMappingTests {
  private let folder: TemporaryFolder
  private let model: String
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("App.sqlite")
    let old = """
      <attribute name="num" optional="YES" attributeType="Integer 32"/><attribute name="text" optional="YES"
       attributeType="String"/><attribute name="d" optional="YES" attributeType="Date"/>
      """
    let new = """
      \(old)<attribute name="s" optional="YES" attributeType="String"/><attribute name="i" optional="YES"
       attributeType="Integer 32"/><attribute name="f" optional="YES" attributeType="Double"/><attribute name="b"
       optional="YES" attributeType="Boolean"/>
      """
    model = try folder.models(
      "M.xcdatamodeld", ["v1": "<entity name=\"E\">\(old)</entity>", "v2": "<entity name=\"E\">\(new)</entity>"],
      current: "v2")
    try successfully("fixture", "new", "--rows", "3", "--model", "\(model):v1", store)
    try Database.run(
      """
      UPDATE ZE SET ZNUM = iif(Z_PK = 3, NULL, Z_PK * 21), ZTEXT = iif(Z_PK = 3, NULL, ' ' || Z_PK || '.5 x'),
      ZD = iif(Z_PK = 3, NULL, Z_PK)
      """, in: store)
  }

  private func mapping(_ name: String, _ format: String, policy: String? = nil) throws -> String {
    var entity = MappingXML.Entity("e", from: "E", to: "E")
      .attribute(
        name,
        ("valueexpressiondata", "binary", try MappingXML.archive(CoreDataExpressions.Expression(format: format))))
    for name in ["num", "text", "d"] { entity = entity.attribute(name) }
    if let policy { entity = entity.with("migrationpolicyclassname", "string", policy) }
    var xml = MappingXML(entity)
    xml.sourcePath = "M.xcdatamodeld/v1.xcdatamodel"
    xml.destinationPath = "M.xcdatamodeld/v2.xcdatamodel"
    return try folder.mappingModel("E.xcmappingmodel", xml: xml.text)
  }

  @Test(
    arguments: [
      ("s", "$source.num.stringValue", ["21", "42", "NULL"]), ("s", "$source.num.description", ["21", "42", "NULL"]),
      ("i", "$source.text.integerValue", ["1", "2", "NULL"]),
      ("f", "$source.text.doubleValue", ["1.5", "2.5", "NULL"]),
      ("b", "$source.num.boolValue", ["1", "1", "NULL"]), ("f", "$source.num.floatValue", ["21.0", "42.0", "NULL"]),
      ("i", "$source.text.length", ["6", "6", "NULL"]),
      ("s", "$source.text.uppercaseString", [" 1.5 X", " 2.5 X", "NULL"]),
      ("s", "$source.text.capitalizedString", [" 1.5 X", " 2.5 X", "NULL"]),
      ("f", "$source.d.timeIntervalSince1970", ["978307201.0", "978307202.0", "NULL"]),
      ("f", "$source.d.timeIntervalSinceReferenceDate", ["1.0", "2.0", "NULL"]),
      ("i", "FUNCTION($source, 'valueForKey:', 'num')", ["21", "42", "NULL"]),
      ("s", "FUNCTION($source.num, 'stringValue')", ["21", "42", "NULL"]),
      ("i", "$source.num & 4", ["4", "0", "NULL"]),
    ])
  func `A conversion in a value expression is carried out and verified`(
    _ name: String, _ format: String, _ values: [String]
  ) throws {
    let mapping = try mapping(name, format)
    let result = try successfully(store, "--model", model, "--mapping", mapping, "--no-infer", "--verify")
    #expect(try Database.rows("SELECT Z\(name.uppercased()) FROM ZE ORDER BY Z_PK", in: store) == values, "\(result)")
  }

  @Test func `A property that a value does not have is refused, and the store stays as it is`() throws {
    let before = try Files.bytes(store)
    let mapping = try mapping("s", "$source.num.nonsense")
    let result = try CommandRunner([store, "--model", model, "--mapping", mapping, "--no-infer"]).run()
    #expect(result.status == 78 && result.stderr.contains("nonsense"), "\(result)")
    #expect(try Files.bytes(store) == before)
  }

  @Test(arguments: ["NSEntityMigrationPolicy", "CoreData.NSEntityMigrationPolicy"])
  func `A custom policy that is the base class is the default one`(policy: String) throws {
    let mapping = try mapping("i", "$source.num", policy: policy)
    let result = try successfully(store, "--model", model, "--mapping", mapping, "--no-infer", "--verify", "--verbose")
    #expect(result.stderr.contains("with statements on whole tables"), "\(result.stderr)")
    #expect(try Database.rows("SELECT ZI FROM ZE ORDER BY Z_PK", in: store) == ["21", "42", "NULL"])
    try successfully("models", "lint", mapping)
  }

  @Test func `Metadata that was edited as an XML property list is read, and the result has binary metadata`() throws {
    let hex = try #require(try Database.value("SELECT hex(Z_PLIST) FROM Z_METADATA", in: store))
    let bytes = stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    let plist = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
    let xml = try PropertyListSerialization.data(fromPropertyList: plist, format: .xml, options: 0)
    let text = xml.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
    try Database.run("UPDATE Z_METADATA SET Z_PLIST = x'\(text)'", in: store)
    try successfully("info", store)
    try successfully("query", store, "E")
    try successfully(store, "--model", model, "--verify")
    #expect(try Database.value("SELECT substr(Z_PLIST, 1, 8) = x'62706c6973743030' FROM Z_METADATA", in: store) == "1")
  }

  @Test func `An entity without rows may become abstract, and one with rows may not`() throws {
    let model = try folder.models(
      "A.xcdatamodeld",
      [
        "v1": #"<entity name="Base"/><entity name="Kid" parentEntity="Base"/>"#,
        "v2": #"<entity name="Base" isAbstract="YES"/><entity name="Kid" parentEntity="Base"/>"#,
      ], current: "v2")
    let store = folder.file("A.sqlite")
    try successfully("fixture", "new", "--rows", "2", "--model", "\(model):v1", store)
    let before = try Files.bytes(store)
    let refused = try CommandRunner([store, "--model", model]).run()
    #expect(refused.status != 0 && refused.stderr.contains("'Base' (2 rows)"), "\(refused)")
    #expect(try Files.bytes(store) == before)
    try Database.run("DELETE FROM ZBASE WHERE Z_ENT = 1", in: store)
    try successfully(store, "--model", model, "--verify", "--strict")
    #expect(try Database.value("SELECT count(*) FROM ZBASE", in: store) == "2")
  }
}
