/// Returns the candidate that a mistyped word most likely meant, or nil if none is close.
///
/// It provides the suggestions for unknown options and commands; a command that takes bare words can use it too:
///     nearest(to: "artsts", in: ["albums", "artists"])  // "artists"
///
/// - Parameters:
///   - word: What the user typed.
///   - candidates: What would have been right; the first of equally near ones wins.
package func nearest(to word: String, in candidates: some Sequence<String>) -> String? {
  // With more than half of the letters wrong it is a different word, not a typing error.
  let limit = max(1, min(3, word.count / 2))
  var best: (candidate: String, distance: Int)?
  for candidate in candidates where candidate != word {
    let distance = editDistance(from: word, to: candidate)
    if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
  }
  return best?.candidate
}

/// Counts the letters to insert, delete, replace or swap with their neighbour to turn one word into the other.
func editDistance(from source: String, to target: String) -> Int {
  let source = Array(source)
  let target = Array(target)
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
