import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

@Suite("Plans of several hops")
struct MigrationPlannerTests {
  @Test func `A direct mapping model takes precedence over a chain`() throws {
    var versions = PlannedVersions(4)
    for (source, destination) in [(1, 2), (2, 3), (3, 4), (1, 4)] { versions.map(source, destination) }
    #expect(try versions.plan(1, 4) == ["V1>V4 m14"])
    #expect(try versions.plan(2, 4) == ["V2>V3 m23", "V3>V4 m34"])
  }

  @Test func `A mapping model that leads back is used only on the way to its own version`() throws {
    var versions = PlannedVersions(4)
    versions.map(3, 2)
    versions.map(2, 4)
    #expect(try versions.plan(3, 4) == ["V3>V4 inferred"])
    #expect(try versions.plan(3, 2) == ["V3>V2 m32"])
    versions.planner.allowsInference = false
    #expect(try versions.plan(3, 2) == ["V3>V2 m32"])
    #expect(throws: MigrationError.self) { try versions.plan(3, 4) }
  }

  @Test func `Mapping models and inferences can alternate`() throws {
    var versions = PlannedVersions(5)
    versions.map(2, 3)
    #expect(try versions.plan(1, 5) == ["V1>V2 inferred", "V2>V3 m23", "V3>V5 inferred"])
  }

  @Test func `The route with fewer inferences is chosen among those of the same length`() throws {
    var versions = PlannedVersions(4)
    for (source, destination) in [(1, 3), (1, 2), (2, 4)] { versions.map(source, destination) }
    #expect(try versions.plan(1, 4) == ["V1>V2 m12", "V2>V4 m24"])
  }

  @Test func `One inferred hop leads to the last version, as in Core Data`() throws {
    var versions = PlannedVersions(3)
    #expect(try versions.plan(1, 3) == ["V1>V3 inferred"])
    versions.map(1, 2)
    #expect(try versions.plan(1, 3) == ["V1>V2 m12", "V2>V3 inferred"])
  }

  @Test func `Inference skips a version that it cannot make`() throws {
    #expect(try PlannedVersions(3, broken: [2]).plan(1, 3) == ["V1>V3 inferred"])
    var versions = PlannedVersions(4, broken: [2])
    versions.map(1, 2)
    #expect(try versions.plan(1, 4) == ["V1>V2 m12", "V2>V4 inferred"])
  }

  @Test func `Older versions can be reached too`() throws {
    var versions = PlannedVersions(4)
    versions.map(3, 2)
    #expect(try versions.plan(4, 1) == ["V4>V3 inferred", "V3>V2 m32", "V2>V1 inferred"])
  }

  @Test func `Mapping models for the same hop are applied in order`() throws {
    var versions = PlannedVersions(2)
    versions.map(1, 2, name: "z", entityMapping: "First")
    versions.map(1, 2, name: "a", entityMapping: "Second")
    #expect(try versions.plan(1, 2) == ["V1>V2 z a"])
    let step = try #require(versions.planner.plan(from: versions.version(1), to: versions.version(2)).steps.first)
    #expect(step.mappingModels.flatMap(\.entityMappings).map(\.name) == ["First", "Second"])
  }

  @Test func `Two equivalent mapping models are refused if they are on the route`() throws {
    var versions = PlannedVersions(3)
    versions.map(1, 2)
    versions.map(1, 2, name: "copy")
    let error = #expect(throws: MigrationError.self) { try versions.plan(1, 3) }
    #expect(error?.code == .ambiguousMappingModel)
    #expect(error?.subject.path == "copy")
    #expect(error?.detail == "it and 'm12' both have 'ItemToItem'")
    #expect(try versions.plan(2, 3) == ["V2>V3 inferred"])
  }

  @Test func `Versions with the same hashes need no migration`() throws {
    var versions = PlannedVersions(2)
    versions.planner.versions.append(LoadedModelVersion(name: "Again", model: PlannedVersions.model(2)))
    #expect(try versions.plan(2, 3) == [])
    #expect(try versions.plan(2, 2) == [])
  }

  @Test(.timeLimit(.minutes(1))) func `A route through a hundred versions is found quickly`() throws {
    var versions = PlannedVersions(100)
    versions.map(50, 51)
    #expect(try versions.plan(1, 100) == ["V1>V50 inferred", "V50>V51 m5051", "V51>V100 inferred"])
    #expect(try versions.plan(100, 1) == ["V100>V1 inferred"])
  }

