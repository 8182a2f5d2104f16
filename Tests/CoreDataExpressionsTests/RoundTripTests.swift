import CoreDataExpressions
import TestSupport
import Testing

@Suite("What is printed parses back to the same")
struct RoundTripTests {
  @Test("Random expressions", arguments: [0x5EED_0001, 0x5EED_0002, 0x5EED_0003] as [UInt64])
  func expressions(seed: UInt64) throws {
    var tree = RandomTree(random: SeededGenerator(seed: seed))
    for number in 0..<4000 {
      let expression = tree.expression(number % 6)
      let text = expression.description
      let parsed = try Expression(format: text)
      try #require(parsed == expression, "seed \(seed), number \(number): \(text) became \(parsed)")
    }
  }

  @Test("Random predicates", arguments: [0x5EED_0004, 0x5EED_0005, 0x5EED_0006] as [UInt64])
  func predicates(seed: UInt64) throws {
    var tree = RandomTree(random: SeededGenerator(seed: seed))
    for number in 0..<4000 {
      let predicate = tree.predicate(number % 6)
      let text = predicate.description
      let parsed = try Predicate(format: text)
      try #require(parsed == predicate, "seed \(seed), number \(number): \(text) became \(parsed)")
    }
  }

  @Test(
    "Arguments of every kind",
    arguments: [
      nil, true, 5, -5, 2.5, "x", [1, "a", nil], .date(700_000_000.25), .date(-0.1), .date(1e-9), .data([0, 255]),
      .url("https://a.b/?c=d"), .decimal("-12.50"), .data([]), [],
    ] as [FormatArgument])
  func arguments(_ argument: FormatArgument) throws {
    let predicate = try Predicate(format: "a IN %@", argument)
    #expect(try Predicate(format: predicate.description) == predicate)
  }

  @Test("Text is compared by its code units")
  func codeUnits() throws {
    let composed = try Expression(format: "'\u{E9}'")
    let decomposed = try Expression(format: "'e\u{301}'")
    #expect(composed != decomposed)
    #expect(try Expression(format: decomposed.description) == decomposed)
  }
}
