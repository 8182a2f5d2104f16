import PersistentStore
import TestSupport
import Testing

@testable import Migration

/// The objects that a context has handed out and that are still in use.
struct ObjectsInUseTests {
  @Test(arguments: 1...5)
  func `Whatever its key, an instance is found while it is in use and forgotten afterwards`(seed: UInt64) throws {
    let fixture = try MigrationFixture([])
    let reader = try StoreReader(path: fixture.source)
    let context = ManagedObjectContext(SourceInstances(reader, schema: StoreSchema(TrackModels.v1)))
    var generator = SeededGenerator(seed: seed)
    // Keys that follow each other, and keys that differ in a few bits only, high or low.
    var keys: [Int64] = [.min, .max, 0, -1]
    for number: Int64 in 1...300 { keys += [number, number << 40, Int64.min + number << 50] }
    for bit in 0..<63 { keys.append(1 << bit) }
    var kept: [Int64: ManagedObject] = [:]
    for _ in 0..<20_000 {
      let key = try #require(keys.randomElement(using: &generator))
      let found = try #require(context.object(ofEntityNamed: "Track", primaryKey: key))
      #expect(found.objectID.primaryKey == key)
      if let known = kept[key] { #expect(found === known) }
      kept[key] = Int.random(in: 0..<3, using: &generator) == 0 ? found : nil
    }
    #expect(Set(context.objectsInUse.map(\.objectID)) == Set(kept.values.map(\.objectID)))
    kept = [:]
    #expect(context.objectsInUse.isEmpty)
  }
}
