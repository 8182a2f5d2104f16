import CoreDataExpressions
import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@testable import MappingModels
@testable import Migration

/// Fetches in the destination, where what policies insert is seen at once, and in the source.
struct FetchTests {
  private static let model = TrackModels.model([
    EntityDescription(
      "Base",
      attributes: [
        AttributeDescription("name", .string), AttributeDescription("rank", .integer64),
        AttributeDescription("kind", .string, defaultValue: .string("plain")),
        AttributeDescription("size", .double), AttributeDescription("note", .string, isTransient: true),
      ],
      relationships: [
        RelationshipDescription("parent", to: "Base", inverse: "children", maxCount: 1),
        RelationshipDescription("children", to: "Base", inverse: "parent"),
      ]),
    EntityDescription("Leaf", superentityName: "Base"),
  ])

  private func run(_ body: @escaping (ManagedObjectContext) throws -> Void) throws {
    var fixture = try ObjectFixture(Self.model)
    fixture.use(ClosurePolicy(endCreation: { try body($1.destinationContext) }), for: "Base")
    try fixture.migrate()
  }

  @discardableResult
  private static func insert(
    _ name: String?, rank: Int64? = nil, of entity: String = "Base", _ context: ManagedObjectContext
  ) throws -> ManagedObject {
    let object = try context.insertNewObject(forEntityName: entity)
    object.setValue(name.map { .string($0) }, forKey: "name")
    object.setValue(rank.map { .integer($0) }, forKey: "rank")
    return object
  }

  private static func keys(
    _ format: String, in context: ManagedObjectContext, _ change: (inout FetchRequest) -> Void = { _ in }
  ) throws -> [Int64] {
    var request = FetchRequest(entityName: "Base", predicate: try Predicate(format: format))
    change(&request)
    return try context.fetch(request).map(\.objectID.primaryKey)
  }

  @Test func `Index lookups reflect every change`() throws {
    try run { context in
      let first = try Self.insert("a", context)
      #expect(try Self.keys("name == 'a'", in: context) == [1])
      let second = try Self.insert("a", of: "Leaf", context)
      try Self.insert("b", context)
      #expect(try Self.keys("name == 'a'", in: context) == [1, 2])
      first.setValue(.string("b"), forKey: "name")
      #expect(try Self.keys("name == 'a'", in: context) == [2])
      #expect(try Self.keys("'b' == name", in: context) == [1, 3])
      first.setValue(.string("a"), forKey: "name")
      // An index finds the first, and every instance is looked at for the second.
      for format in ["name == 'a'", "name BEGINSWITH 'a'"] {
        #expect(try Self.keys(format, in: context) == [1, 2])
        #expect(try Self.keys(format, in: context) { $0.includesSubentities = false } == [1])
      }
      #expect(try Self.keys("name == 'a'", in: context) { $0.fetchLimit = 1 } == [1])
      #expect(try Self.keys("name == 'a'", in: context) { $0.fetchOffset = 1 } == [2])
      context.delete(second)
      #expect(try Self.keys("name == 'a'", in: context) == [1])
      first.setValue(nil, forKey: "name")
      #expect(try Self.keys("name == 'a'", in: context).isEmpty)
      #expect(try Self.keys("name == nil", in: context) == [1])
    }
  }

  @Test func `Index lookups also apply the rest of the predicate`() throws {
    try run { context in
      let first = try Self.insert("a", rank: 1, context)
      try Self.insert("a", rank: 2, context)
      #expect(try Self.keys("name == 'a' AND rank == 2", in: context) == [2])
      #expect(try Self.keys("name == 'a' AND rank > 0", in: context) == [1, 2])
      first.setValue(.string("é"), forKey: "name")
      #expect(try Self.keys("name == 'a' AND rank > 0", in: context) == [2])
      // The same letter in two characters is other text.
      #expect(try Self.keys("name == 'e\u{301}'", in: context).isEmpty)
      #expect(try Self.keys("name == '\u{e9}'", in: context) == [1])
    }
  }

  @Test func `The most recently found instances are kept in memory unless they are large`() throws {
    try run { context in
      weak var kept: ManagedObject?
      weak var left: ManagedObject?
      weak var large: ManagedObject?
      var recent = RecentInstances(limit: 2, byteLimit: 10)
      let keys = try (1...4).map { try Self.insert($0 == 4 ? "a long name" : "a", context).objectID }
      // Writing them lets them go.
      _ = try Self.keys("rank == 1", in: context)
      for key in [keys[0], keys[1], keys[0], keys[2], keys[3]] {
        let object = try #require(context.object(with: key))
        #expect(object.value(forKey: "name") != nil)
        recent.keep(object)
        if key == keys[0] { left = object }
        if key == keys[1] { kept = object }
        if key == keys[3] { large = object }
      }
      #expect(left == nil)
      #expect(kept?.recentPlace != nil)
      #expect(large == nil)
      #expect(context.object(with: keys[0])?.recentPlace == nil)
    }
  }

