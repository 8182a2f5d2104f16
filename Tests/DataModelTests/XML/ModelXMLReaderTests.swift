import DataModel
import Testing

/// Reads a model from what stands inside `<model>`.
func readModel(_ body: String) throws -> ManagedObjectModel {
  try ManagedObjectModel(xml: Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model>\n\(body)\n</model>".utf8))
}

@Suite struct ModelXMLReaderTests {
  private func attribute(_ attributes: String) throws -> AttributeDescription {
    let model = try readModel("<entity name=\"E\"><attribute name=\"a\" \(attributes)/></entity>")
    return try #require(model.entity(named: "E")?.attribute(named: "a"))
  }

  @Test func `An attribute without flags is required, stored and has no default`() throws {
    let attribute = try attribute(#"attributeType="String""#)
    #expect(attribute == AttributeDescription("a", .string, isOptional: false))
  }

  @Test(arguments: AttributeType.allCases.filter { $0 != .composite })
  func `Every attribute type is recognized by its name`(type: AttributeType) throws {
    #expect(try attribute(#"transient="YES" attributeType="\#(type.xmlName)""#).type == type)
  }

  @Test func `A transient attribute needs no type`() throws {
    #expect(try attribute(#"transient="YES""#).type == .undefined)
  }

  private static let defaults: [(String, AttributeValue?)] = [
    (#"attributeType="String" defaultValueString="a&#10;&quot;b""#, .string("a\n\"b")),
    (#"attributeType="String" defaultValueString="""#, .string("")),
    (#"attributeType="Integer 16" defaultValueString="-32768""#, .integer(-32768)),
    (#"attributeType="Integer 32" defaultValueString="7""#, .integer(7)),
    (#"attributeType="Integer 64" defaultValueString="9223372036854775807""#, .integer(.max)),
    (#"attributeType="Integer 64" defaultValueString="0.0""#, .integer(0)),
    (#"attributeType="Double" defaultValueString="0""#, .double(0)),
    (#"attributeType="Float" defaultValueString="1.5""#, .double(1.5)),
    (#"attributeType="Decimal" defaultValueString="0.0""#, .double(0)),
    (#"attributeType="Boolean" defaultValueString="YES""#, .boolean(true)),
    (#"attributeType="Boolean" defaultValueString="0""#, .boolean(false)),
    (#"attributeType="Date" defaultDateTimeInterval="-978321600""#, .date(-978_321_600)),
    (#"attributeType="URI" defaultValueString="https://example.com""#, .uri("https://example.com")),
    (
      #"attributeType="UUID" defaultValueString="00000000-0000-0000-0000-0000000000FF""#,
      .uuid([UInt8](repeating: 0, count: 15) + [255])
    ),
    (#"attributeType="Binary""#, nil),
    // Xcode keeps these when an attribute gets another type.
    (#"attributeType="Integer 16" defaultValueString="NO""#, .integer(0)),
    (#"attributeType="Integer 32" defaultValueString="YES""#, .integer(1)),
    (#"attributeType="Integer 64" defaultValueString="-1.9""#, .integer(-1)),
    (#"attributeType="Integer 32" defaultValueString=" 7 ""#, .integer(7)),
    (#"attributeType="Double" defaultValueString="NO""#, .double(0)),
    (#"attributeType="Float" defaultValueString="YES""#, .double(1)),
    (#"attributeType="Decimal" defaultValueString="NO""#, .double(0)),
    (#"attributeType="Boolean" defaultValueString="0.0""#, .boolean(false)),
    (#"attributeType="Boolean" defaultValueString="0.9""#, .boolean(false)),
    (#"attributeType="Boolean" defaultValueString="1.0""#, .boolean(true)),
    (#"attributeType="Boolean" defaultValueString="-2""#, .boolean(true)),
    (#"attributeType="String" defaultValueString=" NO ""#, .string(" NO ")),
  ]

  @Test(arguments: [
    ("Integer 16", "40000"), ("Integer 32", "three"), ("Integer 64", "1e30"), ("Double", "much"), ("Decimal", "1,5"),
    ("Boolean", "maybe"), ("Boolean", "nan"), ("UUID", "NO"),
  ])
  func `A default that does not suit its type is kept as text only`(type: String, text: String)
    throws
  {
    let xml = #"attributeType="\#(type)" defaultValueString="\#(text)""#
    let attribute = try attribute(xml)
    #expect(attribute.defaultValue == nil)
    #expect(attribute.unreadableDefault == text)
    let model = try readModel("<entity name=\"E\"><attribute name=\"a\" \(xml)/></entity>").xml()
    #expect(model.contains(#"defaultValueString="\#(text)""#), "it is written back as it was")
  }

  @Test func `An unreadable date is kept as text, and text for another type is ignored`() throws {
    #expect(try attribute(#"attributeType="Date" defaultDateTimeInterval="NO""#).unreadableDefault == "NO")
    let date = try attribute(#"attributeType="Date" defaultValueString="NO""#)
    #expect(date.defaultValue == nil && date.unreadableDefault == nil)
    #expect(try attribute(#"attributeType="Integer 16" defaultValueString="""#).unreadableDefault == nil)
  }

  @Test(arguments: defaults)
  func `Default values are read by type`(xml: String, value: AttributeValue?) throws {
    #expect(try attribute(xml).defaultValue == value)
  }

  @Test func `Every setting of an attribute is kept`() throws {
    let attribute = try attribute(
      #"""
      optional="YES" attributeType="String" minValueString="1" maxValueString="9" regularExpressionString="a.*"
      valueTransformerName="T" customClassName="C" allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES"
      derived="YES" derivationExpression="canonical:(b)" elementID="old" versionHashModifier="2" syncable="true"
      """#)
    #expect(
      attribute.validation
        == AttributeValidation(minimum: .integer(1), maximum: .integer(9), regularExpression: "a.*"))
    #expect(attribute.valueTransformerName == "T")
    #expect(attribute.allowsExternalBinaryDataStorage && attribute.preservesValueInHistoryOnDeletion)
    #expect(attribute.isDerived && attribute.derivationExpression == "canonical:(b)")
    #expect(attribute.renamingIdentifier == "old" && attribute.versionHashModifier == "2")
    #expect(attribute.editorAttributes == ["customClassName": "C", "syncable": "true"])
  }

  @Test func `Relationships, user info, fetched properties and configurations are read`() throws {
    let model = try readModel(
      """
      <entity name="A" representedClassName=".A" isAbstract="YES" elementID="Old">
        <relationship name="bs" optional="YES" toMany="YES" minCount="2" maxCount="9" deletionRule="No Action"
          ordered="YES" destinationEntity="B" inverseName="a" inverseEntity="B">
          <userInfo><entry key="k" value="v"/></userInfo>
        </relationship>
        <fetchedProperty name="f" optional="YES">
          <fetchRequest name="r" entity="B" predicateString="x == 1" fetchLimit="3"/>
        </fetchedProperty>
        <userInfo><entry key="1" value="&lt;&gt;"/></userInfo>
      </entity>
      <entity name="B"><relationship name="a" maxCount="1" destinationEntity="A" inverseName="bs" inverseEntity="A"/></entity>
      <configuration name="Cloud"><memberEntity name="A"/><memberEntity name="B"/></configuration>
      <fetchRequest name="all" entity="A" predicateString="TRUEPREDICATE"/>
      <elements><element name="A" positionX="0"/></elements>
      """)
    let a = try #require(model.entity(named: "A"))
    #expect(
      a.isAbstract && a.managedObjectClassName == ".A" && a.renamingIdentifier == "Old" && a.userInfo == ["1": "<>"])
    #expect(
      a.relationship(named: "bs")
        == RelationshipDescription(
          "bs", to: "B", inverse: "a", minCount: 2, maxCount: 9, isOrdered: true, deleteRule: .noAction,
          userInfo: ["k": "v"]))
    #expect(model.entity(named: "B")?.relationship(named: "a")?.isToMany == false)
    #expect(
      a.ownFetchedProperties.map(\.fetchRequest)
        == [FetchRequestDescription("r", entityName: "B", predicate: "x == 1", editorAttributes: ["fetchLimit": "3"])])
    #expect(model.configurations == ["Cloud": ["A", "B"]])
    #expect(model.fetchRequestTemplates.map(\.name) == ["all"])
    #expect(model.versionIdentifiers == [])
  }

  @Test func `Indexes of every model format are read`() throws {
    let model = try readModel(
      """
      <entity name="E">
        <attribute name="a" attributeType="String" indexed="YES"/>
        <attribute name="b" attributeType="Double"/>
        <attribute name="c" attributeType="Double" indexed="YES"/>
        <attribute name="t" transient="YES" indexed="YES"/>
        <fetchIndex name="where" partialIndexPredicate="b > 1">
          <fetchIndexElement property="b" type="RTree" order="ascending"/>
          <fetchIndexElement property="c" type="RTree" order="descending"/>
          <fetchIndexElement expression="self" type="Binary" order="ascending"/>
          <fetchIndexElement property="x" expression="entity"/>
          <fetchIndexElement expression="lowercase:(a)" type="Binary" order="ascending"/>
        </fetchIndex>
        <fetchIndex name="c"><fetchIndexElement property="c" type="Binary" order="descending"/></fetchIndex>
        <compoundIndexes><compoundIndex><index value="b"/><index value="a"/></compoundIndex></compoundIndexes>
      </entity>
      """)
    #expect(
      model.entity(named: "E")?.fetchIndexes == [
        FetchIndexDescription(
          "where",
          elements: [
            FetchIndexElementDescription(property: "b", collationType: .rTree),
            FetchIndexElementDescription(property: "c", collationType: .rTree, isAscending: false),
            FetchIndexElementDescription(.instance), FetchIndexElementDescription(.entity),
            FetchIndexElementDescription(.expression("lowercase:(a)")),
          ], partialIndexPredicate: "b > 1"),
        FetchIndexDescription("c", elements: [FetchIndexElementDescription(property: "c", isAscending: false)]),
        FetchIndexDescription("a", properties: ["a"]),
        FetchIndexDescription("b_a", properties: ["b", "a"]),
      ])
  }
}
