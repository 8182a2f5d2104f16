import CoreDataExpressions
import TestSupport
import Testing

@Suite("What is printed parses back to the same")
struct RoundTripTests {
  @Test(arguments: [0x5EED_0001, 0x5EED_0002, 0x5EED_0003] as [UInt64])
  func `Random expressions print and parse back unchanged`(seed: UInt64) throws {
    var tree = RandomTree(random: SeededGenerator(seed: seed))
    for number in 0..<Rounds.count(500) {
      let expression = tree.expression(number % 6)
      let text = expression.description
      let parsed = try Expression(format: text)
      try #require(parsed == expression, "seed \(seed), number \(number): \(text) became \(parsed)")
    }
  }

  @Test(arguments: [0x5EED_0004, 0x5EED_0005, 0x5EED_0006] as [UInt64])
  func `Random predicates print and parse back unchanged`(seed: UInt64) throws {
    var tree = RandomTree(random: SeededGenerator(seed: seed))
    for number in 0..<Rounds.count(500) {
      let predicate = tree.predicate(number % 6)
      let text = predicate.description
      let parsed = try Predicate(format: text)
      try #require(parsed == predicate, "seed \(seed), number \(number): \(text) became \(parsed)")
    }
  }

  @Test(
    arguments: [
      nil, true, 5, -5, 2.5, "x", [1, "a", nil], .date(700_000_000.25), .date(-0.1), .date(1e-9), .data([0, 255]),
      .url("https://a.b/?c=d"), .decimal("-12.50"), .data([]), [],
    ] as [FormatArgument])
  func `Arguments of every kind print and parse back unchanged`(_ argument: FormatArgument) throws {
    let predicate = try Predicate(format: "a IN %@", argument)
    #expect(try Predicate(format: predicate.description) == predicate)
  }

  @Test func `Text is compared by its code units`() throws {
    let composed = try Expression(format: "'\u{E9}'")
    let decomposed = try Expression(format: "'e\u{301}'")
    #expect(composed != decomposed)
    #expect(try Expression(format: decomposed.description) == decomposed)
  }
}
