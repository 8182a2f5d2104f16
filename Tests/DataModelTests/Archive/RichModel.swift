import DataModel

/// A model that uses everything that an archive can say.
enum RichModel {
  static let expressions: [String: TestExpression] = [
    "count:(selves)": .call("count:", .property("selves")), "uppercase:(a5)": .call("uppercase:", .property("a5")),
  ]

  static let predicates: [String: TestPredicate] = [
    "a1 > 0": .comparison(.property("a1"), 2, .constant(.integer(0))),
    "a5 CONTAINS[cd] \"x\"": .comparison(.property("a5"), 99, .constant(.string("x")), options: 3),
    "id == $FETCH_SOURCE.id": .comparison(.property("id"), 4, .keyPath(.variable("FETCH_SOURCE"), "id")),
  ]

  /// - Parameter attributes: Which of the attributes to take; the rest of the model needs 0, 1 and 5.
  static func model(attributes chosen: Set<Int> = Set(0..<14)) throws -> ManagedObjectModel {
    var derived = AttributeDescription("derived", .integer64, derivationExpression: "count:(selves)")
    derived.derivationFilterPredicate = "a1 > 0"
    let elements = [
      FetchIndexElementDescription(property: "a1", collationType: .rTree, isAscending: false),
      FetchIndexElementDescription(.instance), FetchIndexElementDescription(.entity),
      FetchIndexElementDescription(.expression("uppercase:(a5)")),
    ]
    var model = try ManagedObjectModel(
      entities: [
        EntityDescription(
          "Base", isAbstract: true, managedObjectClassName: "App.Base", renamingIdentifier: "Old",
          versionHashModifier: "2", userInfo: ["b": "é", "a": ""], uniquenessConstraints: [["a5", "a1"], ["a0"]],
          attributes: attributes(chosen) + [derived],
          relationships: DeleteRule.allCases.map {
            RelationshipDescription(
              "r\($0.rawValue)", to: "Other", minCount: 2, maxCount: -1, deleteRule: $0, isTransient: true)
          } + [
            RelationshipDescription("selves", to: "Base", inverse: "selves", isOrdered: true),
            RelationshipDescription(
              "other", to: "Other", inverse: "bases", minCount: 1, maxCount: 1, isOptional: false),
          ],
          fetchIndexes: [
            FetchIndexDescription("i", elements: elements, partialIndexPredicate: "a5 CONTAINS[cd] \"x\""),
            FetchIndexDescription("a1", properties: ["a1"]),
          ]),
        EntityDescription("Child", superentityName: "Base", attributes: [optional("own", .binaryData)]),
        EntityDescription("Grandchild", superentityName: "Child"),
        EntityDescription(
          "Other", attributes: [optional("id", .objectID)],
          relationships: [
            RelationshipDescription(
              "bases", to: "Base", inverse: "other", maxCount: 9, renamingIdentifier: "old", versionHashModifier: "m",
              userInfo: ["k": "v"])
          ],
          fetchedProperties: [
            FetchedPropertyDescription(
              "f",
              fetchRequest: FetchRequestDescription(
                "fetchedPropertyFetchRequest", entityName: "Base", predicate: "id == $FETCH_SOURCE.id"),
              isOptional: false, userInfo: ["search": "great"])
          ]),
      ], versionIdentifiers: ["", "3"], configurations: ["B": ["Base", "Other"], "A": []])
    model.fetchRequestTemplates = [
      FetchRequestDescription("t", entityName: "Base", predicate: "a1 > 0", editorAttributes: ["fetchLimit": "1"])
    ]
    return model
  }

  private static func attributes(_ chosen: Set<Int>) -> [AttributeDescription] {
    let values: [(AttributeType, AttributeValue?)] = [
      (.integer16, .integer(-3)), (.integer64, .integer(.min)), (.decimal, .double(0.1)), (.double, .double(1e300)),
      (.float, .double(-0.5)), (.string, .string(" é\t\r\n'漢🎵 ")), (.boolean, .boolean(true)), (.date, .date(0.25)),
      (.uuid, .uuid(Array(0..<16))), (.uri, .uri("https://example.com/?a=1&b=2")), (.binaryData, .data([0, 255])),
      (.transformable, nil), (.integer32, nil), (.string, .string("")),
    ]
    return values.enumerated().filter { chosen.contains($0.offset) }.map { index, pair in
      var attribute = AttributeDescription(
        "a\(index)", pair.0, isOptional: index % 2 == 0, isTransient: index % 3 == 0, defaultValue: pair.1,
        allowsExternalBinaryDataStorage: index % 4 == 0, preservesValueInHistoryOnDeletion: index % 5 == 0,
        valueTransformerName: index == 11 ? "T" : nil, renamingIdentifier: "old\(index)", versionHashModifier: "m",
        userInfo: index % 2 == 0 ? ["x": "y"] : [:])
      if index == 5 {
        attribute.editorAttributes = ["spotlightIndexingEnabled": "YES", "allowsCloudEncryption": "YES"]
      }
      if index == 11 { attribute.editorAttributes = ["customClassName": "App.Cover"] }
      return attribute
    }
  }
}
