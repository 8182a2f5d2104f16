import TestSupport

extension SeededGenerator {
  /// Whether something happens that does so in so many of a hundred cases.
  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  /// A number of a range.
  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// One of several.
  mutating func pick<Choice>(_ first: Choice, _ others: Choice...) -> Choice { pick(from: others, or: first) }

  /// One of a list, to which another choice is added so that there is one at all.
  mutating func pick<Choice>(from choices: [Choice], or other: Choice) -> Choice {
    let place = number(0...choices.count)
    return place == choices.count ? other : choices[place]
  }
}
