import DataModel
import Migration
import PersistentStore
import TestSupport

/// A random pair of models with one pair of relationships, random rows, and a random mapping model.
///
/// `L` has a subentity; `r` leads from it to `R`, or to `L` again, and `q` leads back, if there is one.
struct RandomBulkCase {
  enum Shape: CaseIterable { case one, many, ordered }

  typealias Shapes = (r: Shape, q: Shape?)

  var random: SeededGenerator
  let other: String
  let old: Shapes
  let new: Shapes
  /// The keys of each source entity, with the number that filters ask for.
  private(set) var rows: [String: [Int: Int]] = ["L": [:], "L1": [:], "R": [:]]
  /// The links of the source's `r`, with the places of `r` and `q`.
  private(set) var links: [(owner: Int, target: Int, place: Int?, inversePlace: Int?)] = []

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    other = Int.random(in: 0..<3, using: &random) == 0 ? "L" : "R"
    old = Self.shapes(&random)
    new = Self.shapes(&random)
    for key in 1...8 {
      if Bool.random(using: &random) {
        rows[Bool.random(using: &random) ? "L" : "L1"]?[key] = Int.random(in: 0...1, using: &random)
      }
      if Bool.random(using: &random) { rows["R"]?[key] = Int.random(in: 0...1, using: &random) }
    }
    makeLinks()
  }

  private static func shapes(_ random: inout SeededGenerator) -> Shapes {
    func shape() -> Shape { Shape.allCases.randomElement(using: &random) ?? .one }
    return (shape(), Int.random(in: 0..<4, using: &random) == 0 ? nil : shape())
  }

  private var owners: [Int] { ["L", "L1"].flatMap { rows[$0, default: [:]].keys }.sorted() }
  private var targets: [Int] { other == "R" ? rows["R", default: [:]].keys.sorted() : owners }

  private mutating func makeLinks() {
    // Without an inverse, the destination of a to-many relationship keeps one key.
    let isTargetOnce = old.q == .one || (old.q == nil && old.r != .one)
    for _ in 0..<10 {
      guard let owner = owners.randomElement(using: &random), let target = targets.randomElement(using: &random),
        !links.contains(where: {
          ($0.owner == owner && ($0.target == target || old.r == .one)) || (isTargetOnce && $0.target == target)
        })
      else { continue }
      links.append(
        (
          owner, target, old.r == .ordered && old.q != nil ? (links.count * 37) % 11 : nil,
          old.q == .ordered ? (links.count * 29) % 13 : nil
        ))
    }
  }

  func relationships(_ shapes: Shapes) -> (r: RelationshipDescription, q: RelationshipDescription?) {
    func make(_ name: String, _ shape: Shape, _ destination: String, _ inverse: String?) -> RelationshipDescription {
      RelationshipDescription(
        name, to: destination, inverse: inverse, maxCount: shape == .one ? 1 : 0,
        // A relationship without inverse keeps no places.
        isOrdered: shape == .ordered && inverse != nil)
    }
    return (make("r", shapes.r, other, shapes.q == nil ? nil : "q"), shapes.q.map { make("q", $0, "L", "r") })
  }

  func entities(_ shapes: Shapes) -> [EntityDescription] {
    let (r, q) = relationships(shapes)
    let isSelf = other == "L"
    let number = AttributeDescription("n", .integer16)
    return [
      EntityDescription("L", attributes: [number], relationships: [r] + (isSelf ? [q].compactMap { $0 } : [])),
      EntityDescription("L1", superentityName: "L"),
      EntityDescription("R", attributes: [number], relationships: isSelf ? [] : [q].compactMap { $0 }),
    ]
  }

  /// The relationships that an entity may have.
  func properties(of entity: String) -> [String] {
    switch (entity, other) {
    case ("R", "R"): ["q"]
    case ("R", _): []
    case (_, "L"): ["r", "q"]
    default: ["r"]
    }
  }

  /// The statements that fill the source.
  func statements(_ schema: StoreSchema) -> String {
    var all: [String] = []
    for (entity, keys) in rows.sorted(by: { $0.key < $1.key }) {
      for (key, number) in keys.sorted(by: { $0.key < $1.key }) {
        let table = entity == "R" ? "ZR" : "ZL"
        all.append(
          "INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT, ZN) VALUES (\(key), \(schema.entityNumber(entity)), 1, \(number))")
      }
    }
    let (r, q) = relationships(old)
    let forward = Set(links.map { StoredLink(owner: $0.owner, target: $0.target, place: $0.place) })
    let back = Set(links.map { StoredLink(owner: $0.target, target: $0.owner, place: $0.inversePlace) })
    all += LinkStorage(schema: schema, entity: "L", relationship: r).statements(forward)
    if let q { all += LinkStorage(schema: schema, entity: other, relationship: q).statements(back) }
    return all.joined(separator: ";\n")
  }
}
