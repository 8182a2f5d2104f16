import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

@testable import CoreData

/// Fetches with predicates as policies write them.
struct PredicateTests {
  /// Returns the names of the destination's tags that match a predicate, in primary key order.
  private func found(_ make: @escaping (NSManagedObject, NSManagedObject) -> NSPredicate) throws -> [String] {
    var found: [String] = []
    try Things.probe { _, new, manager in
      let tags = zip(["a", "b", "bé"], [1, 2, 3]).map { Things.tag($0, $1, manager) }
      new.setValue([tags[0], tags[2]], forKey: "tags")
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.predicate = make(new, tags[1])
      found = try manager.destinationContext.fetch(request).compactMap { $0.value(forKey: "name") as? String }
      #expect(try manager.destinationContext.count(for: request) == found.count)
    }
    return found
  }

  @Test func `Every kind of argument can be compared`() throws {
    let name = "b"
    #expect(try found { _, _ in NSPredicate(format: "name == %@", name) } == ["b"])
    #expect(try found { _, _ in NSPredicate(format: "name = %@", name as NSString) } == ["b"])
    #expect(try found { _, _ in NSPredicate(format: "name == 'b'") } == ["b"])
    #expect(try found { _, _ in NSPredicate(format: "rank == %d", 2) } == ["b"])
    #expect(try found { _, _ in NSPredicate(format: "rank > %@", NSNumber(value: 1)) } == ["b", "bé"])
    #expect(try found { _, _ in NSPredicate(format: "rank < %lf", 1.5) } == ["a"])
    #expect(try found { _, _ in NSPredicate(format: "%K == %@", "name", name) } == ["b"])
    #expect(try found { _, _ in NSPredicate(format: "%K == %@", argumentArray: ["rank", 3]) } == ["bé"])
    #expect(try found { _, _ in NSPredicate(format: "name IN %@", ["a", "b"]) } == ["a", "b"])
    #expect(try found { _, _ in NSPredicate(format: "rank IN %@", Set([1, 3])) } == ["a", "bé"])
    #expect(try found { _, _ in NSPredicate(format: "rank IN %@", NSArray(array: [2])) } == ["b"])
    #expect(try found { _, _ in NSPredicate(format: "name BEGINSWITH[c] %@ AND rank != %d", "B", 3) } == ["b"])
    #expect(try found { _, tag in NSPredicate(format: "SELF == %@", tag) } == ["b"])
    #expect(try found { _, tag in NSPredicate(format: "SELF IN %@", [tag]) } == ["b"])
    #expect(try found { thing, _ in NSPredicate(format: "ANY things == %@", thing) } == ["a", "bé"])
    #expect(
      try found { thing, tag in NSPredicate(format: "SELF == %@ OR ANY things == %@", tag, thing) } == ["a", "b", "bé"])
    #expect(try found { thing, _ in NSPredicate(format: "%@ IN things", thing as CVarArg) } == ["a", "bé"])
    #expect(try found { _, _ in NSPredicate(format: "name == nil") } == [])
  }

  @Test func `A reused format takes its own argument each time`() throws {
    for name in ["b", "a", "bé", "a"] {
      #expect(try found { _, _ in NSPredicate(format: "%@ == name", name) } == [name])
      #expect(try found { _, _ in NSPredicate(format: "name == %@", name) } == [name])
      #expect(try found { _, _ in NSPredicate(format: "NOT name == %@", name) }.contains(name) == false)
    }
    #expect(try found { _, _ in NSPredicate(format: "name ==[cd] %@", "B") } == ["b"])
    #expect(try found { _, _ in NSPredicate(format: "name ==[cd] %@", "BE") } == ["bé"])
    let both = ["a", "b"].map { NSPredicate(format: "name == %@", $0) }
    #expect(
      try found { _, _ in NSCompoundPredicate(orPredicateWithSubpredicates: both) } == ["a", "b"])
    // A format for numbers stays wrong for text, however often it is used.
    for _ in 1...2 {
      #expect(throws: MigrationError.self) { try found { _, _ in NSPredicate(format: "rank == %d", "1") } }
      #expect(throws: MigrationError.self) { try found { _, _ in NSPredicate(format: "name == %@ AND", "b") } }
    }
    // There are more formats than the cache holds.
    #expect(
      try found { _, _ in
        let predicates = (1...100).map { NSPredicate(format: String(repeating: " ", count: $0) + "name == %@", "b") }
        return NSCompoundPredicate(andPredicateWithSubpredicates: predicates)
      } == ["b"])
  }

  @Test func `A format with a key takes its own key and text each time`() throws {
    for name in ["b", "a", "bé", "a"] {
      #expect(try found { _, _ in NSPredicate(format: "%K == %@", "name", name) } == [name])
      #expect(try found { _, _ in NSPredicate(format: "%K ==[c] %@", "name", name.uppercased()) } == [name])
      #expect(try found { _, _ in NSPredicate(format: "%K != %@", "name", name) }.count == 2)
      #expect(try found { _, _ in NSPredicate(format: "name == %@ OR name == %@", name, "b") }.contains("b"))
    }
    for _ in 1...2 {
      #expect(throws: MigrationError.self) { try found { _, _ in NSPredicate(format: "%K == %@", "other", "b") } }
    }
  }

  @Test func `A lookup by text finds what has the text now, within its limit`() throws {
    try Things.probe { _, _, manager in
      let tags = (1...4).map { Things.tag("same", $0, manager) }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.predicate = NSPredicate(format: "name == %@", "same")
      let all = try manager.destinationContext.fetch(request)
      #expect(all == tags)
      tags[0].setValue("other", forKey: "name")
      let rest = try manager.destinationContext.fetch(request)
      #expect(rest == Array(tags[1...]))
      request.fetchLimit = 2
      let first = try manager.destinationContext.fetch(request)
      #expect(first == Array(tags[1...2]))
      request.fetchOffset = 1
      let next = try manager.destinationContext.fetch(request)
      #expect(next == Array(tags[2...3]))
      request.predicate = NSPredicate(format: "name == %@", "none")
      let none = try manager.destinationContext.fetch(request)
      #expect(none.isEmpty)
    }
  }

  @Test func `Predicates and their copies stay unchanged while others are made`() throws {
    try Things.probe { _, _, manager in
      for (name, rank) in zip(["a", "b", "c"], 1...) { _ = Things.tag(name, rank, manager) }
      func found(_ predicate: NSPredicate) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.predicate = predicate
        return try manager.destinationContext.fetch(request).compactMap { $0.value(forKey: "name") as? String }
      }
      let first = NSPredicate(format: "name == %@", "a")
      #expect(FormatPredicate.of(first) != nil)
      let second = NSPredicate(format: "name == %@", "b")
      #expect(FormatPredicate.of(first) != nil)
      #expect(FormatPredicate.of(second) != nil)
      let copy = try #require(second.copy() as? NSPredicate)
      // The arguments reuse the same address, and none is mistaken for an earlier one.
      for number in 1...50 {
        #expect(try found(NSPredicate(format: "rank == %d", number)).count == (number < 4 ? 1 : 0))
        #expect(FormatPredicate.of(NSPredicate { _, _ in true }) == nil)
      }
      #expect(try found(first) == ["a"])
      #expect(try found(second) == ["b"])
      #expect(try found(copy) == ["b"])
      #expect(
        try found(NSPredicate { tag, _ in (tag as? NSManagedObject)?.value(forKey: "name") as? String == "c" }) == ["c"]
      )
    }
  }

  @Test func `A predicate retains no instance after it is released`() throws {
    // This is repeated often enough that other tests' predicates do not take every freed address in between.
    for isUsed in Array(repeating: [true, false], count: 10).joined() {
      weak var handle: NSManagedObject?
      weak var instance: ManagedObject?
      try Things.probe { _, _, manager in
        let tag = Things.tag("a", 1, manager)
        (handle, instance) = (tag, tag.instance)
        let predicate = NSPredicate(format: "SELF == %@", tag)
        if isUsed { #expect(FormatPredicate.of(predicate)?.content.hasVariables == true) }
      }
      #expect(handle == nil)
      #expect(instance == nil)
    }
  }

  @Test func `Dates, identifiers, data and URLs can be arguments`() throws {
    try Things.probe { old, _, manager in
      for key in ["day", "id", "bytes", "link", "price", "flag"] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.predicate = NSPredicate(format: "\(key) == %@", try #require(old.value(forKey: key)))
        #expect(try manager.sourceContext.fetch(request) == [old], "\(key)")
        #expect(request.predicate?.evaluate(with: old) == true, "\(key)")
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
      let day = Date(timeIntervalSinceReferenceDate: 86400)
      request.predicate = NSPredicate(format: "day >= %@ AND day < %@", day as NSDate, day + 1 as CVarArg)
      #expect(try manager.sourceContext.fetch(request) == [old])
      request.predicate = NSPredicate(format: "id == %@", UUID() as CVarArg)
      #expect(try manager.sourceContext.fetch(request) == [])
    }
  }

  @Test func `Compound predicates and an app's block predicates are evaluated`() throws {
    let rank = NSPredicate(format: "rank > 1")
    #expect(
      try found { _, _ in
        NSCompoundPredicate(andPredicateWithSubpredicates: [NSPredicate(format: "name CONTAINS 'b'"), rank])
      } == ["b", "bé"])
    #expect(
      try found { _, _ in NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "rank > 1")) } == ["a"])
    #expect(
      try found { _, tag in
        NSCompoundPredicate(orPredicateWithSubpredicates: [
          NSPredicate(format: "SELF == %@", tag),
          NSPredicate(block: { object, _ in (object as! NSManagedObject).value(forKey: "rank") as! Int == 3 }),
        ])
      } == ["b", "bé"])
    #expect(
      try found { thing, tag in
        NSCompoundPredicate(andPredicateWithSubpredicates: [
          NSPredicate(format: "ANY things == %@", thing), NSPredicate(format: "SELF != %@", tag), rank,
        ])
      } == ["bé"])
    #expect(try found { _, _ in NSPredicate(value: true) } == ["a", "b", "bé"])
    #expect(try found { _, _ in NSPredicate(value: false) } == [])
    #expect(try found { _, _ in (rank.copy() as? NSPredicate) ?? NSPredicate(value: false) } == ["b", "bé"])
  }

  @Test(arguments: ["name ==", "name == %@", "nothing == 1"])
  func `An invalid format fails the fetch and not the process`(format: String) throws {
    let error = try #require(throws: MigrationError.self) { try found { _, _ in NSPredicate(format: format) } }
    #expect(error.subject.entity == "Tag")
    #expect(throws: MigrationError.self) { try found { _, _ in NSPredicate(format: "name == %@", NSObject()) } }
    // Code that ignores the error has no result.
    #expect(try found { _, _ in NSPredicate(format: "name == 'b'") } == ["b"])
  }

  @Test func `Results are sorted and limited as the request specifies`() throws {
    try Things.probe { _, _, manager in
      for (name, rank) in [("c", 1), ("a", 2), ("b", 1), ("d", 3)] { _ = Things.tag(name, rank, manager) }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      func names() throws -> [String] {
        try manager.destinationContext.fetch(request).compactMap { $0.value(forKey: "name") as? String }
      }
      request.sortDescriptors = [
        NSSortDescriptor(key: "rank", ascending: false), NSSortDescriptor(key: "name", ascending: true),
      ]
      #expect(request.sortDescriptors?.map(\.key) == ["rank", "name"])
      #expect(try names() == ["d", "a", "b", "c"])
      request.fetchLimit = 2
      request.fetchOffset = 1
      #expect(try names() == ["a", "b"])
      request.predicate = NSPredicate(block: { object, _ in
        (object as? NSManagedObject)?.value(forKey: "name") as? String != "a"
      })
      #expect(try names() == ["b", "c"])
      request.predicate = nil
      request.resultType = .countResultType
      let untyped = NSFetchRequest<NSDictionary>(entityName: "Tag")
      untyped.resultType = .dictionaryResultType
      untyped.propertiesToFetch = ["name"]
      #expect(try manager.destinationContext.fetch(untyped).first == ["name": "c"])
      let handles = try manager.destinationContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
      let sorted = NSArray(array: handles).sortedArray(using: [NSSortDescriptor(key: "name", ascending: true)])
      #expect((sorted.first as? NSManagedObject)?.value(forKey: "name") as? String == "a")
    }
  }

  /// A sort by the app's own code, which the engine cannot perform.
  @Test(arguments: [true, false])
  func `Instances with equal sort keys stay in primary key order`(isAscending: Bool) throws {
    try Things.probe { _, _, manager in
      let ranks = (0..<60).map { $0 * 7 % 3 }
      for (place, rank) in ranks.enumerated() { _ = Things.tag("\(place)", rank, manager) }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.sortDescriptors = [
        NSSortDescriptor(keyPath: \NSManagedObject.self, ascending: isAscending) { left, right in
          let ranks = [left, right].map { ($0 as? NSManagedObject)?.value(forKey: "rank") as? Int ?? -1 }
          return ranks[0] == ranks[1] ? .orderedSame : ranks[0] < ranks[1] ? .orderedAscending : .orderedDescending
        }
      ]
      let found = try manager.destinationContext.fetch(request).compactMap { $0.value(forKey: "name") as? String }
      let order = isAscending ? [0, 1, 2] : [2, 1, 0]
      #expect(found == order.flatMap { rank in ranks.indices.filter { ranks[$0] == rank }.map { "\($0)" } })
    }
  }

  @Test func `A copy outlives its predicate without being mistaken for another`() throws {
    var copies: [Any] = []
    var others: [NSPredicate] = []
    for _ in 0..<500 {
      copies.append(NSPredicate(format: "rank == 1").copy())
      // This may reuse the predicate's address.
      others.append(NSPredicate(value: false))
    }
    try Things.probe { _, _, manager in
      _ = Things.tag("a", 1, manager)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      for (other, copy) in zip(others, copies) {
        request.predicate = other
        let otherCount = try manager.destinationContext.count(for: request)
        request.predicate = copy as? NSPredicate
        let copyCount = try manager.destinationContext.count(for: request)
        #expect((otherCount, copyCount) == (0, 1))
      }
    }
  }

  @Test func `Many predicates come and go without being mistaken for one another`() {
    for round in 0..<2000 {
      let predicate = NSPredicate(format: "%d == %d", round, round % 2 == 0 ? round : -1)
      #expect(predicate.evaluate(with: nil) == (round % 2 == 0))
      _ = NSPredicate(value: false)
    }
  }
}
