import DataModel
import Testing

@Suite("Composite attributes")
struct CompositeAttributeTests {
  private static let point = """
    <composite name="Point">
    <attribute name="x" optional="YES" attributeType="Double"/><attribute name="y" optional="YES" attributeType="Double"/>
    </composite>
    """
  private static let optional = #"optional="YES" attributeType="#

  private static func attribute(_ name: String, _ composite: String) -> String {
    #"<attribute name="\#(name)" optional="YES" attributeType="Composite" composite="\#(composite)"/>"#
  }

  private static let text = #"<attribute name="name" attributeType="String"/>"#

  /// Entities of SwiftData, whose hashes the same rules gave that give those of Apple's own stores.
  private static let vectors: [(name: String, properties: String, composites: String, hash: String)] = [
    (
      "Vec6", attribute("kind", "Kind") + attribute("level", "Level"),
      """
      <composite name="Kind"><attribute name="kind" \(optional)"String"/></composite>
      <composite name="Level"><attribute name="level" \(optional)"Integer 64"/></composite>
      """, "ad120ecf5c3d1f2097ff4e6b3302ebd1baa0c265cf9635352b3be87405243786"
    ),
    (
      "Vec8", text + attribute("pos", "Position"),
      """
      <composite name="Position"><attribute name="x" \(optional)"Double"/><attribute name="y" \(optional)"Double"/>
      <attribute name="label" \(optional)"String"/></composite>
      """, "999567a8e11b17a96b4ba6f0a8b7eeff17efbdf1e55f0e3a3c7a5f3f8688cddd"
    ),
    (
      "Vec9", text + attribute("state", "State"),
      """
      <composite name="State"><attribute name="on" \(optional)"String"/><attribute name="off" \(optional)"String"/>
      </composite>
      """, "4219cd6632f27d8fc15ec8d9a3a211af2ab883123ed9c962b2e87f12a6717323"
    ),
    (
      "Vec10", attribute("q", "Q"),
      """
      <composite name="Q"><attribute name="a" \(optional)"Integer 64"/><attribute name="x" \(optional)"Double"/>
      <attribute name="y" \(optional)"Double"/></composite>
      """, "487b48b9a2e5ccdcaae08a6f224f48aa5ab35d515aefc7f1a154455db3e6ba17"
    ),
  ]

  @Test(arguments: vectors)
  func `The version hash has the elements' hashes in the order of their names`(
    vector: (name: String, properties: String, composites: String, hash: String)
  ) throws {
    let model = try readModel("<entity name=\"\(vector.name)\">\(vector.properties)</entity>\(vector.composites)")
    let entity = try #require(model.entity(named: vector.name))
    #expect(entity.versionHash.description == vector.hash)
  }

  @Test func `The name, the flags and the name of the definition of a composite do not enter the hash`() throws {
    let hash = try hash(of: Self.attribute("a", "Point"), "Point")
    #expect(try self.hash(of: #"<attribute name="b" attributeType="Composite" composite="P"/>"#, "P") == hash)
  }

  private func hash(of attribute: String, _ definition: String) throws -> VersionHash? {
    try readModel("<entity name=\"E\">\(attribute)</entity>\(Self.point.replacing("Point", with: definition))")
      .entity(named: "E")?.versionHash
  }

  /// Two composites of one definition, one within another, and one that a subentity inherits.
  private func richModel() throws -> ManagedObjectModel {
    try readModel(
      """
      <entity name="Base">\(Self.attribute("home", "Place"))\(Self.attribute("work", "Place"))
      <attribute name="id" attributeType="UUID"/><fetchIndex name="byX"><fetchIndexElement property="home.at.x" type="Binary"
      order="ascending"/></fetchIndex></entity>
      <entity name="Kid" parentEntity="Base">\(Self.attribute("at", "Point"))</entity>
      <composite name="Place"><attribute name="label" \(Self.optional)"String"/>
      \(Self.attribute("at", "Point"))</composite>\(Self.point)
      """)
  }

  @Test func `An entity lists the elements under their key paths, in the order in which they were declared`() throws {
    let model = try richModel()
    let kid = try #require(model.entity(named: "Kid"))
    #expect(
      kid.attributes.map(\.name)
        == ["at.x", "at.y", "home.label", "home.at.x", "home.at.y", "id", "work.label", "work.at.x", "work.at.y"])
    #expect(kid.ownDeclaredAttributes.map(\.name) == ["at"])
    #expect(kid.composites.map(\.name) == ["at", "home", "work"])
    #expect(kid.attribute(named: "home.at.x")?.type == .double && kid.attribute(named: "home") == nil)
    #expect(kid.elements(ofComposite: "home.at").map(\.path) == ["x", "y"])
  }

  @Test func `A model with composites is read again from its XML, its archive and its model cache`() throws {
    let model = try richModel()
    let xml = try ManagedObjectModel(xml: Array(model.xml().utf8))
    #expect(xml.entities == model.entities)
    for read in [
      try ManagedObjectModel(archive: model.archive()), try ManagedObjectModel(modelCache: model.modelCache()),
    ] {
      #expect(read.entityVersionHashesByName == model.entityVersionHashesByName)
      #expect(
        read.entities.map(\.attributes).map { $0.map(\.name) } == model.entities.map { $0.attributes.map(\.name) })
      // An archive has no names of definitions; reading what is written of it gives the same hashes.
      let again = try ManagedObjectModel(xml: Array(read.xml().utf8))
      #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
    }
  }

  @Test(arguments: [
    (attribute("a", "Nowhere"), "says composite=\"Nowhere\", but the name of a composite of the model"),
    (#"<attribute name="a" attributeType="Composite"/>"#, "has no 'composite'"),
    (attribute("a", "Loop"), "a composite that does not contain itself is expected"),
    (attribute("a", "D0"), "has more than 2000 elements"),
    (attribute("a", "Point") + #"<attribute name="a" attributeType="String"/>"#, "two properties named 'a'"),
    (attribute("a", "Twice"), "two properties named 'a.x'"), (attribute("a", "Nameless"), "has no 'name'"),
  ])
  func `A composite that cannot be resolved is refused with its place`(attribute: String, message: String) throws {
    let doubling = (0..<14).map { level in
      """
      <composite name="D\(level)">\(Self.attribute("l", "D\(level + 1)"))\(Self.attribute("r", "D\(level + 1)"))</composite>
      """
    }
    let body = """
      <entity name="E">\(attribute)</entity>\(Self.point)
      <composite name="Loop">\(Self.attribute("inner", "Loop"))</composite>
      <composite name="Twice"><attribute name="x" attributeType="String"/><attribute name="x" attributeType="Date"/></composite>
      <composite name="Nameless"><attribute attributeType="String"/></composite>
      \(doubling.joined())<composite name="D14"><attribute name="x" attributeType="String"/></composite>
      """
    let error = #expect(throws: ModelFileError.self) { try readModel(body) }
    #expect(error?.description.contains(message) == true, "\(error.map { "\($0)" } ?? "")")
  }
}
