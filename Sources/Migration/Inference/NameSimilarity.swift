/// Tells how alike two names are.
enum NameSimilarity {
  /// Longer names are compared as wholes only.
  private static let lengthLimit = 48

  /// How many letters differ, or `nil` if the names are not alike.
  ///
  /// Alike are names where no more than a third of the letters differs, and those of which one continues the other.
  static func distance(_ left: String, _ right: String) -> Int? {
    guard left.utf8.count <= lengthLimit, right.utf8.count <= lengthLimit else { return nil }
    let (left, right) = (Array(left.lowercased()), Array(right.lowercased()))
    let (shorter, longer) = left.count <= right.count ? (left, right) : (right, left)
    if shorter.count >= 3, longer.starts(with: shorter) || longer.reversed().starts(with: shorter.reversed()) {
      return longer.count - shorter.count
    }
    guard (longer.count - shorter.count) * 3 <= longer.count else { return nil }
    let distance = edits(shorter, longer)
    return distance * 3 <= longer.count ? distance : nil
  }

  /// The Levenshtein distance, of which one row at a time is kept.
  private static func edits(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var diagonal = index
      row[0] = index + 1
      for column in right.indices {
        let replaced = diagonal + (letter == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row.last ?? 0
  }
}
