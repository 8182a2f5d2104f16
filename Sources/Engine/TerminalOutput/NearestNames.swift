/// Finds the existing name that a misspelled name in a file most likely means.
///
/// The number of suggestions is limited, because a large file may be wrong from top to bottom.
package struct NearestNames {
  private var remaining = 32

  package init() {}

  /// Returns the end of a sentence that names the nearest name; empty without one.
  package static func hint(_ nearest: String?) -> String { nearest.map { "; the nearest is '\($0)'" } ?? "" }

  /// The nearest name, if one is near; of equally near ones, the first in alphabetical order.
  package mutating func nearest(to name: String, in candidates: some Collection<String>) -> String? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    return TerminalOutput.nearest(to: name, in: candidates.sorted())
  }
}

/// Returns the candidate that a mistyped word most likely meant, or nil if none is close.
///
///     nearest(to: "artsts", in: ["albums", "artists"])  // "artists"
///
/// - Parameters:
///   - word: What the user typed.
///   - candidates: What would have been right; the first of equally near ones wins.
package func nearest(to word: String, in candidates: some Sequence<String>) -> String? {
  nearest(1, to: word, in: candidates.lazy.filter { $0 != word }).first
}

/// Returns the candidates that a mistyped word most likely meant, nearest first; case does not count.
package func nearest(_ count: Int, to word: String, in candidates: some Sequence<String>) -> [String] {
  let letters = Array(word.lowercased())
  // With more than half of the letters wrong it is a different word, not a typing error.
  let limit = max(1, min(3, letters.count / 2))
  // The distance takes time with the square of the length, and a name in a file may be arbitrarily long.
  guard letters.count <= 100 else { return [] }
  let near = candidates.compactMap { candidate -> (candidate: String, distance: Int)? in
    // A letter has at least one byte, so that many candidates are out by their lengths alone.
    guard candidate.utf8.count >= letters.count - limit else { return nil }
    let other = Array(candidate.lowercased())
    guard abs(other.count - letters.count) <= limit else { return nil }
    let distance = editDistance(from: letters, to: other)
    return distance <= limit ? (candidate, distance) : nil
  }
  return near.sorted { $0.distance < $1.distance }.prefix(count).map(\.candidate)
}

/// Counts the letters to insert, delete, replace or swap with their neighbour to turn one word into the other.
package func editDistance(from source: [Character], to target: [Character]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...target.count)
  for row in source.indices {
    var current = [row + 1]
    for column in target.indices {
      let replaced = last[column] + (source[row] == target[column] ? 0 : 1)
      var cost = min(replaced, last[column + 1] + 1, current[column] + 1)
      // Swapped neighbours are the most common typo and would otherwise count as two.
      if row > 0, column > 0, source[row] == target[column - 1], source[row - 1] == target[column] {
        cost = min(cost, beforeLast[column - 1] + 1)
      }
      current.append(cost)
    }
    (beforeLast, last) = (last, current)
  }
  return last[target.count]
}
