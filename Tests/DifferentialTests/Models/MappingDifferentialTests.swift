import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// Random mapping models of random stores, compared with a simple reference implementation.
struct MappingDifferentialTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(isInMemory: true) }

  @Test func `Mapping models give the same result as the reference implementation`() throws {
    try Differential.run("mapping models", count: 30, kinds: ["migrated", "refused", "invalid"]) { seed in
      var random = SeededGenerator(seed: seed ^ 0x3A9)
      let blueprint = Blueprint.random(&random)
      guard let old = blueprint.model(), let new = blueprint.changed(&random, isGentle: random.chance(70)).model(),
        let graph = PlainGraph.random(PlainModel(old), &random),
        old.entities.map(\.versionHash) != new.entities.map(\.versionHash)
      else { return .nothing }
      let mapping = RandomMapping(from: old, to: new, &random)
      guard !mapping.entities.isEmpty else { return .nothing }
      return try migrate(graph, from: old, to: new, mapping, &random)
        .inUserTerms(by: "from \(PlainModel(old))to \(PlainModel(new))by \(mapping)with \(graph)")
    }
  }

  private func migrate(
    _ graph: PlainGraph, from old: ManagedObjectModel, to new: ManagedObjectModel, _ mapping: RandomMapping,
    _ random: inout SeededGenerator
  ) throws -> Differential.Verdict {
    defer { for name in (try? folder.listing()) ?? [] { Files.remove(folder.file(name)) } }
    let layout = FileLayout(pageSize: 4096, autoVacuum: 2, encoding: random.pick("UTF-8", "UTF-8", "UTF-16le"))
    let order = try GraphStore(folder.file("Old.sqlite"), old).write(graph, layout: layout, &random)
    let expected = ExpectedMapping(mapping, graph, order: order)
    var migration = StoreMigration(
      path: folder.file("Old.sqlite"),
      versions: [LoadedModelVersion(name: "1", model: old), LoadedModelVersion(name: "2", model: new)])
    migration.outputPath = folder.file("New.sqlite")
    migration.allowsInference = false
    migration.allowsLoss = true
    migration.mappings = [
      LoadedMappingModel(
        name: "mapping", sourceVersionName: "1", destinationVersionName: "2",
        mappingModel: try mapping.mappingModel(from: old, to: new))
    ]
    do throws(MigrationError) {
      _ = try migration.run()
    } catch {
      return verdict(error, expected)
    }
    if expected.fails { return .different("something fails, and nobody says so") }
    if let violation = expected.violation, expected.contested.isEmpty {
      return .different("\(violation) is missing, and nobody says so")
    }
    let result = try GraphStore(folder.file("New.sqlite"), new).read()
    let lines = result.lines(ordered: [], ignoring: expected.contested)
    return lines.difference(from: expected.graph.lines(ordered: [], ignoring: expected.contested), "lines")
      .map { .different($0) } ?? .same(expected.contested.isEmpty ? "migrated" : "migrated in part")
  }

  private func verdict(_ error: MigrationError, _ expected: ExpectedMapping) -> Differential.Verdict {
    if expected.fails, [.invalidMappingModel, .policyFailed].contains(error.code) { return .same("refused") }
    let mayBeInvalid = expected.violation != nil || !expected.contested.isEmpty
    return mayBeInvalid && error.code == .validationFailed ? .same("invalid") : .different("\(error)")
  }
}
