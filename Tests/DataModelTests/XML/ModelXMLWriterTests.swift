import DataModel
import Testing

@Suite struct ModelXMLWriterTests {
  @Test func `The XML layout matches Xcode's`() throws {
    let model = try ManagedObjectModel(
      entities: [
        EntityDescription(
          "Track", managedObjectClassName: "Track", renamingIdentifier: "Song", userInfo: ["k": "a\nb"],
          uniquenessConstraints: [["title", "artist"]],
          attributes: [
            AttributeDescription("title", .string, isOptional: false, defaultValue: .string("<\"&\">")),
            AttributeDescription("rating", .double, defaultValue: .double(0)),
          ],
          relationships: [RelationshipDescription("artist", to: "Artist", inverse: "tracks", maxCount: 1)],
          fetchIndexes: [FetchIndexDescription("byTitle", properties: ["title"])]),
        EntityDescription(
          "Artist", isAbstract: true,
          relationships: [
            RelationshipDescription("tracks", to: "Track", inverse: "artist", isOrdered: true, deleteRule: .cascade)
          ]),
        EntityDescription("Band", superentityName: "Artist"),
      ], configurations: ["Local": ["Track"]])
    #expect(
      try model.xml() == """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="1" \
        systemVersion="11A491" minimumToolsVersion="Automatic" sourceLanguage="Swift" \
        userDefinedModelVersionIdentifier="">
            <entity name="Artist" isAbstract="YES">
                <relationship name="tracks" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" \
        destinationEntity="Track" inverseName="artist" inverseEntity="Track"/>
            </entity>
            <entity name="Band" parentEntity="Artist"/>
            <entity name="Track" representedClassName="Track" elementID="Song">
                <attribute name="rating" optional="YES" attributeType="Double" defaultValueString="0.0"/>
                <attribute name="title" attributeType="String" defaultValueString="&lt;&quot;&amp;&quot;&gt;"/>
                <relationship name="artist" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Artist" inverseName="tracks" inverseEntity="Artist"/>
                <fetchIndex name="byTitle">
                    <fetchIndexElement property="title" type="Binary" order="ascending"/>
                </fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="title"/>
                        <constraint value="artist"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
                <userInfo>
                    <entry key="k" value="a&#10;b"/>
                </userInfo>
            </entity>
            <configuration name="Local">
                <memberEntity name="Track"/>
            </configuration>
        </model>
        """)
  }

  @Test func `Everything that a model can express survives a round trip`() throws {
    let values: [(AttributeType, AttributeValue)] = [
      (.integer16, .integer(-3)), (.integer64, .integer(.min)), (.decimal, .double(0.1)), (.double, .double(1e300)),
      (.float, .double(-0.5)), (.string, .string(" é\t\r\n'漢🎵 ")), (.boolean, .boolean(true)), (.date, .date(0.25)),
      (.uuid, .uuid(Array(0..<16))), (.uri, .uri("https://example.com/?a=1&b=2")),
    ]
    var attributes = values.enumerated().map { index, pair in
      AttributeDescription(
        "a\(index)", pair.0, isOptional: index % 2 == 0, isTransient: index % 3 == 0, defaultValue: pair.1,
        allowsExternalBinaryDataStorage: index % 4 == 0, preservesValueInHistoryOnDeletion: index % 5 == 0,
        valueTransformerName: "T", renamingIdentifier: "old\(index)", versionHashModifier: "m", userInfo: ["x": "y"])
    }
    attributes[0].validation = AttributeValidation(minimum: .integer(-9), maximum: .integer(9))
    attributes[5].validation = AttributeValidation(
      minimum: .integer(1), maximum: .integer(2), regularExpression: "<&>")
    attributes[7].validation = AttributeValidation(minimum: .date(-1.5), maximum: .date(7))
    attributes.append(AttributeDescription("derived", .integer64, derivationExpression: "count:(all)"))
    let elements = [
      FetchIndexElementDescription(property: "a1", collationType: .rTree, isAscending: false),
      FetchIndexElementDescription(.instance), FetchIndexElementDescription(.entity),
      FetchIndexElementDescription(.expression("uppercase:(a5)")),
    ]
    var model = try ManagedObjectModel(
      entities: [
        EntityDescription(
          "E", attributes: attributes,
          relationships: DeleteRule.allCases.map {
            RelationshipDescription(
              "r\($0.rawValue)", to: "E", minCount: 2, maxCount: -1, deleteRule: $0, isTransient: true)
          } + [RelationshipDescription("all", to: "E", inverse: "all")],
          fetchedProperties: [
            FetchedPropertyDescription(
              "f", fetchRequest: FetchRequestDescription("r", entityName: "E", predicate: "a > 1"), isOptional: false)
          ],
          fetchIndexes: [FetchIndexDescription("i", elements: elements, partialIndexPredicate: "a1 > 0")])
      ], versionIdentifiers: ["3"], configurations: ["B": ["E"], "A": []])
    model.fetchRequestTemplates = [FetchRequestDescription("t", entityName: "E", editorAttributes: ["fetchLimit": "1"])]
    model.editorAttributes = ["type": "com.apple.IDECoreDataModeler.DataModel", "documentVersion": "1.0"]
    let again = try ManagedObjectModel(xml: Array(model.xml().utf8))
    #expect(again == model)
    #expect(try again.xml() == model.xml())
  }

  @Test func `Text that XML cannot hold is refused`() throws {
    let model = try ManagedObjectModel(entities: [EntityDescription("E", userInfo: ["k": "\u{1}"])])
    #expect(throws: ModelFileProblem.unwritableText("U+1")) { try model.xml() }
  }
}
