import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// Inferred migrations of random stores, compared with the documented rules applied to plain dictionaries.
struct InferenceDifferentialTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(isInMemory: true) }

  @Test func `Inference agrees with the reference on results and on reasons for refusal`() throws {
    try Differential.run("inference", count: 30, kinds: ["migrated", "refused", "invalid"]) { seed in
      var random = SeededGenerator(seed: seed)
      let blueprint = Blueprint.random(&random)
      let isGentle = random.chance(60)
      guard let old = blueprint.model(), let new = blueprint.changed(&random, isGentle: isGentle).model(),
        let graph = PlainGraph.random(PlainModel(old), &random)
      else { return .nothing }
      let expected = ExpectedInference(from: old, to: new)
      do throws(InferenceError) {
        _ = try MappingModel.inferred(from: old, to: new)
      } catch {
        let difference = InferenceReasons.difference(InferenceReasons.facts(error), from: expected)
        return difference.map { .different($0) } ?? .same("refused")
      }
      guard expected.reasons.isEmpty else { return .different("not refused: \(expected.reasons)") }
      return try migrate(graph, [old, new], expecting: expected.migrate(graph), &random)
        .inUserTerms(by: "from \(PlainModel(old))to \(PlainModel(new))with \(graph)")
    }
  }

  @Test func `Three versions give the same result as the hops that lead through them`() throws {
    try Differential.run("chains", count: 12, kinds: ["migrated"]) { seed in
      var random = SeededGenerator(seed: seed ^ 0xC4A1)
      let first = Blueprint.random(&random)
      let second = first.changed(&random, isGentle: true)
      guard let old = first.model(), let middle = second.model(),
        let new = second.changed(&random, isGentle: true).model(),
        let graph = PlainGraph.random(PlainModel(old), &random)
      else { return .nothing }
      let hops = [ExpectedInference(from: old, to: middle), ExpectedInference(from: middle, to: new)]
      guard hops.allSatisfy({ $0.reasons.isEmpty }), Set([old, middle, new].map(\.hashes)).count == 3 else {
        return .nothing
      }
      let story = "from \(PlainModel(old))by \(PlainModel(middle))to \(PlainModel(new))with \(graph)"
      let direct = ExpectedInference(from: old, to: new)
      let planner = MigrationPlanner(versions: Self.versions([old, middle, new]))
      if try planner.plan(from: planner.versions[0], to: planner.versions[2]).steps.count == 1 {
        // Nothing records which version came in between, and the direct hop may lose less.
        guard direct.reasons.isEmpty else { return .different("not refused: \(direct.reasons)") }
        return try migrate(graph, [old, middle, new], expecting: direct.migrate(graph), &random).inUserTerms(by: story)
      }
      let halfway = hops[0].migrate(graph)
      guard halfway.contested.isEmpty else { return .nothing }
      var result = hops[1].migrate(halfway.graph)
      result.violation = halfway.violation ?? result.violation
      // The order is lost if the version in between does not keep it.
      result.ordered.formIntersection(Self.keptOrder(hops[1], halfway.ordered))
      return try migrate(graph, [old, middle, new], expecting: result, &random).inUserTerms(by: story)
    }
  }

  private static func versions(_ models: [ManagedObjectModel]) -> [LoadedModelVersion] {
    zip(1..., models).map { LoadedModelVersion(name: "\($0)", model: $1) }
  }

  private static func keptOrder(_ hop: ExpectedInference, _ ordered: Set<String>) -> Set<String> {
    Set(
      hop.pairs.values.flatMap { pair in
        pair.relationships.oldNames.filter { ordered.contains($0.value) }.map(\.key)
      })
  }

  private func migrate(
    _ graph: PlainGraph, _ models: [ManagedObjectModel], expecting expected: ExpectedInference.Result,
    _ random: inout SeededGenerator
  ) throws -> Differential.Verdict {
    guard let old = models.first, let new = models.last else { return .nothing }
    defer { for name in (try? folder.listing()) ?? [] { Files.remove(folder.file(name)) } }
    let encoding = random.pick("UTF-8", "UTF-8", "UTF-16le", "UTF-16be")
    let layout = FileLayout(pageSize: random.pick(1024, 4096), autoVacuum: 2, encoding: encoding)
    let store = GraphStore(folder.file("Old.sqlite"), old)
    try store.write(graph, layout: layout, &random)
    var migration = StoreMigration(path: folder.file("Old.sqlite"), versions: Self.versions(models))
    migration.outputPath = folder.file("New.sqlite")
    migration.allowsLoss = true
    do throws(MigrationError) {
      if case .alreadyCurrent = try migration.run() {
        return old.hashes == new.hashes ? .same("current already") : .different("not migrated, though hashes differ")
      }
    } catch {
      // Whether a value is missing may depend on an undefined choice.
      if error.code == .validationFailed, expected.violation != nil || !expected.contested.isEmpty {
        return .same("invalid")
      }
      return .different("\(error)")
    }
    if let violation = expected.violation, expected.contested.isEmpty {
      return .different("\(violation) is missing, and nobody says so")
    }
    let result = try GraphStore(folder.file("New.sqlite"), new).read()
    let integrity = try Database.integrity(folder.file("New.sqlite"))
    if integrity != ["ok"] { return .different("\(integrity)") }
    let lines = result.lines(ordered: expected.ordered, ignoring: expected.contested)
    let difference = lines.difference(
      from: expected.graph.lines(ordered: expected.ordered, ignoring: expected.contested), "lines")
    return difference.map { .different($0) } ?? .same(expected.contested.isEmpty ? "migrated" : "migrated in part")
  }
}

extension ManagedObjectModel {
  /// A value that distinguishes the versions.
  fileprivate var hashes: [String: VersionHash] {
    Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.versionHash) })
  }
}
