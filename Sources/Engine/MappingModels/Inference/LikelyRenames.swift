internal import DataModel
internal import TerminalOutput

/// Guesses which removed elements were renamed without a renaming identifier.
///
/// Guesses are used only for advice. Each compares many elements with many, so the number of comparisons is limited.
struct LikelyRenames {
  private var remainingComparisons = 20_000

  /// The likely new names of properties, by their old names; no new name is used twice.
  ///
  /// A pair is likely if its names are similar, or if it is the only possible pair.
  mutating func newNames<Property: PropertyDescription>(
    of removed: [Property], among added: [Property], where isPossible: (Property, Property) -> Bool
  ) -> [String: String] {
    pair(removed, added, \.name) { old, new in
      guard isPossible(old, new) else { return .impossible }
      return NameSimilarity.distance(old.name, new.name).map { .likely($0) } ?? .possible
    }
  }

  /// The likely new names of entities: those with similar names, or with at least half of their attributes in common.
  mutating func newNames(of removed: [EntityDescription], among added: [EntityDescription]) -> [String: String] {
    let attributes = Dictionary(
      removed.map { ($0.name, Set($0.attributes.map(\.name))) }, uniquingKeysWith: { first, _ in first })
    return pair(removed, added, \.name) { old, new in
      if let distance = NameSimilarity.distance(old.name, new.name) { return .likely(distance) }
      let oldAttributes = attributes[old.name] ?? []
      let common = new.attributes.count { oldAttributes.contains($0.name) }
      let all = max(oldAttributes.count, new.attributes.count)
      return common > 0 && common * 2 >= all ? .likely(.max - common) : .impossible
    }
  }

  /// The likelihood that two elements are the same.
  private enum Likeness {
    case impossible
    /// Only if there is no other pair.
    case possible
    /// The lower the rank, the more likely.
    case likely(Int)
  }

  private mutating func pair<Element>(
    _ removed: [Element], _ added: [Element], _ name: (Element) -> String, _ likeness: (Element, Element) -> Likeness
  ) -> [String: String] {
    guard removed.count * added.count <= remainingComparisons else { return [:] }
    remainingComparisons -= removed.count * added.count
    var candidates: [(old: String, new: String, rank: Int)] = []
    var possible: [(old: String, new: String)] = []
    for old in removed {
      for new in added {
        switch likeness(old, new) {
        case .impossible: continue
        case .possible: possible.append((name(old), name(new)))
        case .likely(let rank):
          possible.append((name(old), name(new)))
          candidates.append((name(old), name(new), rank))
        }
      }
    }
    if let only = possible.first, possible.count == 1 { return [only.old: only.new] }
    var newNames: [String: String] = [:]
    var taken: Set<String> = []
    // Equally likely pairs stay in the order of their names.
    for (_, candidate) in candidates.enumerated().sorted(by: { ($0.1.rank, $0.0) < ($1.1.rank, $1.0) }) {
      guard newNames[candidate.old] == nil, taken.insert(candidate.new).inserted else { continue }
      newNames[candidate.old] = candidate.new
    }
    return newNames
  }
}

/// Measures how similar two names are.
private enum NameSimilarity {
  /// Longer names are compared as wholes only.
  private static let lengthLimit = 48

  /// The number of letters that differ, or `nil` if the names are not similar.
  ///
  /// Names are similar if at most a third of the letters differ, or if one begins or ends with the other.
  static func distance(_ left: String, _ right: String) -> Int? {
    guard left.utf8.count <= lengthLimit, right.utf8.count <= lengthLimit else { return nil }
    let (left, right) = (Array(left.lowercased()), Array(right.lowercased()))
    let (shorter, longer) = left.count <= right.count ? (left, right) : (right, left)
    if shorter.count >= 3, longer.starts(with: shorter) || longer.reversed().starts(with: shorter.reversed()) {
      return longer.count - shorter.count
    }
    guard (longer.count - shorter.count) * 3 <= longer.count else { return nil }
    let distance = editDistance(from: shorter, to: longer)
    return distance * 3 <= longer.count ? distance : nil
  }
}
