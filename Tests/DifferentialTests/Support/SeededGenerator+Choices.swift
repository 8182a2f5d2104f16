import TestSupport

extension SeededGenerator {
  /// Returns true in the given percentage of cases.
  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  /// Returns a number in a range.
  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Returns one of several values.
  mutating func pick<Choice>(_ first: Choice, _ others: Choice...) -> Choice { pick(from: others, or: first) }

  /// Returns an element of a list or, so there always is one, another value.
  mutating func pick<Choice>(from choices: [Choice], or other: Choice) -> Choice {
    let place = number(0...choices.count)
    return place == choices.count ? other : choices[place]
  }
}
