import DataModel
import Migration
import PersistentStore
import TestSupport
import Testing

/// Statements against an obvious way to do the same.
struct BulkDifferentialTests {
  /// One relationship of one mapping: which source relationship is followed, and which mappings made the destinations.
  private struct Given {
    let owner: String
    let property: String
    let key: String
    let targets: [String]
  }

  private struct Expected {
    var filters: [String: Bool] = [:]
    var given: [Given] = []
    let random: RandomBulkCase

    func isMoved(_ entity: String, _ key: Int) -> Bool {
      guard let isFiltered = filters[entity], let number = random.rows[entity]?[key] else { return false }
      return !isFiltered || number == 1
    }

    /// The links that the mappings give a relationship.
    func links(_ property: String) -> Set<StoredLink> {
      var found: Set<StoredLink> = []
      for given in given where given.property == property {
        for link in random.links {
          let (owner, target) = given.key == "r" ? (link.owner, link.target) : (link.target, link.owner)
          if isMoved(given.owner, owner), given.targets.contains(where: { isMoved($0, target) }) {
            found.insert(StoredLink(owner: owner, target: target))
          }
        }
      }
      return found
    }
  }

  /// The owner whose turn comes last keeps each target: those of the later mapping, then those with greater keys.
  private static func last(_ links: Set<StoredLink>, _ late: Set<Int> = []) -> Set<StoredLink> {
    func turn(_ link: StoredLink) -> (Int, Int) { (late.contains(link.owner) ? 1 : 0, link.owner) }
    return links.filter { link in !links.contains { $0.target == link.target && turn($0) > turn(link) } }
  }

  private static func reversed(_ links: Set<StoredLink>) -> Set<StoredLink> {
    Set(links.map { StoredLink(owner: $0.target, target: $0.owner) })
  }

  /// The links of the child's to-one relationship: its own, and the parents' where it has none.
  private static func joined(own: Set<StoredLink>, parents: Set<StoredLink>, _ late: Set<Int>) -> Set<StoredLink> {
    own.union(reversed(last(parents, late)).filter { link in !own.contains { $0.owner == link.owner } })
  }

  /// The links of `r` and of `q`, or `nil` where they cannot be had in bulk.
  private static func expectation(_ expected: Expected) -> (r: Set<StoredLink>, q: Set<StoredLink>)? {
    let (old, new) = (expected.random.old, expected.random.new)
    let (r, q) = (expected.links("r"), expected.links("q"))
    // `L` is mapped after `L1`.
    let late = Set(expected.random.rows["L", default: [:]].keys)
    let lateBack = expected.random.other == "L" ? late : []
    for given in expected.given {
      let isToOne = (given.property == "r" ? new.r : new.q) == .one
      let isFromOne = (given.key == "r" ? old.r : old.q) == .one
      if isToOne, !isFromOne { return nil }
    }
    switch (new.r == .one, new.q.map { $0 == .one }) {
    case (true, nil): return (r, [])
    case (false, nil): return (last(r, late), [])
    case (true, false):
      let links = joined(own: r, parents: q, lateBack)
      return (links, reversed(links))
    case (false, true):
      let links = joined(own: q, parents: r, late)
      return (reversed(links), links)
    case (false, false):
      let links = r.union(reversed(q))
      return (links, reversed(links))
    case (true, true):
      let sides = Set(expected.given.map(\.property))
      if sides.count == 2 { return (r, q) }
      let links = sides.contains("r") ? last(r, late) : reversed(last(q, lateBack))
      return (links, reversed(links))
    }
  }

  private func check(seed: UInt64) throws -> Bool {
    var random = RandomBulkCase(seed: seed)
    let old = random.entities(random.old)
    var fixture = try BulkFixture(
      old, random.entities(random.new), rows: random.statements(StoreSchema(TrackModels.model(old))))
    var expected = Expected(random: random)
    let mapped = ["R", "L1", "L"].filter { _ in random.random.chance(90) }
    for entity in mapped {
      var relationships: [(String, String)] = []
      for property in random.properties(of: entity) where random.random.chance(75) {
        let key = random.other == "L" && random.random.chance(30) ? (property == "r" ? "q" : "r") : property
        guard property == "r" || random.new.q != nil, key == "r" || random.old.q != nil else { continue }
        let leads = property == "r" && random.other == "R" ? ["R"] : ["L", "L1"]
        let targets = random.random.chance(50) ? leads : leads.shuffled(using: &random.random).suffix(1)
        if targets == leads, leads.count > 1 || random.random.chance(50) {
          relationships.append((property, "$source.\(key)"))
        } else if mapped.contains(targets[0]) {
          relationships.append((property, "\(targets[0])To\(targets[0])($source.\(key))"))
        } else {
          continue
        }
        expected.given.append(Given(owner: entity, property: property, key: key, targets: targets))
      }
      let isFiltered = random.random.chance(30)
      expected.filters[entity] = isFiltered
      try fixture.map(entity, entity, relationships, filter: isFiltered ? "n == 1" : nil)
    }
    let wanted = Self.expectation(expected)
    let refusals = try fixture.refusals()
    guard refusals.isEmpty else {
      // Where both sides are given something, the one that is set last takes away what the other has set.
      #expect(wanted == nil || refusals.contains { $0.isAboutBothSides }, "seed \(seed): \(refusals)")
      return false
    }
    let links = try #require(wanted, "seed \(seed): several destinations must be refused")
    let failures = try fixture.migrate { try compare($0, links, random, seed) }.failures
    #expect(failures == [], "seed \(seed)")
    return true
  }

