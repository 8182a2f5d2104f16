import JSONPresets
import Testing

struct ArtistDecisionsTests {
  private static func read(_ lines: String...) throws -> ArtistDecisions {
    try ArtistDecisions(file: Array(([header] + lines).joined(separator: "\n").utf8))
  }

  private static let header = "decision\tartist\tid\tinto\tinto_id\ttracks\tevidence"

  @Test func `A file is written as it was read`() throws {
    let lines = [
      "merge\tB\t\tA\t1\t12\tlooks alike", #"split"# + "\tA & B\t\tA | B\t1 | \t3\t", "keep\tC\t7\t\t\t\t",
      #"rename"# + "\t" + #"D\tE\\\|"# + "\t\t" + #"F\n\|G"# + "\t\t\t",
      "keep\t" + #"\u{1B}[31m\u{202E}"# + "\t\t\t\t\t", "ignore\t#1\t\t\t\t\t",
    ]
    let all = ["\u{FEFF}# A comment", "", Self.header] + lines + ["?\tX\t\tY\t\t9\t"]
    let file = all.map { $0 + "\r\n" }.joined()
    let decisions = try ArtistDecisions(file: Array(file.utf8))
    #expect(decisions.file == ([Self.header] + lines).map { $0 + "\n" }.joined())
    #expect(decisions.undecidedCount == 1)
    #expect(decisions.all.map(\.line) == [4, 5, 6, 7, 8, 9])
    #expect(decisions.all[1].targets.map(\.name) == ["A", "B"])
    #expect(decisions.all[1].targets.map(\.id) == ["1", nil])
    #expect(decisions.all[3].artist == "D\tE\\|")
    #expect(decisions.all[3].targets.first?.name == "F\n|G")
    #expect(decisions.all[4].artist == "\u{1B}[31m\u{202E}")
  }

  @Test func `Columns may be left out and stand in another order`() throws {
    let decisions = try ArtistDecisions(file: Array("into\tnote\tartist\tdecision\nA\tx\tB\tmerge\n\t\tC\tignore".utf8))
    #expect(decisions.all.map(\.text) == ["merge\tB\t\tA\t\t\t", "ignore\tC\t\t\t\t\t"])
  }

  /// As in a library that knows artists by their ids.
  @Test func `Each of many ids of a name may have a line, which its number finds`() throws {
    let ids = (0..<40_000).map { "merge\tA\t\($0)\tB\t\($0)" }
    let lines = ids + ["ignore\tA", "rename\tC\t\tA"]
    let decisions = try ArtistDecisions(file: Array(([Self.header] + lines).joined(separator: "\n").utf8))
    let byName = ArtistDecisions.LinesByName(decisions.all)
    let found = try #require(byName["A".utf8])
    for number in [0, 7, 39_999] { #expect(found.place(ofID: "\(number)".utf8) == number) }
    #expect(found.place(ofID: "40000".utf8) == nil && found.general == 40_000)
    #expect(byName["B".utf8] == nil && byName["C".utf8]?.general == 40_001)
    #expect(throws: ArtistDecisions.FileError.self) {
      try ArtistDecisions(file: Array(([Self.header] + lines + ["keep\tA\t39999"]).joined(separator: "\n").utf8))
    }
  }

  @Test(arguments: [
    (["merge\tB\t\tA", "ignore\tB"], "line 3 (ignore 'B') decides again what line 2 (merge 'B') has decided"),
    (["merge\tA\t\tA"], "line 2 (merge 'A') leads back to the same artist"),
    (["merge\tA\t\tB", "rename\tB\t\tA"], "line 2 (merge 'A'), line 3 (rename 'B') lead back to the same artist"),
    (["rename\tA\t\tB", "merge\tB\t1\tA"], "line 2 (rename 'A'), line 3 (merge 'B' with id '1') lead back"),
    (["split\tA\t\tB | A"], "line 2 (split 'A') leads back to the same artist"),
    (["merge\tA"], "line 2: 'merge' requires a name in 'into'"),
    (["merge\tA\t\tB|C"], "line 2: 'into' must be one name; write '\\|' for a bar in a name"),
    (["split\tA\t\tB"], "line 2: 'split' requires two or more names in 'into', with '|' between them"),
    (["split\tA\t\tB|C\t1|2|3"], "line 2: 'into_id' needs as many ids as 'into' has names"),
    (["rename\tA\t\tB\t1"], "line 2: 'rename' keeps the id, so 'into_id' must be empty"),
    (["delete\tA"], "line 2 has the decision 'delete'; the decisions are merge, split, keep, rename, ignore, and ?"),
    (["keep\t"], "line 2 names no artist"),
    (["keep\tA\\x"], "line 2 has '\\x'; only"), (["keep\t\\u{D800}"], "line 2 has '\\u'; only"),
    (["keep\tA\\"], "line 2 has a field that ends in '\\'"),
    (["keep\tA\t\t\t\t\t\tx"], "line 2 has more fields than the header"),
  ])
  func `A file that cannot be used is refused with the line`(lines: [String], message: String) throws {
    let error = try #require(throws: ArtistDecisions.FileError.self) {
      _ = try ArtistDecisions(file: Array(([Self.header] + lines).joined(separator: "\n").utf8))
    }
    #expect(error.description.contains(message), "\(error)")
  }

  @Test func `Any bytes are read or refused`() {
    for bytes in [[], [0xFF], [0xEF, 0xBB, 0xBF], Array("decision".utf8), Array("artist\tartist\tdecision".utf8)] {
      #expect(throws: ArtistDecisions.FileError.self) { _ = try ArtistDecisions(file: bytes) }
    }
  }

  @Test func `Chains are limited`() throws {
    // Each doubles the number of artists.
    let splits = (0..<40).map { "split\ta\($0)\t\ta\($0 + 1)|a\($0 + 1)" }
    let merges = (0..<100_000).map { "merge\ta\($0)\t\ta\($0 + 1)" }
    for lines in [splits, merges, merges.reversed()] {
      let error = try #require(throws: ArtistDecisions.FileError.self) {
        _ = try ArtistDecisions(file: Array(([Self.header] + lines).joined(separator: "\n").utf8))
      }
      #expect(error.description.contains("leads to more than 64 lines or artists"))
    }
  }

  @Test func `One id of a name can be merged into another`() throws {
    #expect(try Self.read("merge\tX\t2\tX\t1", "rename\tX\t3\tX (3)").all.count == 2)
  }
}