  @Test func `Instances found without being read are kept unless they turn out to be large`() throws {
    try run { context in
      for (name, kind) in [("a", "x"), ("b", String(repeating: "x", count: 1000))] {
        try Self.insert(name, context).setValue(.string(kind), forKey: "kind")
      }
      for (name, isKept) in [("a", true), ("b", false)] {
        let request = FetchRequest(entityName: "Base", predicate: try Predicate(format: "name == '\(name)'"))
        // Before there is an index, rows are written and instances go.
        let found = try #require(try context.fetch(request).first)
        #expect(found.attributeValues.isEmpty)
        #expect(found.recentPlace != nil)
        #expect(found.value(forKey: "name") == .string(name))
        #expect((found.recentPlace != nil) == isKept)
      }
    }
  }

  @Test func `An index finds new instances by their default values`() throws {
    try run { context in
      #expect(try Self.keys("kind == 'plain'", in: context).isEmpty)
      try Self.insert(nil, of: "Leaf", context)
      #expect(try Self.keys("kind == 'plain'", in: context) == [1])
    }
  }

  @Test func `An existing index finds instances that are moved in bulk`() throws {
    final class Policy: EmptyBatchPolicy {
      override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
        #expect(try find(manager).isEmpty)
      }

      override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
        #expect(try find(manager).map(\.objectID.primaryKey) == [7])
        try find(manager).first?.setValue(.string("y"), forKey: "title")
      }

