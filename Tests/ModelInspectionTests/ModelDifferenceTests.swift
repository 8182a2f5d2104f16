import DataModel
import ModelInspection
import TestSupport
import Testing

@Suite struct ModelDifferenceTests {
  private func entity(_ name: String, _ attributes: String..., parent: String? = nil) -> EntityDescription {
    EntityDescription(
      name, superentityName: parent, attributes: attributes.map { AttributeDescription($0, .string) })
  }

  private func changes(
    _ old: [EntityDescription], _ new: [EntityDescription], precision: ModelDifference.Precision = .source
  ) -> [String] {
    ModelDifference(from: TrackModels.model(old), to: TrackModels.model(new), precision: precision).changes
      .map(\.outline)
  }

  @Test func `Equal models have no differences`() {
    let notes = NoteModels.destination
    #expect(ModelDifference(from: notes, to: notes).isEmpty)
    #expect(ModelDifference(from: TrackModels.model([]), to: TrackModels.model([])).isEmpty)
  }

  @Test func `The second version of the track library differs only in what the migration changes`() {
    let difference = ModelDifference(from: TrackModels.v1, to: TrackModels.v2)
    #expect(
      difference.changes.map(\.outline) == [
        "Artist entity +!", "Track attribute artistName -!", "Track attribute json -!", "Track relationship artists +!",
      ])
    #expect(difference.entities.map(\.name) == ["Artist", "Track"])
    #expect(difference.entities.map(\.oldHash) == [nil, TrackModels.v1.entity(named: "Track")?.versionHash])
    let back = ModelDifference(from: TrackModels.v2, to: TrackModels.v1)
    #expect(back.changes.first?.outline == "Artist entity -!")
  }

  @Test func `A renaming identifier takes precedence over a name, as in inference`() {
    let new = [EntityDescription("A", renamingIdentifier: "B"), entity("B")]
    let difference = ModelDifference(from: TrackModels.model([entity("A"), entity("B")]), to: TrackModels.model(new))
    #expect(
      Set(difference.entities.map { "\($0.oldName ?? "nothing") -> \($0.newName ?? "nothing")" })
        == ["A -> nothing", "B -> A", "nothing -> B"])
  }

  @Test func `A renamed property is reported as one change`() {
    let new = EntityDescription("A", attributes: [AttributeDescription("new", .string, renamingIdentifier: "old")])
    #expect(
      changes([entity("A", "old")], [new]) == ["A attribute new <- old!"])
  }

  @Test func `A new name of a transient attribute does not change the version hash`() {
    let old = AttributeDescription("old", .string, isTransient: true)
    let new = AttributeDescription("new", .string, isTransient: true, renamingIdentifier: "old")
    #expect(
      changes([EntityDescription("A", attributes: [old])], [EntityDescription("A", attributes: [new])])
        == ["A attribute new <- old"])
  }

  @Test func `A rename that two consecutive versions repeat is reported once`() {
    let attribute = AttributeDescription("new", .string, renamingIdentifier: "old")
    let entity = EntityDescription("A", attributes: [attribute])
    #expect(changes([entity], [entity]) == [])
    let third = EntityDescription("A", attributes: [AttributeDescription("newest", .string, renamingIdentifier: "old")])
    #expect(changes([entity], [third]) == ["A attribute newest <- new!"])
    #expect(
      changes([self.entity("A", "new")], [entity]) == ["A attribute new renamingIdentifier new -> old"])
  }

  @Test func `A new property can take the name of a removed one`() {
    let new = EntityDescription("A", attributes: [AttributeDescription("a", .string, renamingIdentifier: "b")])
    #expect(changes([entity("A", "a", "b")], [new]) == ["A attribute a -!", "A attribute a <- b!"])
  }

  @Test func `A change that only follows a rename is marked as such`() {
    func model(_ author: String, _ books: String, renaming: Bool) -> [EntityDescription] {
      [
        EntityDescription(
          author, renamingIdentifier: renaming ? "Author" : nil, uniquenessConstraints: [[books]],
          relationships: [
            RelationshipDescription(books, to: "Book", inverse: "author", renamingIdentifier: renaming ? "books" : nil)
          ], fetchIndexes: [FetchIndexDescription("i", properties: [books])]),
        EntityDescription(
          "Book",
          relationships: [RelationshipDescription("author", to: author, inverse: books, maxCount: 1)]),
        EntityDescription("Child", superentityName: author),
      ]
    }
    #expect(
      changes(model("Author", "books", renaming: false), model("Writer", "works", renaming: true)) == [
        "Book relationship author destinationEntity Author -> Writer!~",
        "Book relationship author inverseRelationship books -> works!~",
        "Child entity superentity Author -> Writer!~",
        "Writer entity <- Author!",
        "Writer entity uniquenessConstraints (books) -> (works)!~",
        "Writer relationship works <- books!",
        "Writer index i elements books -> works~",
      ])
  }

  @Test func `Entities that only inherit a change are reported through five levels`() {
    func model(_ attribute: String) -> ManagedObjectModel {
      TrackModels.model(
        [entity("E0", attribute)] + (1...5).map { entity("E\($0)", "own\($0)", parent: "E\($0 - 1)") })
    }
    let difference = ModelDifference(from: model("a"), to: model("b"))
    #expect(difference.changes.map(\.outline) == ["E0 attribute a -!", "E0 attribute b +!"])
    #expect(difference.entities.map(\.name) == ["E0", "E1", "E2", "E3", "E4", "E5"])
    #expect(difference.entities.map(\.isInherited) == [false, true, true, true, true, true])
  }

  @Test func `An attribute that becomes a relationship is removed and added`() {
    let new = EntityDescription("A", relationships: [RelationshipDescription("x", to: "A")])
    #expect(changes([entity("A", "x")], [new]) == ["A attribute x -!", "A relationship x +!"])
  }

  @Test func `Names that only look the same are different, as are their version hashes`() {
    let difference = ModelDifference(
      from: TrackModels.model([entity("A", "caf\u{E9}")]), to: TrackModels.model([entity("A", "cafe\u{301}")]))
    #expect(
      difference.changes.map(\.kind) == [
        .renamed(from: "caf\u{E9}"), .changed(.renamingIdentifier, from: "caf\u{E9}", to: "cafe\u{301}"),
      ])
    #expect(difference.changes.map(\.affectsVersionHash) == [true, false])
    #expect(difference.hasOtherHashes)
  }

  @Test func `Names may contain any characters`() {
    let new = entity("E'\" ;\u{1F3B5}\n", "a b", "'")
    #expect(
      changes([], [new]) == ["E'\" ;\u{1F3B5}\n entity +!"])
    #expect(
      changes([new], [entity("E'\" ;\u{1F3B5}\n", "'")]) == ["E'\" ;\u{1F3B5}\n attribute a b -!"])
  }

  @Test func `Details that compiling discards are not compared with a compiled model`() {
    var attribute = AttributeDescription("a", .string)
    attribute.validation.maximum = .integer(3)
    let old = [EntityDescription("A", managedObjectClassName: ".A", attributes: [attribute])]
    let new = [
      EntityDescription(
        "A", managedObjectClassName: "App.A", attributes: [AttributeDescription("a", .string)],
        fetchIndexes: [FetchIndexDescription("a", properties: ["a"])])
    ]
    #expect(changes(old, new, precision: .compiled) == [])
    #expect(changes(old, new) == ["A attribute a maximumValue 3 -> nil", "A index a +"])
    #expect(
      changes([EntityDescription("A")], [EntityDescription("A", managedObjectClassName: "NSManagedObject")]) == [])
    #expect(
      changes([EntityDescription("A")], [EntityDescription("A", managedObjectClassName: ".A")])
        == ["A entity managedObjectClassName nil -> .A"])
  }

  @Test func `Configurations, identifiers and other settings of the whole model are compared`() throws {
    let entities = [entity("A"), entity("B")]
    var old = try ManagedObjectModel(
      entities: entities, versionIdentifiers: ["1"], configurations: ["x": ["A"], "y": [], "w": ["A", "B"]])
    var new = try ManagedObjectModel(
      entities: entities, versionIdentifiers: ["2"], configurations: ["x": ["B"], "z": [], "w": ["B", "A"]])
    old.fetchRequestTemplates = [
      FetchRequestDescription("r", entityName: "A"), FetchRequestDescription("s", entityName: "A"),
    ]
    new.fetchRequestTemplates = [
      FetchRequestDescription("r", entityName: "B", predicate: "1 == 1"), FetchRequestDescription("t", entityName: "A"),
    ]
    let difference = ModelDifference(from: old, to: new)
    #expect(
      difference.changes.map(\.outline) == [
        "model versionIdentifiers 1 -> 2", "configuration x members A -> B", "configuration y -", "configuration z +",
        "request r fetchedEntity A -> B", "request r predicate nil -> 1 == 1", "request s -", "request t +",
      ])
    #expect(!difference.hasOtherHashes)
    #expect(!difference.isEmpty)
  }

  @Test func `Fetched properties and indexes are compared but do not affect hashes`() {
    func property(_ entity: String, _ predicate: String?) -> FetchedPropertyDescription {
      FetchedPropertyDescription(
        "f", fetchRequest: FetchRequestDescription("r", entityName: entity, predicate: predicate))
    }
    let element = FetchIndexElementDescription(property: "a", collationType: .rTree, isAscending: false)
    let old = EntityDescription(
      "A", attributes: [AttributeDescription("a", .double)], fetchedProperties: [property("A", nil)],
      fetchIndexes: [FetchIndexDescription("i", properties: ["a"]), FetchIndexDescription("j", properties: ["a"])])
    let new = EntityDescription(
      "A", attributes: [AttributeDescription("a", .double)], fetchedProperties: [property("A", "a > 1")],
      fetchIndexes: [
        FetchIndexDescription("i", elements: [element, FetchIndexElementDescription(.entity)]),
        FetchIndexDescription("k", properties: ["a"]),
      ])
    #expect(
      changes([old], [new]) == [
        "A fetched f predicate nil -> a > 1", "A index j -", "A index i elements a -> a DESC RTREE, entity",
        "A index k +",
      ])
  }

  @Test func `Thousands of properties with one renaming identifier are compared quickly`() {
    func model(_ prefix: String) -> [EntityDescription] {
      let attributes = (0..<5_000).map { AttributeDescription("\(prefix)\($0)", .string, renamingIdentifier: "x") }
      return [EntityDescription("A", attributes: attributes)]
    }
    #expect(changes(model("a"), model("b")).count == 5_000)
  }

  @Test(.enabled(if: !SharedFolder.modelFiles.isEmpty, "needs ../shared/corpus"))
  func `A corpus entity has a different hash only if it or its parent has a matching change`() throws {
    let models = try SharedFolder.modelFiles.map { try ManagedObjectModel(contentsOfFile: $0) }
    var count = 0
    for old in models {
      for new in models {
        let difference = ModelDifference(from: old, to: new)
        #expect(difference.isEmpty == (old == new) || old.entityVersionHashesByName == new.entityVersionHashesByName)
        let hasOther = Dictionary(
          uniqueKeysWithValues: difference.entities.compactMap { entity in
            entity.newName.map { ($0, entity.hasOtherHash) }
          })
        for entity in difference.entities where entity.oldName != nil && entity.newName != nil {
          count += 1
          let parent = new.entity(named: entity.name)?.superentityName
          let inherits = parent.map { hasOther[$0] == true } ?? false
          #expect(entity.hasOtherHash == (entity.changes.contains(where: \.affectsVersionHash) || inherits))
        }
      }
    }
    #expect(count > 20)
  }
}
