/// The key of a redaction, without which no redacted value leads back to what it was.
///
/// Each run makes its own and forgets it: two runs over the same store give different results.
package struct RedactionKey: Sendable, Hashable {
  fileprivate let first: UInt64
  fileprivate let second: UInt64

  /// Makes a key from the system's generator.
  package init() {
    var generator = SystemRandomNumberGenerator()
    self.init(generator.next(), generator.next())
  }

  /// Makes a key that is known, for tests.
  package init(_ first: UInt64, _ second: UInt64) { (self.first, self.second) = (first, second) }
}

/// A hash that cannot be computed or turned back without its key: SipHash-2-4, of 64-bit words.
struct KeyedHash {
  /// The values that are hashed: the same input gives another hash for each of them.
  enum Purpose: UInt64 {
    case word, letter, data, noise, uuid, days
  }

  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64
  private var count: UInt64 = 0

  init(_ key: RedactionKey, _ purpose: Purpose) {
    v0 = key.first ^ 0x736F_6D65_7073_6575
    v1 = key.second ^ 0x646F_7261_6E64_6F6D
    v2 = key.first ^ 0x6C79_6765_6E65_7261
    v3 = key.second ^ 0x7465_6462_7974_6573
    combine(purpose.rawValue)
  }

  /// Adds a word.
  @inline(__always)
  mutating func combine(_ word: UInt64) {
    count &+= 1
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  /// Adds bytes and their number.
  mutating func combine(_ bytes: UnsafeRawBufferPointer) {
    var place = 0
    while bytes.count - place >= 8 {
      combine(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
      place += 8
    }
    var rest: UInt64 = 0
    while place < bytes.count {
      rest = rest << 8 | UInt64(bytes[place])
      place += 1
    }
    combine(rest)
    combine(UInt64(bytes.count))
  }

  /// The hash of all that was added.
  func finish() -> UInt64 {
    var end = self
    end.combine(count << 56)
    end.v2 ^= 0xFF
    for _ in 0..<4 { end.round() }
    return end.v0 ^ end.v1 ^ end.v2 ^ end.v3
  }

  @inline(__always)
  private mutating func round() {
    v0 &+= v1
    v1 = (v1 << 13 | v1 >> 51) ^ v0
    v0 = v0 << 32 | v0 >> 32
    v2 &+= v3
    v3 = (v3 << 16 | v3 >> 48) ^ v2
    v0 &+= v3
    v3 = (v3 << 21 | v3 >> 43) ^ v0
    v2 &+= v1
    v1 = (v1 << 17 | v1 >> 47) ^ v2
    v2 = v2 << 32 | v2 >> 32
  }
}

/// Numbers that follow from a hash, as many as are needed.
struct KeyStream {
  private let hash: KeyedHash
  private var index: UInt64 = 0
  private var rest: UInt64 = 0
  /// The number of values that the rest can still give evenly enough.
  private var room: UInt64 = 0

  init(_ hash: KeyedHash) { self.hash = hash }

  /// The next 64 bits.
  mutating func next() -> UInt64 {
    var hash = hash
    hash.combine(index)
    index &+= 1
    return hash.finish()
  }

  /// A number below a limit, which is at most a million.
  @inline(__always)
  mutating func next(below limit: Int32) -> Int32 {
    guard limit > 1 else { return 0 }
    let limit = UInt64(limit)
    // What is left of 64 bits stays even as long as it has many more values than the limit.
    if room >> 20 < limit {
      rest = next()
      room = .max
    }
    let value = rest % limit
    rest /= limit
    room /= limit
    return Int32(value)
  }
}
