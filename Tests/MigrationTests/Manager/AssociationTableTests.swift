import TestSupport
import Testing

@testable import Migration

/// Which instances were made from which.
struct AssociationTableTests {
  private func source(_ key: Int64) -> ManagedObjectID {
    ManagedObjectID(store: .source, entityNumber: 1, primaryKey: key)
  }

  private func destination(_ key: Int64, entity: Int32 = 1) -> ManagedObjectID {
    ManagedObjectID(store: .destination, entityNumber: entity, primaryKey: key)
  }

  @Test func `Pairs that are added while others are handed out change nothing for these`() {
    let pairs = AssociationPairs("m")
    for key: Int64 in 1...4 { pairs.add(source(key), destination(key)) }
    var seen: [Int64] = []
    pairs.forEachDestination(in: 0..<4) { id in
      seen.append(id.primaryKey)
      // From the first one on, neither side is sorted.
      pairs.add(source(1), destination(1))
    }
    #expect(seen == [1, 2, 3, 4])
    #expect(pairs.count == 8)
    #expect(pairs.sourceCount == 4)
  }

  @Test func `An instance of another entity with the same key is no destination`() {
    var table = AssociationTable()
    for key: Int64 in 1...4 { table.add(source(key), destination(key), "first") }
    table.add(source(1), destination(9, entity: 2), "second")
    table.add(source(5), destination(5), "first")
    #expect(table.contains(destination(5)))
    #expect(table.contains(destination(9, entity: 2)))
    #expect(!table.contains(destination(9)))
    #expect(!table.contains(destination(1, entity: 2)))
    #expect(!table.contains(destination(1, entity: 3)))
    #expect(["first", "second", "none"].map { table.count(mapping: $0) } == [5, 1, 0])
  }
}
