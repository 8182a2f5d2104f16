internal import DataModel

/// Which of two relationships of one entity, each the other's inverse, names their join table.
///
/// The names of an entity's properties lie in a hash table, laid out as CoreFoundation did on 32-bit Mac OS X 10.4 and
/// kept that way ever since. The relationship that is met first in it names the table. This explains all tables that
/// are known of stores which Core Data wrote; a few details of the hash table are not settled, see ``Variant``.
struct JoinTableRule {
  /// What the rule looks at of a property.
  struct Property: Hashable {
    enum Kind { case attribute, toOne, toMany }

    let name: String
    let kind: Kind
    let isTransient: Bool
  }

  /// The properties, inherited ones included, in the order in which they are inserted.
  let properties: [Property]
  /// Whether all that is known applies to the entity: no case is known of one with parents or children.
  private let isKnownCase: Bool

  init(_ entity: EntityDescription) {
    let attributes = entity.attributes.map {
      Property(name: $0.name, kind: .attribute, isTransient: $0.isTransient)
    }
    let relationships = entity.relationships.map {
      Property(name: $0.name, kind: $0.isToMany ? .toMany : .toOne, isTransient: $0.isTransient)
    }
    properties = (attributes + relationships).sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
    isKnownCase =
      entity.superentityName == nil && entity.subentityNames.isEmpty && entity.ownFetchedProperties.isEmpty
      && properties.allSatisfy { $0.name.utf16.count <= Self.lengthLimit }
  }

  /// The relationship that names the table, and whether nothing that is not settled could make it the other one.
  func naming(_ first: String, _ second: String) -> (name: String, isCertain: Bool) {
    var answers: [String] = []
    for variant in Variant.all {
      let keys = keys(variant)
      guard let slots = Self.slots(keys, variant), let name = slots.first(where: { $0 == first || $0 == second }) else {
        return (first.precedesByBytes(second) ? first : second, false)
      }
      answers.append(name)
      if keys.count > Self.countLimit { return (answers[0], false) }
    }
    return (answers[0], isKnownCase && Set(answers).count == 1)
  }

  /// CoreFoundation hashes longer strings another way, and no case of one is known.
  private static let lengthLimit = 96
  /// No case with more keys is known.
  private static let countLimit = 47

  /// What is not settled of the hash table.
  ///
  /// The first variant explains all known cases; each of the others may turn out to be right for an entity that is not
  /// among them.
  private struct Variant {
    var hasForeignKeys = true
    var hasTransientProperties = true
    var beginsWithFixedColumns = false
    var refillsUpwards = false

    static let all: [Variant] = [true, false].flatMap { hasForeignKeys in
      [true, false].flatMap { hasTransientProperties in
        [false, true].flatMap { beginsWithFixedColumns in
          [false, true].map { refillsUpwards in
            Variant(
              hasForeignKeys: hasForeignKeys, hasTransientProperties: hasTransientProperties,
              beginsWithFixedColumns: beginsWithFixedColumns, refillsUpwards: refillsUpwards)
          }
        }
      }
    }
  }

  /// What is inserted, in its order.
  private func keys(_ variant: Variant) -> [String] {
    let names = properties.filter { variant.hasTransientProperties || !$0.isTransient }.flatMap { property in
      variant.hasForeignKeys && property.kind == .toOne
        ? [property.name, "Z" + property.name.uppercased()] : [property.name]
    }
    let fixed = ["Z_PK", "Z_ENT", "Z_OPT"]
    return variant.beginsWithFixedColumns ? fixed + names : names + fixed
  }

  /// How many keys a table takes, and how many slots it has for them.
  private static let sizes = [
    (4, 5), (8, 11), (17, 23), (29, 41), (47, 67), (76, 113), (123, 199), (199, 317), (322, 521), (521, 839),
    (843, 1361),
  ]

  /// The keys in the order of their slots; `nil` for more than any table takes.
  private static func slots(_ keys: [String], _ variant: Variant) -> [String]? {
    var slots: [String?] = []
    var known: Set<String> = []
    var sizes = Self.sizes.makeIterator()
    var limit = 0
    for key in keys where !known.contains(key) {
      if known.count == limit {
        guard let (next, slotCount) = sizes.next() else { return nil }
        let kept = slots.compactMap { $0 }
        slots = Array(repeating: nil, count: slotCount)
        for old in variant.refillsUpwards ? kept : kept.reversed() { insert(old, into: &slots) }
        limit = next
      }
      insert(key, into: &slots)
      known.insert(key)
    }
    return slots.compactMap { $0 }
  }

  private static func insert(_ key: String, into slots: inout [String?]) {
    var slot = Int(hash(key)) % slots.count
    while slots[slot] != nil { slot = (slot + 1) % slots.count }
    slots[slot] = key
  }

  /// CoreFoundation's hash of a string, as it was with 32 bits.
  private static func hash(_ name: String) -> UInt32 {
    let units = name.utf16.map { UInt32($0) }
    var result = UInt32(truncatingIfNeeded: units.count)
    var rest = units[...]
    while rest.count >= 4 {
      let four = Array(rest.prefix(4))
      result = result &* 67_503_105 &+ four[0] &* 16_974_593 &+ four[1] &* 66_049 &+ four[2] &* 257 &+ four[3]
      rest = rest.dropFirst(4)
    }
    for unit in rest { result = result &* 257 &+ unit }
    return result &+ (result << UInt32(units.count % 32))
  }
}
