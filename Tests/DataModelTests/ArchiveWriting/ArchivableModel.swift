import DataModel

/// A model that uses everything that can be archived.
enum ArchivableModel {
  static func model() throws -> ManagedObjectModel {
    var count = AttributeDescription("count", .integer64, derivationExpression: "count:(selves)")
    count.derivationFilterPredicate = "a0 >= 3 AND a4 CONTAINS[c] \"x\""
    return try ManagedObjectModel(
      entities: [
        EntityDescription(
          "Base", isAbstract: true, managedObjectClassName: "App.Base", renamingIdentifier: "Old",
          versionHashModifier: "2", userInfo: ["b": "é", "a": "", "e\u{301}": "'漢🎵 \""],
          uniquenessConstraints: [["a4", "a0"], ["a1"]], attributes: attributes + [count],
          relationships: DeleteRule.allCases.map {
            RelationshipDescription(
              "r\($0.rawValue)", to: "Other", minCount: 2, maxCount: -1, deleteRule: $0, isTransient: true)
          } + [
            RelationshipDescription("selves", to: "Base", inverse: "selves", isOrdered: true),
            RelationshipDescription(
              "other", to: "Other", inverse: "bases", minCount: 1, maxCount: 1, isOptional: false),
          ],
          fetchedProperties: [fetched("own", "Other", nil, isOptional: true)],
          fetchIndexes: [
            FetchIndexDescription(
              "ranges",
              elements: [FetchIndexElementDescription(property: "a0", collationType: .rTree, isAscending: false)],
              partialIndexPredicate: "NOT (a0 < 1 OR a0 > 9)"),
            FetchIndexDescription("byTwo", properties: ["a4", "a0"]),
            FetchIndexDescription("byOne", properties: ["other"]), FetchIndexDescription("empty", properties: []),
          ]),
        EntityDescription("Child", superentityName: "Base", attributes: [optional("own name", .binaryData)]),
        EntityDescription("Grand \"child\"", superentityName: "Child"),
        EntityDescription(
          "Other", attributes: [AttributeDescription("cover", .transformable, valueTransformerName: "T")],
          relationships: [
            RelationshipDescription(
              "bases", to: "Base", inverse: "other", maxCount: 9, renamingIdentifier: "old", versionHashModifier: "m",
              userInfo: ["k": "v"]),
            RelationshipDescription("toChild", to: "Grand \"child\"", inverse: "other", isTransient: true),
            RelationshipDescription("oneWay", to: "Child"),
          ],
          fetchedProperties: [
            fetched("search", "Base", "id == $FETCH_SOURCE.id AND a4 CONTAINS[cd] $FETCHED_PROPERTY.userInfo.search")
          ]),
      ], versionIdentifiers: ["", "3"], configurations: ["B": ["Base", "Other"], "A": []])
  }

  private static func fetched(
    _ name: String, _ entity: String, _ predicate: String?, isOptional: Bool = false
  ) -> FetchedPropertyDescription {
    FetchedPropertyDescription(
      name,
      fetchRequest: FetchRequestDescription(
        "fetchedPropertyFetchRequest", entityName: entity, predicate: predicate,
        editorAttributes: isOptional ? ["fetchLimit": "7"] : [:]),
      isOptional: isOptional, userInfo: isOptional ? [:] : ["search": "great"])
  }

  static let values: [(AttributeType, AttributeValue?)] = [
    (.integer16, .integer(-3)), (.integer64, .integer(.min)), (.decimal, .double(-0.1)), (.double, .double(1e300)),
    (.string, .string(" é\t\r\n'漢🎵 ")), (.boolean, .boolean(true)), (.date, .date(0.25)),
    (.uuid, .uuid(Array(0..<16))), (.uri, .uri("https://example.com/?a=1&b=2")), (.binaryData, .data([0, 255])),
    (.transformable, nil), (.integer32, nil), (.string, .string("")), (.float, .double(-0.5)),
    (.decimal, .double(12_345_678_901_234_567e110)), (.decimal, .double(0)), (.boolean, .boolean(false)),
  ]

  private static let attributes = values.enumerated().map { index, pair in
    var attribute = AttributeDescription(
      "a\(index)", pair.0, isOptional: index % 2 == 0, isTransient: index % 3 == 2, defaultValue: pair.1,
      allowsExternalBinaryDataStorage: index % 4 == 0, preservesValueInHistoryOnDeletion: index % 5 == 0,
      renamingIdentifier: "old\(index)", versionHashModifier: index % 2 == 0 ? "m" : nil,
      userInfo: index % 3 == 0 ? ["x": "y"] : [:])
    if index == 4 {
      attribute.editorAttributes = ["spotlightIndexingEnabled": "YES", "allowsCloudEncryption": "YES"]
    }
    if pair.0 == .transformable { attribute.editorAttributes = ["customClassName": "App.Cover"] }
    return attribute
  }
}