      private func find(_ manager: MigrationManager) throws -> [ManagedObject] {
        try manager.destinationContext.fetch(
          FetchRequest(entityName: "Track", predicate: try Predicate(format: "title == 'x'")))
      }
    }
    var fixture = try MigrationFixture([TrackRow(7, title: "x", json: nil), TrackRow(8, title: "z", json: nil)])
    fixture.use { Policy() }
    try fixture.migrate()
    #expect(try fixture.rows("SELECT ZTITLE FROM ZTRACK ORDER BY Z_PK") == ["y", "z"])
  }

  @Test func `A deleted instance is not found again after it is released`() throws {
    try run { context in
      try context.delete(Self.insert("a", context))
      try Self.insert("a", context)
      #expect(try Self.keys("name == 'a'", in: context) == [2])
      try context.delete(Self.insert("a", context))
      #expect(try Self.keys("name == 'a'", in: context) == [2])
      #expect(try Self.keys("TRUEPREDICATE", in: context) == [2])
    }
  }

  @Test func `An index finds equal numbers of any kind and compares text by its code units`() throws {
    try run { context in
      try Self.insert("\u{E9}", rank: 3, context)
      try Self.insert("e\u{301}", rank: 0x20_0000_0000_0001, context)
      for format in ["rank == 3", "rank == 3.0", "size == nil AND rank == 3", "rank == 2 + 1"] {
        #expect(try Self.keys(format, in: context) == [1], "\(format)")
      }
      #expect(try Self.keys("rank == 9007199254740992.0", in: context).isEmpty)
      for (name, key) in [("\u{E9}", 1), ("e\u{301}", 2)] as [(String, Int64)] {
        let found = try Self.keys("name == $NAME", in: context) { $0.variables = ["NAME": .string(name)] }
        #expect(found == [key])
      }
      #expect(try Self.keys("name ==[d] 'e'", in: context) == [1, 2])
    }
  }

  @Test func `Predicates follow relationships and see unsaved values`() throws {
    try run { context in
      let parent = try Self.insert("p", context)
      let child = try Self.insert("c", of: "Leaf", context)
      child.setInstances([parent], forKey: "parent")
      #expect(try Self.keys("parent.name == 'p'", in: context) == [2])
      #expect(try Self.keys("ANY children.name == 'c'", in: context) == [1])
      #expect(try Self.keys("children.@count == 0", in: context) == [2])
      #expect(try Self.keys("parent == nil", in: context) == [1])
    }
  }

  @Test func `Fetched instances are sorted, limited and counted`() throws {
    try run { context in
      for (name, rank) in [("b", 1), ("a", 2), (nil, 2), ("c", nil)] as [(String?, Int64?)] {
        try Self.insert(name, rank: rank, context)
      }
      func sorted(_ ascending: Bool, offset: Int, limit: Int) throws -> [Int64] {
        try Self.keys("TRUEPREDICATE", in: context) {
          $0.sortDescriptors = [.init(.key("rank"), isAscending: ascending), .init(.key("name"))]
          ($0.fetchOffset, $0.fetchLimit) = (offset, limit)
        }
      }
      #expect(try sorted(true, offset: 0, limit: 0) == [4, 1, 3, 2])
      #expect(try sorted(false, offset: 0, limit: 0) == [3, 2, 1, 4])
      #expect(try sorted(true, offset: 1, limit: 2) == [1, 3])
      #expect(try sorted(true, offset: 9, limit: 2).isEmpty)
      #expect(try sorted(true, offset: -1, limit: -1).count == 4)
      #expect(try context.count(for: FetchRequest(entityName: "Leaf")) == 0)
    }
  }

  @Test func `A transient attribute is searched among the instances in use`() throws {
    try run { context in
      let object = try Self.insert("a", context)
      object.setValue(.string("x"), forKey: "note")
      #expect(try Self.keys("note == 'x'", in: context) == [1])
    }
  }

  @Test func `A predicate that does not fit its entity throws an error`() throws {
    for format in ["nothing == 1", "name > 1"] {
      var fixture = try ObjectFixture(Self.model)
      fixture.use(
        ClosurePolicy(endCreation: { _, manager in
          try Self.insert("a", manager.destinationContext)
          _ = try Self.keys(format, in: manager.destinationContext)
        }), for: "Base")
      #expect(throws: MigrationError.self) { try fixture.migrate() }
    }
  }

  /// Predicates that SQL can answer, and predicates that it cannot.
  private static let filters = [
    "name == 'a'", "rank > 1", "rank BETWEEN {1, 2}", "name != nil", "name == nil", "NOT name == 'a'",
    "name BEGINSWITH[c] 'A'", "name LIKE 'a*'", "name MATCHES 'a|b'", "rank IN {1, 7}", "parent.name == 'a'",
    "parent == nil", "children.@count > 1", "ANY children.rank == 2", "SUBQUERY(children, $x, $x.rank > 1).@count == 1",
    "size == rank", "size + 1 > rank", "$source.rank == 1", "TRUEPREDICATE", "FALSEPREDICATE", "SELF.name == 'a'",
  ]

  @Test(arguments: filters)
  func `A filter selects the same instances as evaluating each one`(format: String) throws {
    let rows = [
      "(1, 1, 1, 1, NULL, 1.0, 'a')", "(2, 2, 1, 2, 1, 2.5, 'ab')", "(3, 2, 1, 7, 1, NULL, 'A')",
      "(4, 1, 1, NULL, 2, 7.0, NULL)", "(5, 1, 1, 1, 99, 0.5, 'b')",
    ]
    var fixture = try ObjectFixture(
      Self.model,
      sql: rows.map { "INSERT INTO ZBASE (Z_PK, Z_ENT, Z_OPT, ZRANK, ZPARENT, ZSIZE, ZNAME) VALUES \($0)" })
    let predicate = try Predicate(format: format)
    let expected = Self.expected[format] ?? []
    for (entity, number) in [("Base", 1), ("Leaf", 2)] {
      let wanted = expected.filter { [1: 1, 2: 2, 3: 2, 4: 1, 5: 1][$0] == number }
      var seen: [Int64] = []
      fixture.change(entity) { $0.filterPredicate = predicate }
      fixture.use(ClosurePolicy(create: { source, _, _ in seen.append(source.objectID.primaryKey) }), for: entity)
      try fixture.migrate()
      #expect(seen == wanted, "\(entity)")
      Files.remove(fixture.destination)
    }
  }

  /// The keys that satisfy each filter, worked out by hand.
  private static let expected: [String: [Int64]] = [
    "name == 'a'": [1], "rank > 1": [2, 3], "rank BETWEEN {1, 2}": [1, 2, 5], "name != nil": [1, 2, 3, 5],
    "name == nil": [4], "NOT name == 'a'": [2, 3, 4, 5], "name BEGINSWITH[c] 'A'": [1, 2, 3], "name LIKE 'a*'": [1, 2],
    "name MATCHES 'a|b'": [1, 5], "rank IN {1, 7}": [1, 3, 5], "parent.name == 'a'": [2, 3],
    // It is the key that is nil or not, even where it leads nowhere.
    "parent == nil": [1],
    "children.@count > 1": [1], "ANY children.rank == 2": [1], "SUBQUERY(children, $x, $x.rank > 1).@count == 1": [],
    "size == rank": [1], "size + 1 > rank": [1, 2, 5], "$source.rank == 1": [1, 5], "TRUEPREDICATE": [1, 2, 3, 4, 5],
    "FALSEPREDICATE": [], "SELF.name == 'a'": [1],
  ]
}
