/// Replaces words by others of the same shape, so that different words stay different.
///
/// A hash alone would do this for long words only: of three letters, two hundred words already have two that would become
/// one, and artists, tracks and unique values would be counted otherwise. So a word is permuted among all words of its shape
/// (a Feistel network over letters, as in format-preserving encryption), with rounds that are keyed hashes.
///
/// No word of two or more letters stays what it is: π⁻¹(π(word) + 1) has no fixed point, whatever the permutation π is.
struct WordCipher {
  /// The numbers of letters that each place of the word may have.
  var sizes: [Int32] = []
  /// The letters of the word.
  var values: [Int32] = []

  private let key: RedactionKey
  /// The permutations of single letters, and their inverses, by alphabet.
  private var tables: [UInt64: (table: [Int32], inverse: [Int32])] = [:]

  private static let roundCount = 8

  init(_ key: RedactionKey) { self.key = key }

  mutating func removeAll() {
    sizes.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
  }

  /// Replaces the word.
  ///
  /// - Parameter alphabet: The name of the alphabet of a word with a single letter.
  mutating func replace(alphabet: UInt64) {
    guard values.count > 1 else {
      if values.count == 1 { replaceLetter(alphabet) }
      return
    }
    // The place with most letters surely has another one.
    var place = 0
    for other in sizes.indices where sizes[other] > sizes[place] { place = other }
    guard sizes[place] > 1 else { return }
    permute()
    values[place] = (values[place] + 1) % sizes[place]
    permuteBack()
  }

  /// Replaces the word in such a way that to go on, until a word fits, leads to any of those that do.
  ///
  /// The other replacement leads back after as many steps as a place has letters.
  mutating func advance() { permute() }

  private mutating func replaceLetter(_ alphabet: UInt64) {
    let size = Int(sizes[0])
    guard size > 1 else { return }
    let (table, inverse) = tables[alphabet] ?? makeTable(alphabet, size)
    guard table.count == size else { return }
    values[0] = inverse[(Int(table[Int(values[0])]) + 1) % size]
  }

  private mutating func makeTable(_ alphabet: UInt64, _ size: Int) -> (table: [Int32], inverse: [Int32]) {
    var hash = KeyedHash(key, .letter)
    hash.combine(alphabet)
    hash.combine(UInt64(size))
    var stream = KeyStream(hash)
    var table = (0..<Int32(size)).map { $0 }
    for place in stride(from: size - 1, to: 0, by: -1) {
      table.swapAt(place, Int(stream.next(below: Int32(place + 1))))
    }
    var inverse = table
    for (place, value) in table.enumerated() { inverse[Int(value)] = Int32(place) }
    tables[alphabet] = (table, inverse)
    return (table, inverse)
  }

  private mutating func permute() {
    for round in 0..<Self.roundCount { self.round(round, isForward: true) }
  }

  private mutating func permuteBack() {
    for round in (0..<Self.roundCount).reversed() { self.round(round, isForward: false) }
  }

  /// Adds numbers that follow from one half to the other half, or takes them away again.
  private mutating func round(_ round: Int, isForward: Bool) {
    let count = values.count
    let middle = count / 2
    var hash = KeyedHash(key, .word)
    hash.combine(UInt64(round) << 32 | UInt64(count))
    let (known, changed) = round % 2 == 0 ? (middle..<count, 0..<middle) : (0..<middle, middle..<count)
    // Overlapping accesses are checked for each element otherwise, of which there are many.
    values.withUnsafeMutableBufferPointer { values in
      sizes.withUnsafeBufferPointer { sizes in
        for place in known { hash.combine(UInt64(UInt32(sizes[place])) << 32 | UInt64(UInt32(values[place]))) }
        var stream = KeyStream(hash)
        for place in changed {
          let number = stream.next(below: sizes[place])
          let sum = isForward ? values[place] + number : values[place] - number + sizes[place]
          values[place] = sum >= sizes[place] ? sum - sizes[place] : sum
        }
      }
    }
  }
}
