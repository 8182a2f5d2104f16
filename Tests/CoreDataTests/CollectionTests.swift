import CoreData
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// To-many relationships as apps set and read them.
struct CollectionTests {
  private final class Tag: NSManagedObject {}

  nonisolated(unsafe) private static let collections: [([NSManagedObject]) -> Any] = [
    { Set($0) }, { NSSet(array: $0) }, { $0 }, { NSArray(array: $0) }, { NSOrderedSet(array: $0) },
    { NSMutableSet(array: $0) }, { Optional($0) as Any }, { $0.map { $0 as Any } },
  ]

  @Test(arguments: collections.indices)
  func `A to-many relationship accepts collections of every kind`(index: Int) throws {
    let fixture = try Things.probe { _, new, manager in
      let tags = ["a", "b"].map { Things.tag($0, 1, manager) }
      new.setValue(Self.collections[index](tags), forKey: "tags")
      #expect(new.value(forKey: "tags") as? Set<NSManagedObject> == Set(tags))
      #expect((new.value(forKey: "tags") as? NSSet)?.count == 2)
    }
    #expect(try fixture.rows("SELECT count(*) FROM ZTAG") == ["2"])
    let table = StoreSchema(Things.model).joinTable(forRelationship: "tags", ofEntityNamed: "Thing")?.name ?? ""
    #expect(try fixture.rows("SELECT count(*) FROM \(table)") == ["2"])
  }

  @Test func `Sets of an app's own class are accepted and returned`() throws {
    try Things.probe { _, new, manager in
      for name in ["a", "b"] { _ = Things.tag(name, 1, manager) }
      let tags = try manager.destinationContext.fetch(NSFetchRequest<Tag>(entityName: "Tag"))
      new.setValue(Set(tags), forKey: "tags")
      #expect((new.value(forKey: "tags") as? Set<Tag>)?.count == 2)
      #expect((tags.first?.value(forKey: "things") as? Set<NSManagedObject>)?.first === new)
    }
  }

  @Test func `An ordered relationship keeps its order`() throws {
    try Things.probe { _, new, manager in
      let tags = ["c", "a", "b"].map { Things.tag($0, 1, manager) }
      new.setValue(NSOrderedSet(array: tags), forKey: "steps")
      #expect((new.value(forKey: "steps") as? NSOrderedSet)?.array as? [NSManagedObject] == tags)
      let steps = new.mutableOrderedSetValue(forKey: "steps")
      steps.add(Things.tag("d", 1, manager))
      steps.removeObject(at: 1)
      steps.insert(Things.tag("e", 1, manager), at: 0)
      let names = (new.value(forKey: "steps") as? NSOrderedSet)?.array.map {
        ($0 as? NSManagedObject)?.value(forKey: "name") as? String
      }
      #expect(names == ["e", "c", "b", "d"])
      #expect(
        steps.array as? [NSManagedObject] == (new.value(forKey: "steps") as? NSOrderedSet)?.array as? [NSManagedObject])
      #expect(steps.contains(tags[0]))
      #expect(!steps.contains(tags[1]))
      #expect(steps.index(of: tags[2]) == 2)
      #expect(new.value(forKeyPath: "steps.name") as? NSOrderedSet == NSOrderedSet(array: ["e", "c", "b", "d"]))
      steps.minus(NSOrderedSet(array: tags))
      steps.union(NSOrderedSet(object: tags[2]))
      #expect((new.value(forKeyPath: "steps.name") as? NSOrderedSet)?.array as? [String] == ["e", "d", "b"])
      steps.removeAllObjects()
      #expect((new.value(forKey: "steps") as? NSOrderedSet)?.count == 0)
    }
  }

  /// A set's own order changes from run to run.
  @Test(arguments: [true, false])
  func `A set fills an ordered relationship in the order of its keys`(isSwift: Bool) throws {
    try Things.probe { _, new, manager in
      let tags = (0..<30).map { Things.tag("\($0)", 1, manager) }
      new.setValue(isSwift ? Set(tags) as Any : NSSet(array: tags.reversed()), forKey: "steps")
      #expect((new.value(forKey: "steps") as? NSOrderedSet)?.array as? [NSManagedObject] == tags)
    }
  }

  @Test func `A mutable set changes the relationship`() throws {
    try Things.probe { _, new, manager in
      let (first, second) = (Things.tag("a", 1, manager), Things.tag("b", 1, manager))
      let tags = new.mutableSetValue(forKey: "tags")
      tags.add(first)
      tags.add(second)
      tags.add(second)
      #expect(tags.count == 2)
      tags.remove(first)
      #expect(tags.contains(second))
      #expect(!tags.contains(first))
      #expect(new.value(forKey: "tags") as? Set<NSManagedObject> == [second])
      #expect(tags.allObjects as? [NSManagedObject] == [second])
      tags.union([first])
      tags.minus([second])
      #expect(tags.map { $0 as? NSManagedObject } == [first])
      tags.removeAllObjects()
      #expect(tags.count == 0)
    }
  }

  @Test func `An index out of bounds in an ordered relationship is an error and not a trap`() throws {
    #expect(throws: MigrationError.self) {
      try Things.probe { _, new, _ in new.mutableOrderedSetValue(forKey: "steps").removeObject(at: 3) }
    }
  }

  @Test func `An object without a context cannot be linked`() throws {
    let error = try #require(throws: MigrationError.self) {
      try Things.probe { _, new, _ in
        new.setValue(NSManagedObject(entity: NSEntityDescription(), insertInto: nil), forKey: "owner")
      }
    }
    #expect(error.subject.property == "owner")
  }
}
