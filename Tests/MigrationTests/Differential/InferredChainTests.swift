import DataModel
import Migration
import PersistentStore
import TestSupport
import Testing

/// Inference from version to version comes to the same as inference from the first to the last.
struct InferredChainTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `Two inferred hops give the same result as one`() throws {
    var compared = 0
    let seeds = Rounds.seeds(60)
    for seed in seeds where try check(seed) { compared += 1 }
    #expect(compared >= seeds.count / 8, "\(compared)")
  }

  private func check(_ seed: UInt64) throws -> Bool {
    var random = SeededGenerator(seed: seed)
    let sketches = (ModelSketch.random(&random))
    let second = sketches.changed(&random, version: 2, isGentle: true)
    let third = second.changed(&random, version: 3, isGentle: true)
    guard let old = sketches.model(), let middle = second.model(), let new = third.model(),
      let first = try? MappingModel.inferred(from: old, to: middle),
      let next = try? MappingModel.inferred(from: middle, to: new),
      let direct = try? MappingModel.inferred(from: old, to: new)
    else { return false }
    let rows = SampleRows(old, hasFaults: false, &random).statements
    let store = folder.file("Old.sqlite")
    try SampleStore.write(old, rows, to: store)
    let paths = ["Middle", "Chain", "Direct"].map { folder.file("\($0).sqlite") }
    defer { for path in paths + [store] { Files.remove(path) } }
    try SampleStore.migrate(store, old, to: paths[0], middle, first)
    try SampleStore.migrate(paths[0], middle, to: paths[1], new, next)
    try SampleStore.migrate(store, old, to: paths[2], new, direct)
    var (chain, single) = (try StoredGraph(paths[1], new), try StoredGraph(paths[2], new))
    let passing = Self.passing(sketches, second, third, new)
    chain.forget(passing)
    single.forget(passing)
    #expect(chain == single, "seed \(seed): \(chain.difference(single))")
    return true
  }

  /// The columns of attributes with defaults, which the version in between gives to what has no value.
  private static func passing(
    _ old: ModelSketch, _ middle: ModelSketch, _ new: ModelSketch, _ model: ManagedObjectModel
  ) -> Set<String> {
    let schema = StoreSchema(model)
    var columns: Set<String> = []
    for (id, entity) in new.entities {
      for attribute in entity.attributes {
        let before = middle.entities[id]?.attributes.first { $0.id == attribute.id }
        let first = old.entities[id]?.attributes.first { $0.id == attribute.id }
        guard before?.hasDefault == true || before?.isOptional == false || first == nil,
          let column = schema.column(forProperty: attribute.name, ofEntityNamed: entity.name)
        else { continue }
        columns.insert(column.name)
      }
    }
    return columns
  }
}