  private func compare(
    _ writer: StoreWriter, _ links: (r: Set<StoredLink>, q: Set<StoredLink>), _ random: RandomBulkCase, _ seed: UInt64
  ) throws {
    let isSelf = random.other == "L"
    let (r, q) = random.relationships(random.new)
    let forward = try LinkStorage(schema: writer.schema, entity: "L", relationship: r).links(in: writer)
    #expect(Set(forward.map { StoredLink(owner: $0.owner, target: $0.target) }) == links.r, "seed \(seed)")
    let old = random.links.map { StoredLink(owner: $0.owner, target: $0.target, place: $0.place) }
    checkPlaces(forward, r, old, isSelf, seed)
    guard let q else { return }
    let back = try LinkStorage(schema: writer.schema, entity: random.other, relationship: q).links(in: writer)
    #expect(Set(back.map { StoredLink(owner: $0.owner, target: $0.target) }) == links.q, "seed \(seed)")
    let oldBack = random.links.map { StoredLink(owner: $0.target, target: $0.owner, place: $0.inversePlace) }
    checkPlaces(back, q, oldBack, isSelf, seed)
  }

  private func checkPlaces(
    _ found: Set<StoredLink>, _ relationship: RelationshipDescription, _ old: [StoredLink], _ isSelf: Bool,
    _ seed: UInt64
  ) {
    guard relationship.isOrdered else { return }
    for (_, list) in Dictionary(grouping: found, by: \.owner) {
      let places = list.compactMap(\.place).sorted()
      #expect(places.count == list.count, "seed \(seed): no place")
      let isNew = old.allSatisfy { $0.place == nil } && !isSelf
      if isNew {
        #expect(places == (0..<list.count).map { 2048 + 1024 * $0 }, "seed \(seed)")
        #expect(list.sorted { ($0.place ?? 0) < ($1.place ?? 0) }.map(\.target) == list.map(\.target).sorted())
      } else if !isSelf {
        for link in list {
          #expect(
            old.contains { $0.owner == link.owner && $0.target == link.target && $0.place == link.place },
            "seed \(seed)")
        }
      }
    }
  }

  @Test func `Bulk migration of random models and rows gives the same result as instance by instance`() throws {
    var planned = 0
    for seed in 1...200 where try check(seed: UInt64(seed)) { planned += 1 }
    #expect(planned > 100)
  }

  @Test func `A hundred thousand rows are migrated in a few statements`() throws {
    let entities = [
      EntityDescription(
        "A", attributes: [AttributeDescription("x", .string)],
        relationships: [
          BulkFixture.one("parent", "B", "children"), BulkFixture.many("tags", "B", "tagged", isOptional: false),
        ]),
      EntityDescription(
        "B",
        relationships: [
          BulkFixture.many("children", "A", "parent", isOrdered: true),
          BulkFixture.many("tagged", "A", "tags", minCount: 1, maxCount: 300),
        ]),
    ]
    var fixture = try BulkFixture(
      entities, entities,
      rows: """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX, ZPARENT) SELECT i, 1, 1, 'text ' || i, i % 500 + 1 FROM n;
        INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT) SELECT Z_PK, 2, 1 FROM ZA WHERE Z_PK <= 500;
        INSERT INTO Z_1TAGS SELECT Z_PK, Z_PK % 499 + 1 FROM ZA;
        """)
    // Only the other side is mapped, and its places are new: the longest way.
    try fixture.map("A", "A", [("tags", "$source.tags")])
    try fixture.map("B", "B", [("children", "$source.children"), ("tagged", "$source.tagged")])
    #expect(try fixture.plan().statements.count == 5)
    let start = ContinuousClock.now
    let (result, failures) = try fixture.migrate()
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    // Row by row it would take minutes; a busy machine takes its time.
    #expect(seconds < 100, "\(seconds)")
    #expect(result.mappings.map(\.written) == [100_000, 500])
    #expect(result.joinTableRows == ["Z_1TAGS": 100_000])
    #expect(try fixture.rows("SELECT count(ZPARENT) FROM ZA") == ["100000"])
    #expect(failures.isEmpty)
  }
}

extension BulkPlanError.Reason {
  fileprivate var isAboutBothSides: Bool { if case .bothSides = self { true } else { false } }
}
