/// A small random number generator, Steele, Lea and Flood's SplitMix64: the same seed gives the same numbers everywhere.
///
/// Its state is a counter, so a generator for the nth track or artist can be made at once, without the ones before.
package struct SplitMix64: RandomNumberGenerator {
  /// What the numbers are for; each purpose has numbers of its own.
  package enum Purpose: UInt64 {
    case store, track, artist
  }

  private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var state: UInt64

  package init(seed: UInt64, purpose: Purpose, index: Int = 0) {
    let stream = Self.mixed(seed &+ Self.increment &* (purpose.rawValue &+ 1))
    state = stream ^ Self.mixed(UInt64(bitPattern: Int64(index)) &+ Self.increment)
  }

  package mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mixed(state)
  }

  /// A number from 0 up to, but not including, the bound.
  package mutating func below(_ bound: Int) -> Int {
    // The high half of a product: all but uniform for bounds this small, and without a division.
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// A number from 0 up to, but not including, 1.
  package mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// An identity in the form of a random UUID (version 4).
  package mutating func nextUUID() -> String {
    var digits: [UInt8] = []
    digits.append(hexadecimal: next() & ~0xF000 | 0x4000, digits: 16)
    digits.append(hexadecimal: next() & ~(3 << 62) | 1 << 63, digits: 16)
    let text = String(decoding: digits, as: UTF8.self).uppercased()
    var groups: [Substring] = []
    var rest = text[...]
    for length in [8, 4, 4, 4, 12] {
      groups.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return groups.joined(separator: "-")
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
