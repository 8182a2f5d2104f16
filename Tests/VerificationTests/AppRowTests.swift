import CoreDataExpressions
import DataModel
import MappingModels
import PersistentStore
import TestSupport
import Testing

@Suite("A verification of rows, links and files that the mapping models leave open") struct AppRowTests {
  /// Persons, and animals of three entities that all become pets.
  private static let versions = [
    [
      person,
      EntityDescription("Animal", attributes: [AttributeDescription("name", .string)]),
      EntityDescription("Cat", superentityName: "Animal"), EntityDescription("Dog", superentityName: "Animal"),
    ],
    [
      person,
      EntityDescription("Pet", renamingIdentifier: "Animal", attributes: [AttributeDescription("name", .string)]),
    ],
  ]

  private static let person = EntityDescription(
    "Person", attributes: [AttributeDescription("name", .string), AttributeDescription("n", .integer16)],
    relationships: [
      RelationshipDescription("boss", to: "Person", inverse: "reports", maxCount: 1),
      RelationshipDescription("reports", to: "Person", inverse: "boss"),
    ])

  private func merged(personFilter: String?, animalFilter: String? = nil) throws -> AppPair {
    try AppPair(
      Self.versions,
      """
      INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZN, ZBOSS) VALUES
        (1, 4, 1, 'p1', 1, NULL), (2, 4, 1, 'other', 30, 1), (3, 4, 1, 'p3', 3, 1), (4, 4, 1, 'p4', 4, 3);
      INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES
        (1, 1, 1, 'a1'), (2, 3, 1, 'd2'), (3, 2, 1, 'c3'), (4, 1, 1, 'a4'), (5, 3, 1, 'd5');
      UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_SUPER = 0
      """
    ) { model in
      model.entityMappings.removeAll { $0.mappingType == .remove }
      for index in model.entityMappings.indices {
        let isPerson = model.entityMappings[index].destinationEntityName == "Person"
        model.entityMappings[index].filterPredicate = try (isPerson ? personFilter : animalFilter)
          .map { try Predicate(format: $0) }
      }
      let animals = try #require(model.entityMappings.first { $0.destinationEntityName == "Pet" })
      for name in ["Dog", "Cat"] {
        var mapping = animals
        (mapping.name, mapping.sourceEntityName, mapping.sourceEntityVersionHash) = ("\(name)ToPet", name, nil)
        mapping.filterPredicate = nil
        model.entityMappings.append(mapping)
      }
    }
  }

