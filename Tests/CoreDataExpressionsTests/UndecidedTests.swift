import CoreDataExpressions
import Foundation
import TestSupport
import Testing

/// The questions about predicates that no text of Apple's answers, which one article lists.
@Suite("What was decided without a Mac")
struct UndecidedTests {
  /// The rows of the article's list: an example, and whether it is true.
  private static func decisions() throws -> [(example: String, answer: String)] {
    let file = Checkout.root.appending(path: "Sources/Engine/Migration/Migration.docc/Predicates.md")
    let text = try Files.text(file.path(percentEncoded: false))
    let start = try #require(text.range(of: "### Decided without a Mac"))
    return text[start.upperBound...].split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { row in
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return (cells[1].trimmingCharacters(in: ["`"]), cells[2])
    }
  }

  @Test func `The article's list has every question, each with a reason`() throws {
    let decisions = try Self.decisions()
    #expect(decisions.count == 15)
    for example in ["rating != 5", "NOT rating IN {5}", "rating IN {nil}", "artists.@avg.age == 0"] {
      #expect(decisions.contains { $0.example == example })
    }
    #expect(Set(decisions.map(\.answer)) == ["true", "false"])
  }

  @Test func `Each example has the answer of the list, on an object and in a store`() throws {
    var random = SeededGenerator(seed: 1)
    let database = try MusicDatabase(&random, texts: ["a"])
    try database.connection.execute("INSERT INTO ZTRACK (Z_PK) VALUES (99)")
    let track = TestObject(["rating": nil, "artists": .collection(.set, [])])
    for (example, answer) in try Self.decisions() {
      let predicate = try Predicate(format: example)
      #expect(try predicate.evaluate(in: EvaluationContext(object: .object(track))) == (answer == "true"), "\(example)")
      let condition = try predicate.sql(on: MusicNaming.track, naming: MusicNaming())
      #expect(try database.tracks(where: condition).contains(99) == (answer == "true"), "\(example)")
    }
  }
}
