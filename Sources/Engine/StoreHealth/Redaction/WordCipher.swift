/// Replaces words and numbers by others of the same shape, so that different ones stay different.
///
/// A hash alone would do this for long words only: of three letters, two hundred words already have two that would become
/// one, and artists, tracks and unique values would be counted otherwise. So a word is permuted among all words of its shape
/// (a Feistel network over letters, as in format-preserving encryption), with rounds that are keyed hashes.
///
/// Nothing stays what it is: π⁻¹(π(word) + 1) has no fixed point, whatever the permutation π is. A word that may not be the
/// result is passed by replacing it in turn: the chain leads back to where it began, and no two words come to the same end.
struct WordCipher {
  /// The numbers of letters that each place of the word may have.
  var sizes: [Int32] = []
  /// The letters of the word.
  var values: [Int32] = []

  private let key: RedactionKey
  /// The permutations of single letters and of few numbers, and their inverses.
  private var tables: [TableName: (table: [Int32], inverse: [Int32])] = [:]

  private struct TableName: Hashable {
    let alphabet: UInt64
    let size: Int32
  }

  /// The number of numbers of which a table is made.
  private static let tableLimit: UInt64 = 256

  private static let roundCount = 8

  init(_ key: RedactionKey) { self.key = key }

  mutating func removeAll() {
    sizes.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
  }

  /// Replaces the word.
  ///
  /// - Parameter alphabet: The name of the alphabet of a word of which a single letter can change.
  mutating func replace(alphabet: UInt64) {
    // The place with most letters surely has another one.
    var (place, changing) = (0, 0)
    for other in sizes.indices where sizes[other] > 1 {
      changing += 1
      if sizes[other] > sizes[place] { place = other }
    }
    switch changing {
    case 0: return
    // A sum with what follows from no other letter would be the same for all.
    case 1: values[place] = replaced(values[place], below: sizes[place], alphabet)
    default:
      permute()
      values[place] = (values[place] + 1) % sizes[place]
      permuteBack()
    }
  }

  /// Replaces a number by another one below a limit: to go on leads through all of them.
  ///
  /// - Parameter name: The same for numbers of the same kind.
  mutating func replaced(_ number: UInt64, below limit: UInt64, name: UInt64) -> UInt64 {
    guard limit > 1 else { return number }
    guard limit > Self.tableLimit else { return UInt64(replaced(Int32(number), below: Int32(limit), name)) }
    let greatest = String(limit - 1).utf8
    sizes = [Int32](repeating: 10, count: greatest.count)
    sizes[0] = greatest.first.map { Int32($0) - 0x2F } ?? 10
    // What is permuted among a few more numbers goes on until it is one of those.
    values = sizes
    digits = number
    repeat { permute() } while digits >= limit
    digits = (digits + 1) % limit
    repeat { permuteBack() } while digits >= limit
    return digits
  }

  /// The values, as the digits of a number.
  private var digits: UInt64 {
    get { values.reduce(0) { $0 * 10 + UInt64($1) } }
    set {
      var rest = newValue
      for place in values.indices.reversed() { (values[place], rest) = (Int32(rest % 10), rest / 10) }
    }
  }

  private mutating func replaced(_ value: Int32, below size: Int32, _ alphabet: UInt64) -> Int32 {
    let name = TableName(alphabet: alphabet, size: size)
    let (table, inverse) = tables[name] ?? makeTable(name)
    return inverse[Int((table[Int(value)] + 1) % size)]
  }

  private mutating func makeTable(_ name: TableName) -> (table: [Int32], inverse: [Int32]) {
    var hash = KeyedHash(key, .letter)
    hash.combine(name.alphabet)
    hash.combine(UInt64(name.size))
    var stream = KeyStream(hash)
    var table = (0..<name.size).map { $0 }
    for place in stride(from: Int(name.size) - 1, to: 0, by: -1) {
      table.swapAt(place, Int(stream.next(below: Int32(place + 1))))
    }
    var inverse = table
    for (place, value) in table.enumerated() { inverse[Int(value)] = Int32(place) }
    tables[name] = (table, inverse)
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