  /// SQL judges the first filter, and rows keep their keys; the other one needs instances, which are numbered.
  @Test(arguments: ["n < 20", "name MATCHES 'p.*'"])
  func `judges the values of the rows that a filter has left`(filter: String) throws {
    let pair = try merged(personFilter: filter, animalFilter: "name != 'a1'")
    let (differences, findings) = try pair.compare()
    #expect(differences == [])
    #expect(findings?.rowCountByEntity == ["Person": 3, "Pet": 4])
    #expect(findings?.linksCount == 2)
    #expect(
      findings?.unchecked == ["Person", "Pet"].map { "\($0): which rows there are, since a filter chooses them" })
    #expect(try pair.differences(after: "DELETE FROM ZPET").filter { $0.hasPrefix("missing-row Pet") }.count == 3)
    #expect(try pair.differences(after: "UPDATE ZPERSON SET ZNAME = 'q'").count >= 3)
    for change in [
      "DELETE FROM ZPET WHERE ZNAME = 'd2'", "UPDATE ZPET SET ZNAME = 'q' WHERE ZNAME = 'd5'",
      "UPDATE ZPET SET ZNAME = 'q' WHERE ZNAME = 'a4'", "INSERT INTO ZPET (Z_PK, Z_ENT, Z_OPT) VALUES (9, 2, 1)",
      "UPDATE ZPERSON SET ZBOSS = (SELECT min(Z_PK) FROM ZPERSON) WHERE ZNAME = 'p4'",
    ] {
      #expect(try !pair.differences(after: change).isEmpty, "\(change)")
    }
  }

  @Test(arguments: [nil, "name MATCHES '.*'"])
  func `finds out whether rows of several mappings were numbered`(personFilter: String?) throws {
    let pair = try merged(personFilter: personFilter)
    let isNumbered = try Database.value("SELECT ZNAME FROM ZPET WHERE Z_PK = 2", in: pair.new) == "a4"
    #expect(isNumbered == (personFilter != nil))
    let (differences, findings) = try pair.compare()
    #expect(differences == [])
    #expect(findings?.rowCountByEntity["Pet"] == 5)
    #expect(try pair.differences(after: "UPDATE ZPET SET ZNAME = 'x' WHERE Z_PK = 2") == ["value Pet 2 name"])
    #expect(try pair.differences(after: "DELETE FROM ZPET WHERE Z_PK = 5").count == 1)
  }

  @Test(arguments: [nil, "name MATCHES '.*'"])
  func `finds out from links which of several equal rows one was`(filter: String?) throws {
    let owner = RelationshipDescription("owner", to: "Person", inverse: "pets", maxCount: 1)
    func person(_ pet: String) -> EntityDescription {
      EntityDescription(
        "Person", attributes: [AttributeDescription("name", .string)],
        relationships: [RelationshipDescription("pets", to: pet, inverse: "owner")])
    }
    let pair = try AppPair(
      [
        [
          person("Animal"), EntityDescription("Animal", relationships: [owner]),
          EntityDescription("Cat", superentityName: "Animal"),
        ],
        [person("Pet"), EntityDescription("Pet", renamingIdentifier: "Animal", relationships: [owner])],
      ],
      """
      INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 3, 1, 'a'), (2, 3, 1, 'b');
      INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZOWNER) VALUES (1, 2, 1, 2), (2, 1, 1, 1), (3, 1, 1, NULL);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_SUPER = 0
      """
    ) { model in
      model.entityMappings.removeAll { $0.mappingType == .remove }
      let index = try #require(model.entityMappings.firstIndex { $0.destinationEntityName == "Pet" })
      var mapping = model.entityMappings[index]
      (mapping.name, mapping.sourceEntityName, mapping.sourceEntityVersionHash) = ("CatToPet", "Cat", nil)
      model.entityMappings.append(mapping)
      for index in model.entityMappings.indices where model.entityMappings[index].destinationEntityName == "Person" {
        model.entityMappings[index].filterPredicate = try filter.map { try Predicate(format: $0) }
        model.entityMappings[index].relationshipMappings = []
      }
    }
    #expect(try pair.compare().differences == [])
    #expect(try pair.compare().findings?.linksCount == 2)
    #expect(try !pair.differences(after: "UPDATE ZPET SET ZOWNER = NULL").isEmpty)
    #expect(try !pair.differences(after: "UPDATE ZPET SET ZOWNER = 1").isEmpty)
  }

  private static func teams(_ maxCount: Int32) -> [EntityDescription] {
    [
      EntityDescription(
        "Person",
        relationships: [RelationshipDescription("teams", to: "Team", inverse: "members", maxCount: maxCount)]),
      EntityDescription("Team", relationships: [RelationshipDescription("members", to: "Person", inverse: "teams")]),
    ]
  }

  @Test func `asks for one of the links that only one of can stay`() throws {
    let join = try #require(StoreSchema(TrackModels.model(Self.teams(0))).joinTables.first)
    let isPerson = join.naming.entityName == "Person"
    let links = [(1, 1), (1, 2), (2, 2)].map { person, team in "(\(person), \(team))" }.joined(separator: ", ")
    let (persons, teams) = (
      (isPerson ? join.inverse : join.naming).destinationColumn,
      (isPerson ? join.naming : join.inverse).destinationColumn
    )
    let pair = try AppPair(
      [Self.teams(0), Self.teams(1)],
      """
      INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1);
      INSERT INTO ZTEAM (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1), (2, 2, 1);
      INSERT INTO \(join.name) (\(persons), \(teams)) VALUES \(links); UPDATE Z_PRIMARYKEY SET Z_MAX = 2
      """)
    let (differences, findings) = try pair.compare()
    #expect(differences == [])
    #expect(findings?.linksCount == 2 && findings?.droppedLinkCounts == ["Person.teams": 1])
    #expect(
      findings?.unchecked == ["Person.teams: which of several links was kept, where there is room for one only"])
    let missing = "missing-link Person 1 teams"
    #expect(try pair.differences(after: "UPDATE ZPERSON SET ZTEAMS = NULL WHERE Z_PK = 1") == [missing, missing])
    #expect(
      try pair.differences(after: "UPDATE ZPERSON SET ZTEAMS = NULL WHERE Z_PK = 2") == ["missing-link Person 2 teams"])
  }

  @Test func `names a missing link once where both ends lead to one`() throws {
    func version(_ maxCount: Int32) -> [EntityDescription] {
      [
        EntityDescription(
          "Person", relationships: [RelationshipDescription("pet", to: "Pet", inverse: "owner", maxCount: maxCount)]),
        EntityDescription(
          "Pet", relationships: [RelationshipDescription("owner", to: "Person", inverse: "pet", maxCount: 1)]),
      ]
    }
    let pair = try AppPair(
      [version(0), version(1)],
      """
      INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1);
      INSERT INTO ZPET (Z_PK, Z_ENT, Z_OPT, ZOWNER) VALUES (1, 2, 1, 1), (2, 2, 1, 1); UPDATE Z_PRIMARYKEY SET Z_MAX = 2
      """)
    #expect(try pair.compare().differences == [])
    #expect(try pair.compare().findings?.linksCount == 1)
    let none = "UPDATE ZPERSON SET ZPET = NULL; UPDATE ZPET SET ZOWNER = NULL"
    #expect(try pair.differences(after: none).count == 2)
    // Each of the two candidates is named.
    #expect(try pair.differences(after: "UPDATE ZPERSON SET ZPET = NULL").count == 2)
  }

  @Test func `expects no order that was lost on the way, but a place in a new one`() throws {
    // The renamed attribute leads through all versions.
    func version(_ attribute: String, from old: String, isOrdered: Bool) -> [EntityDescription] {
      [
        EntityDescription(
          "Shelf",
          relationships: [RelationshipDescription("things", to: "Thing", inverse: "shelf", isOrdered: isOrdered)]
        ),
        EntityDescription(
          "Thing", attributes: [AttributeDescription(attribute, .string, renamingIdentifier: old)],
          relationships: [RelationshipDescription("shelf", to: "Shelf", inverse: "things", maxCount: 1)]),
      ]
    }
    let pair = try AppPair(
      [
        version("a", from: "a", isOrdered: true), version("b", from: "a", isOrdered: false),
        version("c", from: "b", isOrdered: true),
      ],
      """
      INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1);
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZA, ZSHELF, Z_FOK_SHELF) VALUES
        (1, 2, 1, 'x', 1, 2048), (2, 2, 1, 'y', 1, 1024);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 2
      """)
    let (differences, findings) = try pair.compare()
    #expect(differences == [])
    #expect(findings?.unchecked == ["Shelf.things: its order, since there was none before"])
    #expect(
      try pair.differences(after: "UPDATE ZTHING SET Z_FOK_SHELF = NULL WHERE Z_PK = 2") == ["value Shelf 1 things"])
  }

  @Test func `compares counts, and finds values in columns that an entity lacks`() throws {
    func version(_ isNew: Bool) -> [EntityDescription] {
      var count = AttributeDescription("count", .integer64)
      count.derivationExpression = "dogs.@count"
      return [
        EntityDescription(
          "Shelter", attributes: isNew ? [count] : [],
          relationships: [RelationshipDescription("dogs", to: "Dog", inverse: "shelter")]),
        EntityDescription("Animal", attributes: [AttributeDescription("name", .string)]),
        EntityDescription(
          "Dog", superentityName: "Animal", attributes: [AttributeDescription("breed", .string)],
          relationships: [RelationshipDescription("shelter", to: "Shelter", inverse: "dogs", maxCount: 1)]),
      ]
    }
    let pair = try AppPair(
      [version(false), version(true)],
      """
      INSERT INTO ZSHELTER (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1), (2, 3, 1);
      INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZBREED, ZSHELTER) VALUES (1, 1, 1, NULL, NULL), (2, 2, 1, 'b', 1);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_SUPER = 0
      """)
    let (differences, findings) = try pair.compare()
    #expect(differences == [] && findings?.unchecked == [])
    #expect(try pair.differences(after: "UPDATE ZSHELTER SET ZCOUNT = 77 WHERE Z_PK = 2") == ["value Shelter 2 count"])
    #expect(try pair.differences(after: "UPDATE ZANIMAL SET ZBREED = 'x' WHERE Z_PK = 1") == ["value ZANIMAL 1 ZBREED"])
  }

  @Test func `lets external files be that nothing refers to and that were there before`() throws {
    let pair = try AppPair(
      [1, 2].map { count in
        [
          EntityDescription(
            "Thing",
            attributes: ["a", "b"].prefix(count).map {
              AttributeDescription($0, .binaryData, allowsExternalBinaryDataStorage: true)
            })
        ]
      }, "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1); UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
    for folder in [".New_SUPPORT", ".New_SUPPORT/_EXTERNAL_DATA"] { _ = try? pair.folder.makeFolder(folder) }
    try pair.folder.write(Array("a file".utf8), to: ".New_SUPPORT/_EXTERNAL_DATA/\(AppPair.fileName)")
    #expect(try pair.compare().differences == [])
    try pair.folder.write([1], to: ".New_SUPPORT/_EXTERNAL_DATA/00000002-ABCD-4EF0-8123-456789ABCDEF")
    #expect(try pair.compare().differences == ["file"])
  }
}
