/// Finds the name that a name which does not exist most likely stands for.
///
/// Files of any size may be wrong from top to bottom; after a number of suggestions there are no more.
struct NearestNames {
  private static let lengthLimit = 64
  private var remaining = 32

  /// The nearest name, if one is near; the first by the alphabet of those that are equally near.
  mutating func nearest(to name: String, in candidates: some Collection<String>) -> String? {
    let word = Array(name.lowercased())
    guard remaining > 0, word.count <= Self.lengthLimit else { return nil }
    remaining -= 1
    // With more than half of the letters wrong it is a different name.
    let limit = max(1, min(3, word.count / 2))
    var best: (name: String, distance: Int)?
    for candidate in candidates.sorted() where candidate != name {
      let other = Array(candidate.lowercased())
      guard abs(other.count - word.count) <= limit else { continue }
      let distance = Self.distance(word, other)
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// How many letters to insert, delete or replace.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var last = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        current.append(min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, current[column] + 1))
      }
      last = current
    }
    return last[right.count]
  }
}
