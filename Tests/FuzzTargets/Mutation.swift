internal import TestSupport

/// Changes bytes a little, as damage or malice would.
public struct Mutation {
  private var random: SeededGenerator
  /// What else there is, for pieces of it.
  private let others: [[UInt8]]

  /// Creates a source of changes: the same seed makes the same ones.
  public init(seed: UInt64, others: [[UInt8]] = []) {
    random = SeededGenerator(seed: seed)
    self.others = others
  }

  /// Bytes that were changed in a few places.
  ///
  /// - Parameters:
  ///   - bytes: What is changed.
  ///   - isPaged: Whether everything stays in its place, as a database needs it to be read at all.
  public mutating func change(_ bytes: [UInt8], isPaged: Bool) -> [UInt8] {
    var changed = bytes
    for _ in 0..<Int.random(in: 1...5, using: &random) where !changed.isEmpty {
      if isPaged { changePage(&changed) } else { changeText(&changed) }
    }
    return changed
  }

  private mutating func place(in bytes: [UInt8]) -> Int { Int.random(in: bytes.indices, using: &random) }

  private mutating func changeText(_ bytes: inout [UInt8]) {
    let place = place(in: bytes)
    let end = min(bytes.count, place + Int.random(in: 1...16, using: &random))
    switch Int.random(in: 0..<8, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = .random(in: 0...255, using: &random)
    case 2: bytes[place] = Self.interesting.randomElement(using: &random) ?? 0
    case 3: bytes.removeSubrange(place..<end)
    case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 5: bytes.removeSubrange(place...)
    case 6: bytes.swapAt(place, self.place(in: bytes))
    default:
      guard let other = others.randomElement(using: &random), !other.isEmpty else { return }
      let start = self.place(in: other)
      let length = Int.random(in: 1...64, using: &random)
      bytes.insert(contentsOf: other[start..<min(other.count, start + length)], at: place)
    }
  }

  /// Flips, lies about numbers, and exchanges pages; mostly where SQLite keeps its structure.
  private mutating func changePage(_ bytes: inout [UInt8]) {
    let pageSize = 4096
    let page = place(in: bytes) / pageSize * pageSize
    switch Int.random(in: 0..<8, using: &random) {
    case 0: set(&bytes, at: place(in: bytes))
    case 1: set(&bytes, at: Int.random(in: 16..<100, using: &random))
    // The head of a page, and where its cells begin.
    case 2, 3: set(&bytes, at: page + (page == 0 ? 100 : 0) + Int.random(in: 0..<40, using: &random))
    // The schema, whose text is at the end of the first page.
    case 4: set(&bytes, at: pageSize - 1 - Int.random(in: 0..<2500, using: &random))
    // The last page of a number of cells: their heads.
    case 5:
      let start = page + pageSize - Int.random(in: 1..<400, using: &random)
      set(&bytes, at: start)
    case 6:
      let other = place(in: bytes) / pageSize * pageSize
      guard other + pageSize <= bytes.count, page + pageSize <= bytes.count else { return }
      bytes.replaceSubrange(page..<page + pageSize, with: Array(bytes[other..<other + pageSize]))
    default:
      if Int.random(in: 0..<4, using: &random) == 0 { bytes.removeSubrange(place(in: bytes)...) }
    }
  }

  private mutating func set(_ bytes: inout [UInt8], at place: Int) {
    guard bytes.indices.contains(place) else { return }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = .random(in: 0...255, using: &random)
    default: bytes[place] = Self.interesting.randomElement(using: &random) ?? 0
    }
  }

  private static let interesting: [UInt8] = [
    0, 1, 2, 5, 10, 13, 0x22, 0x27, 0x3B, 0x3C, 0x5C, 0x7F, 0x80, 0x81, 0xFE, 0xFF,
  ]
}
