import DataModel
import Migration
import TestSupport
import Testing

@Suite("What tells which versions follow each other")
struct VersionOrderTests {
  private typealias Entities = [(name: String, attributes: [String])]

  private func version(_ name: String, _ entities: Entities) -> LoadedModelVersion {
    LoadedModelVersion(
      name: name,
      model: TrackModels.model(
        entities.map { entity in
          EntityDescription(entity.name, attributes: entity.attributes.map { AttributeDescription($0, .string) })
        }))
  }

  private func mapping(_ source: LoadedModelVersion, _ destination: LoadedModelVersion, _ name: String)
    -> LoadedMappingModel
  {
    LoadedMappingModel(
      name: name, sourceVersionName: source.name, destinationVersionName: destination.name,
      mappingModel: MappingModel(entityMappings: [
        .suggested(from: source.model.entities[0], to: destination.model.entities[0])
      ]))
  }

  private func plan(
    _ versions: [LoadedModelVersion], _ mappings: [LoadedMappingModel] = [], from source: LoadedModelVersion,
    to destination: LoadedModelVersion
  ) throws -> [String] {
    let planner = MigrationPlanner(versions: versions.sorted { $0.name < $1.name }, mappings: mappings)
    return PlannedVersions.words(try planner.plan(from: source, to: destination))
  }

  @Test func `The way never leads back to an older version`() throws {
    let notes = Checkout.root.appending(path: "SampleData/Notes/Notes.xcdatamodeld").path
    let versions = try LoadedModelVersion.all(in: ModelBundle(path: notes))
    #expect(versions.map(\.name) == ["Notes", "Notes 2", "Notes 3", "Notes 4"])
    #expect(try plan(versions, from: versions[1], to: versions[2]) == ["Notes 2>Notes 3 inferred"])
    #expect(try plan(versions, from: versions[1], to: versions[3]) == ["Notes 2>Notes 4 inferred"])
    #expect(try plan(versions, from: versions[3], to: versions[1]) == ["Notes 4>Notes 2 inferred"])
  }