  @Test(.timeLimit(.minutes(1))) func `The ways of a hundred versions compare no two versions twice`() throws {
    var versions = PlannedVersions(100, broken: [99])
    versions.planner.currentVersionName = "V100"
    var plans: [[String]] = []
    versions.planner.forEachPlan(from: versions.planner.versions.dropLast(), to: versions.version(100)) { _, plan in
      plans.append((try? plan.get()).map(PlannedVersions.words) ?? [])
    }
    #expect(plans.count == 99)
    #expect(plans.dropLast().enumerated().allSatisfy { $0.element == ["V\($0.offset + 1)>V100 inferred"] }, "\(plans)")
  }

  // Refusals.

  @Test func `Missing mapping models are reported when inference is off`() {
    var versions = PlannedVersions(2)
    versions.planner.allowsInference = false
    #expect(
      versions.refusal(1, 2) == "from 'V1' to 'V2': no mapping models lead there, and inference is turned off")
  }

  @Test func `Obstacles to inference are reported for each hop`() {
    let reason = "the new attribute is required, but existing instances have no value for it"
    let advice = "give it a default value, make it optional, or write a mapping model"
    #expect(
      PlannedVersions(2, broken: [2]).refusal(1, 2)
        == "from 'V1' to 'V2': 'V1' to 'V2': 'Item.needed2': \(reason); \(advice)")
    let text = PlannedVersions(4, broken: [4]).refusal(1, 4)
    #expect(text.hasPrefix("from 'V1' to 'V4': 'V1' to 'V4': 'Item.needed4': \(reason)"))
    #expect(text.contains("; 'V3' to 'V4': 'Item.needed4': \(reason)"))
    #expect(!text.contains("'V2' to 'V3'"))
    #expect(!text.contains("\n"))
  }

  // The version of a store.

  @Test func `A store's version is found by its hashes`() throws {
    let planner = PlannedVersions(3).planner
    let hashes = PlannedVersions.model(2).entityVersionHashesByName
    #expect(try planner.version(withHashes: hashes, cachedModel: nil).name == "V2")
  }

  @Test func `A version that only the store contains can be the start of a route`() throws {
    let versions = PlannedVersions(3)
    let model = TrackModels.model([
      EntityDescription("Item", attributes: [AttributeDescription("a1", .string), AttributeDescription("b", .string)])
    ])
    let hashes = model.entityVersionHashesByName
    let start = try versions.planner.version(withHashes: hashes, cachedModel: model)
    #expect(start.name == MigrationPlanner.cachedVersionName)
    let plan = try versions.planner.plan(from: start, to: versions.version(3))
    #expect(PlannedVersions.words(plan) == ["own model>V3 inferred"])
    // A cached model other than the one that the rows were written with does not help.
    #expect(throws: MigrationError.self) {
      try versions.planner.version(withHashes: hashes, cachedModel: PlannedVersions.model(1))
    }
  }

  @Test func `The nearest known version is reported for an unknown one`() {
    func model(_ names: String...) -> ManagedObjectModel { TrackModels.model(names.map { EntityDescription($0) }) }
    let planner = MigrationPlanner(versions: [
      LoadedModelVersion(name: "One", model: model("A", "B")),
      LoadedModelVersion(name: "Two", model: model("A", "B", "C")),
    ])
    let near = #expect(throws: MigrationError.self) {
      try planner.version(withHashes: model("B", "C", "D", "E").entityVersionHashesByName, cachedModel: nil)
    }
    #expect(near?.code == .unknownVersion)
    #expect(near?.detail == "the nearest version is 'Two', with 2 of 4 entities the same")
    let far = #expect(throws: MigrationError.self) { try planner.version(withHashes: [:], cachedModel: nil) }
    #expect(far?.detail == "none of the versions shares an entity with it")
    // The entities have their names in common, as after a change to a version that has shipped.
    let changed = TrackModels.model(
      ["A", "B", "X"].map { EntityDescription($0, attributes: [AttributeDescription("a", .string)]) })
    let edited = #expect(throws: MigrationError.self) {
      try planner.version(withHashes: changed.entityVersionHashesByName, cachedModel: nil)
    }
    #expect(
      edited?.detail
        == "the versions have 'A', 'B' too, but none of them as this store does; perhaps a version was changed after it had "
        + "been released")
  }
}
