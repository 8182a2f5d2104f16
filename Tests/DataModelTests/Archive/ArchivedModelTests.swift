import DataModel
import PropertyListFormat
import Testing

@Suite struct ArchivedModelTests {
  @Test(arguments: TestModelArchiver.Style.allCases)
  func `Every part of a model is read back`(style: TestModelArchiver.Style) throws {
    let model = try RichModel.model()
    let archive = TestModelArchiver.archive(
      model, style, expressions: RichModel.expressions, predicates: RichModel.predicates)
    let again = try ManagedObjectModel(archive: archive.binary())
    for (entity, expected) in zip(again.entities, model.entities) {
      for (own, expected) in zip(entity.ownAttributes, expected.ownAttributes) { #expect(own == expected) }
      for (own, expected) in zip(entity.ownRelationships, expected.ownRelationships) { #expect(own == expected) }
      #expect(entity.ownFetchedProperties == expected.ownFetchedProperties)
      #expect(entity.fetchIndexes == expected.fetchIndexes)
    }
    #expect(again == model)
  }

  @Test(arguments: TestModelArchiver.Style.allCases, PinnedModel.all)
  func `Archived models have the hashes that Apple's tools computed`(
    style: TestModelArchiver.Style, pinned: PinnedModel
  ) throws {
    let archive = TestModelArchiver.archive(
      try ManagedObjectModel(entities: pinned.entities), style,
      expressions: ["count:(pages)": .call("count:", .property("pages"))])
    let model = try ManagedObjectModel(archive: archive.binary())
    for (name, hash) in pinned.hashes { #expect(model.entity(named: name)?.versionHash.description == hash) }
  }

  @Test func `XML archives are read`() throws {
    let xml = """
      <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string>
      <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
      <key>$objects</key><array><string>$null</string>
      <dict><key>$class</key><dict><key>CF$UID</key><integer>2</integer></dict></dict>
      <dict><key>$classname</key><string>NSManagedObjectModel</string></dict></array></dict></plist>
      """
    #expect(try ManagedObjectModel(archive: Array(xml.utf8)).entities == [])
  }

  @Test func `Values that Xcode never writes are preserved`() throws {
    let entity = SmallArchive(
      entity: { archiver in
        let (key, other) = (archiver.add("count"), archiver.add(.integer(7)))
        let (number, text) = (archiver.add(.integer(12)), archiver.add("twelve"))
        return [
          "NSUserInfo": archiver.add(
            "NSDictionary", ["NS.keys": .array([key, other]), "NS.objects": .array([number, text])])
        ]
      })
    #expect(try entity.model().entities[0].userInfo == ["count": "12"])
  }

  @Test func `Indexes of old models are read once`() throws {
    let old = SmallArchive(
      attribute: { _ in ["NSIsIndexed": .boolean(true)] },
      entity: { archiver in
        let names = [archiver.add("a"), archiver.add("b")]
        let pair = archiver.list(names)
        return ["NSCompoundIndexes": archiver.list([pair, pair])]
      })
    #expect(
      try old.model().entities[0].fetchIndexes == [
        FetchIndexDescription("a", properties: ["a"]), FetchIndexDescription("a_b", properties: ["a", "b"]),
      ])
    let transient = SmallArchive(attribute: { _ in ["NSIsIndexed": .boolean(true), "NSIsTransient": .boolean(true)] })
    #expect(try transient.model().entities[0].fetchIndexes == [])
    let new = SmallArchive(
      attribute: { _ in ["NSIsIndexed": .boolean(true)] },
      entity: { archiver in
        let name = archiver.add("a")
        let element = archiver.add(
          "NSFetchIndexElementDescription", ["NSPropertyName": name, "NSAscending": .boolean(true)])
        let (elements, indexName) = (archiver.list([element]), archiver.add("byA"))
        let index = archiver.add("NSFetchIndexDescription", ["NSIndexName": indexName, "NSIndexElements": elements])
        return ["NSFetchIndexDescriptions": archiver.list([index])]
      })
    #expect(try new.model().entities[0].fetchIndexes == [FetchIndexDescription("byA", properties: ["a"])])
  }

  @Test func `An inverse missing from the destination entity is found through the entity that it names`() throws {
    var toChild = RelationshipDescription("r", to: "Base", inverse: "back")
    toChild.inverseEntityName = "Child"
    let model = try ManagedObjectModel(entities: [
      stub("Base"), stub("Holder", toChild),
      EntityDescription(
        "Child", superentityName: "Base", relationships: [RelationshipDescription("back", to: "Holder", inverse: "r")]),
    ])
    for style in TestModelArchiver.Style.allCases {
      #expect(try ManagedObjectModel(archive: TestModelArchiver.archive(model, style).binary()) == model)
    }
  }

  @Test func `Either form of a relationship's ends is sufficient`() throws {
    let ends: [@Sendable (inout TestArchiver) -> PropertyListDictionary] = [
      { ["_NSDestinationEntityName": $0.add("E"), "_NSInverseRelationshipName": $0.add("a")] },
      { archiver in
        let (entity, property) = (archiver.add("E"), archiver.add("a"))
        return [
          "NSDestinationEntity": archiver.add("NSEntityDescription", ["NSEntityName": entity]),
          "NSInverseRelationship": archiver.add("NSRelationshipDescription", ["NSPropertyName": property]),
        ]
      },
    ]
    for fields in ends {
      let archive = SmallArchive(attributeClass: "NSRelationshipDescription", attribute: fields)
      let relationship = try archive.model().entities[0].ownRelationships[0]
      #expect(relationship.destinationEntityName == "E" && relationship.inverseName == "a")
      #expect(relationship.inverseEntityName == nil && relationship.deleteRule == .noAction)
    }
  }
}