  @Test func `Mapping models order versions whose names do not`() throws {
    let versions = ["B", "A", "C"].enumerated().map { place, name in
      version(name, [("Item", (0...place).map { "a\($0)" })])
    }
    #expect(try plan(versions, from: versions[0], to: versions[2]) == ["B>C inferred"])
    #expect(
      try plan(versions, [mapping(versions[0], versions[1], "m")], from: versions[0], to: versions[2])
        == ["B>A m", "A>C inferred"])
    #expect(
      try plan(versions, [mapping(versions[1], versions[2], "m")], from: versions[0], to: versions[2])
        == ["B>C inferred"], "nothing says that A came before C and after B")
    // A number in a name counts more than a mapping model, which may be there to go back.
    let numbered = (1...3).map { version("V\($0)", [("Item", (0...$0).map { "a\($0)" })]) }
    #expect(
      try plan(numbered, [mapping(numbered[2], numbered[1], "back")], from: numbered[0], to: numbered[2])
        == ["V1>V3 inferred"])
    // As numbers, not as text.
    let many = [1, 2, 10].map { version("Model v\($0)", [("Item", (0...$0).map { "a\($0)" })]) }
    let planner = MigrationPlanner(versions: many, mappings: [mapping(many[1], many[2], "m")])
    #expect(
      PlannedVersions.words(try planner.plan(from: many[0], to: many[2]))
        == ["Model v1>Model v2 inferred", "Model v2>Model v10 m"])
  }

  @Test func `The version that the bundle marks as current is the newest, whatever its name`() throws {
    let (old, middle) = (version("App 2", [("Note", ["text"])]), version("App 3", [("Memo", ["text"])]))
    let new = version("App 1", [("Memo", ["text", "date"])])
    var planner = MigrationPlanner(versions: [new, old, middle], mappings: [mapping(old, middle, "m")])
    planner.currentVersionName = "App 1"
    #expect(
      PlannedVersions.words(try planner.plan(from: old, to: new)) == ["App 2>App 3 m", "App 3>App 1 inferred"])
  }

  @Test func `A version with none of the entities is not on the route, whatever its name`() throws {
    let full = (1...5).map { (name: "E\($0)", attributes: ["a", "b"]) }
    let first = version("1", full)
    let empty = version("2", [("Setting", ["a"])])
    let last = version("3", full.map { ($0.name, $0.attributes + ["c", "d", "e", "f", "g"]) })
    #expect(try plan([first, empty, last], from: first, to: last) == ["1>3 inferred"])
    #expect(try plan([first, empty, last], from: last, to: first) == ["3>1 inferred"])
  }

  @Test func `A renamed entity counts as the same entity`() throws {
    let first = version("A", [("Song", ["a", "b", "c"])])
    let renamed = LoadedModelVersion(
      name: "B",
      model: TrackModels.model([
        EntityDescription(
          "Piece", renamingIdentifier: "Song", attributes: ["a", "b", "c"].map { AttributeDescription($0, .string) })
      ]))
    let last = version("C", [("Piece", ["a", "b", "c", "d"])])
    #expect(try plan([first, renamed, last], from: first, to: last) == ["A>B inferred", "B>C inferred"])
  }

  @Test func `A mapping model that leads onward takes precedence over inference`() throws {
    let old = version("1", [("Note", ["text"])])
    let middle = version("2", [("Memo", ["text"])])
    let new = version("3", [("Memo", ["text", "date"])])
    let all = [old, middle, new]
    #expect(
      try plan(all, [mapping(old, middle, "m")], from: old, to: new) == ["1>2 m", "2>3 inferred"])
    // One that leads back does not.
    #expect(try plan(all, [mapping(middle, old, "m")], from: middle, to: new) == ["2>3 inferred"])
    let later = version("4", [("Memo", ["text", "date", "place"])])
    #expect(
      try plan(all + [later], [mapping(new, middle, "back")], from: new, to: later) == ["3>4 inferred"])
  }

  @Test func `A mapping model to the target version is reached by inference`() throws {
    // For a while there was more, which made the first and the last version look most alike.
    let old = version("a", [("Note", ["text"])])
    let more = version("b", [("Note", ["text"]), ("Draft", ["a", "b", "c", "d"])])
    let new = version("c", [("Note", ["text", "date"])])
    #expect(
      try plan([old, more, new], [mapping(more, new, "m")], from: old, to: new) == ["a>b inferred", "b>c m"])
    // One for stores that were older is not: nothing is taken back for it.
    let oldest = version("0", [("Note", [])])
    #expect(
      try plan([oldest, old, new], [mapping(oldest, new, "m")], from: old, to: new) == ["a>c inferred"])
  }

  @Test func `The route with fewer inferred hops is chosen among those with equally many hops`() throws {
    var versions = PlannedVersions(12)
    versions.map(2, 3)
    #expect(try versions.plan(1, 4) == ["V1>V2 inferred", "V2>V3 m23", "V3>V4 inferred"])
    // It leads away at first, so it does not go before inference just for being there.
    versions.map(1, 12)
    versions.map(12, 3)
    #expect(try versions.plan(1, 4) == ["V1>V2 inferred", "V2>V3 m23", "V3>V4 inferred"])
  }

  @Test func `Names decide between routes that are otherwise equal`() throws {
    var versions = PlannedVersions(4)
    for (source, destination) in [(1, 3), (3, 4), (1, 2), (2, 4)] { versions.map(source, destination) }
    #expect(try versions.plan(1, 4) == ["V1>V2 m12", "V2>V4 m24"])
  }

  private func relationships(_ name: String, isOrdered: Bool, besides attributes: [String]) -> LoadedModelVersion {
    let item = EntityDescription(
      "Item", attributes: attributes.map { AttributeDescription($0, .string) },
      relationships: [
        RelationshipDescription("parts", to: "Part", inverse: "item", isOrdered: isOrdered)
      ])
    let part = EntityDescription(
      "Part", relationships: [RelationshipDescription("item", to: "Item", inverse: "parts", maxCount: 1)])
    return LoadedModelVersion(name: name, model: TrackModels.model([item, part]))
  }

  @Test func `A route that keeps the order of a relationship wins over one that loses it`() throws {
    let versions = [true, true, false, true, true].enumerated().map { place, isOrdered in
      relationships("V\(place)", isOrdered: isOrdered, besides: (0...place).map { "a\($0)" })
    }
    #expect(
      try plan(versions, from: versions[0], to: versions[4]) == ["V0>V4 inferred"])
    #expect(
      try plan(versions, from: versions[1], to: versions[2]) == ["V1>V2 inferred"], "there is no other")
    // Going back loses attributes anyway, but not the order.
    #expect(try plan(versions, from: versions[3], to: versions[1]) == ["V3>V1 inferred"])
    // A mapping model may do more than inference knows of.
    #expect(
      try plan(versions, [mapping(versions[1], versions[2], "m")], from: versions[0], to: versions[3])
        == ["V0>V1 inferred", "V1>V2 m", "V2>V3 inferred"])
  }

  @Test func `Of a route that loses something, only the hops that lose it are replaced`() throws {
    // The attribute is renamed twice, so it is lost by hops that pass over a name.
    func model(_ name: String, _ text: String, was: String? = nil, isOrdered: Bool) -> LoadedModelVersion {
      var version = relationships(name, isOrdered: isOrdered, besides: ["a", "b", "c"])
      let attribute = AttributeDescription(text, .string, renamingIdentifier: was)
      let attributes = version.model.entities[0].attributes + [attribute]
      version.model = TrackModels.model([
        EntityDescription("Item", attributes: attributes, relationships: version.model.entities[0].relationships),
        version.model.entities[1],
      ])
      return version
    }
    let versions = [
      model("1", "first", isOrdered: true), model("2", "second", was: "first", isOrdered: true),
      model("3", "second", isOrdered: false), model("4", "second", isOrdered: true),
      model("5", "third", was: "second", isOrdered: true),
    ]
    #expect(
      try plan(versions, from: versions[0], to: versions[4])
        == ["1>2 inferred", "2>5 inferred"])
  }

  @Test func `A chain of inferred hops is found through a version that seems not to be on the route`() throws {
    let attributes = (0..<9).map { AttributeDescription("a\($0)", .string) }
    func item(_ name: String, _ attributes: [AttributeDescription]) -> LoadedModelVersion {
      LoadedModelVersion(name: name, model: TrackModels.model([EntityDescription("Item", attributes: attributes)]))
    }
    // The first and the last version are most alike, but only the second gives the required attribute a value.
    let first = item("1", attributes)
    let second = item("2", [AttributeDescription("needed", .string, isOptional: false, defaultValue: .string("x"))])
    let last = item("3", attributes + [AttributeDescription("needed", .string, isOptional: false)])
    #expect(try plan([first, second, last], from: first, to: last) == ["1>2 inferred", "2>3 inferred"])
    // A mapping model elsewhere does not change that.
    let other = item("4", attributes + [AttributeDescription("b", .string)])
    #expect(
      try plan([first, second, last, other], [mapping(other, first, "back")], from: first, to: last)
        == ["1>2 inferred", "2>3 inferred"])
  }

  @Test func `A version in between that only fills in values is passed, as in Core Data`() throws {
    func item(_ name: String, _ attributes: [String], fillsFirst: Bool) -> LoadedModelVersion {
      let filled = AttributeDescription(
        "filled", .string, isOptional: !fillsFirst, defaultValue: fillsFirst ? .string("x") : nil)
      return LoadedModelVersion(
        name: name,
        model: TrackModels.model([
          EntityDescription("Item", attributes: [filled] + attributes.map { AttributeDescription($0, .string) })
        ]))
    }
    let versions = [
      item("1", [], fillsFirst: false), item("2", ["b", "draft"], fillsFirst: true),
      item("3", ["b", "c"], fillsFirst: false),
    ]
    #expect(try plan(versions, from: versions[0], to: versions[2]) == ["1>3 inferred"])
  }
}
