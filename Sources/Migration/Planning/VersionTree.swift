internal import DataModel

/// Which versions of a model come of which, as far as they themselves tell.
///
/// Nothing records the order of versions, and their names may say anything. But a version is made of another by changing
/// some of it. So those that have most in common are joined first, until all are joined: the way from one version to
/// another through this tree is the likely history between them. Names decide only between pairs that are equally alike.
struct VersionTree {
  private let contents: [Content]
  private var neighbours: [[Int]]

  init(_ versions: [KnownVersion]) {
    contents = versions.map { Content($0.model) }
    neighbours = versions.map { _ in [] }
    var pairs: [(distance: Double, gap: Int, first: Int, second: Int)] = []
    for second in versions.indices {
      for first in 0..<second { pairs.append((distance(first, second), second - first, first, second)) }
    }
    var groups = Array(versions.indices)
    for pair in pairs.sorted(by: <) where groups[pair.first] != groups[pair.second] {
      let (kept, joined) = (groups[pair.first], groups[pair.second])
      for place in groups.indices where groups[place] == joined { groups[place] = kept }
      neighbours[pair.first].append(pair.second)
      neighbours[pair.second].append(pair.first)
    }
  }

  /// How little two versions have in common: from 0, where they hold the same, to 1, where they share nothing.
  func distance(_ first: Int, _ second: Int) -> Double { contents[first].distance(to: contents[second]) }

  /// The versions from one to another, with both.
  func way(from source: Int, to destination: Int) -> [Int] {
    var ways = [[source]]
    // Each version is reached once: a tree has no other way.
    while let way = ways.popLast(), let last = way.last {
      if last == destination { return way }
      ways += neighbours[last].filter { $0 != way.dropLast().last }.map { way + [$0] }
    }
    return []
  }
}

/// What a version has to compare with others.
private struct Content {
  private struct Property {
    let name: String
    let earlierName: String
    let kind: String
  }

  private struct Entity {
    let hash: VersionHash
    let earlierName: String
    let properties: [String: Property]
    let earlierNames: [String: String]
  }

  private let entities: [String: Entity]
  private let earlierNames: [String: String]
  private let weight: Int

  init(_ model: ManagedObjectModel) {
    entities = Dictionary(
      model.entities.map { entity in
        let properties =
          entity.attributes.map {
            Property(name: $0.name, earlierName: $0.renamingIdentifier, kind: "\($0.type)")
          }
          + entity.relationships.map {
            Property(
              name: $0.name, earlierName: $0.renamingIdentifier, kind: "\($0.destinationEntityName) \($0.isToMany)")
          }
        return (
          entity.name,
          Entity(
            hash: entity.versionHash, earlierName: entity.renamingIdentifier,
            properties: Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }),
            earlierNames: Dictionary(
              properties.map { ($0.earlierName, $0.name) }, uniquingKeysWith: { first, _ in first }))
        )
      }, uniquingKeysWith: { first, _ in first })
    earlierNames = Dictionary(
      model.entities.map { ($0.renamingIdentifier, $0.name) }, uniquingKeysWith: { first, _ in first })
    weight = entities.values.reduce(0) { $0 + 2 + 2 * $1.properties.count }
  }

  /// What is in only one of them, in relation to what is in any.
  func distance(to other: Content) -> Double {
    var shared = 0
    for (name, entity) in other.entities {
      guard let partner = Self.partner(of: name, entity.earlierName, entities, earlierNames, among: other.entities)
      else { continue }
      shared += 2
      if partner.hash == entity.hash {
        shared += 2 * entity.properties.count
        continue
      }
      for property in entity.properties.values {
        let found = Self.partner(
          of: property.name, property.earlierName, partner.properties, partner.earlierNames, among: entity.properties)
        if let found { shared += found.kind == property.kind ? 2 : 1 }
      }
    }
    let all = weight + other.weight - shared
    return all <= 0 ? 0 : 1 - Double(shared) / Double(all)
  }

  /// What has the same name, or had it before or afterwards and does not keep it besides.
  private static func partner<Element>(
    of name: String, _ earlierName: String, _ elements: [String: Element], _ earlierNames: [String: String],
    among others: [String: Element]
  ) -> Element? {
    if let same = elements[name] { return same }
    if others[earlierName] == nil, let renamed = elements[earlierName] { return renamed }
    guard let laterName = earlierNames[name], others[laterName] == nil else { return nil }
    return elements[laterName]
  }
}
