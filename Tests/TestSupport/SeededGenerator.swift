/// Random numbers that a printed seed brings back (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator.
  public init(seed: UInt64) { state = seed }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension SeededGenerator {
  /// Returns true in the given percentage of cases.
  public mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  /// Returns true once in so many cases.
  public mutating func chance(oneIn count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  /// Returns a number in a range.
  public mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Returns a number in a range that is not empty.
  public mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Returns one of several values.
  public mutating func pick<Choice>(_ first: Choice, _ others: Choice...) -> Choice { pick(from: others, or: first) }

  /// Returns an element of a list or, so there always is one, another value.
  public mutating func pick<Choice>(from choices: [Choice], or other: Choice) -> Choice {
    let place = number(0...choices.count)
    return place == choices.count ? other : choices[place]
  }

  /// Returns an element of a list that is not empty.
  public mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0..<elements.count)] }
}
