import Testing

@testable import TerminalOutput

@Suite struct NearestNamesTests {
  static let commands = ["albums", "artists", "migrate", "check"]

  @Test(arguments: [
    ("artsts", "artists"), ("albumss", "albums"), ("albm", "albums"), ("migarte", "migrate"), ("chekc", "check"),
    ("Albums", "albums"),
  ])
  func `The nearest command is found for a typing error`(word: String, expected: String) {
    #expect(nearest(to: word, in: Self.commands) == expected)
  }

  @Test(arguments: ["", "x", "library", "~/Music/library.sqlite", "all"])
  func `A word that means something else has no nearest command`(word: String) {
    #expect(nearest(to: word, in: Self.commands) == nil)
  }

  @Test func `The nearest command is never the word itself`() {
    #expect(nearest(to: "check", in: ["check"]) == nil)
  }

  @Test func `The first of two equally near commands is chosen`() {
    #expect(nearest(to: "cat", in: ["bat", "rat"]) == "bat")
  }

  @Test func `Several candidates are sorted by their distance`() {
    #expect(nearest(2, to: "bat", in: ["rats", "cat", "bat", "horse", "rat"]) == ["bat", "cat"])
    #expect(nearest(2, to: String(repeating: "a", count: 101), in: [String(repeating: "a", count: 101)]) == [])
  }

  @Test(arguments: [
    ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1),
    ("abcd", "badc", 2), ("kitten", "sitting", 3),
  ])
  func `The edit distance counts a swap of neighbours as one edit`(source: String, target: String, distance: Int) {
    #expect(editDistance(from: Array(source), to: Array(target)) == distance)
    #expect(editDistance(from: Array(target), to: Array(source)) == distance)
  }

  @Test func `The nearest name is suggested unless it is too different or too many names are wrong`() {
    func nearest(_ name: String, _ candidates: [String]) -> String? {
      var names = NearestNames()
      return names.nearest(to: name, in: candidates)
    }
    #expect(nearest("titel", ["title", "tile", "artist"]) == "title")
    #expect(nearest("Nam", ["name", "names"]) == "name")
    #expect(nearest("title", ["title", "artist"]) == nil)
    #expect(nearest("ab", ["xy", "abcd"]) == nil)
    #expect(nearest(String(repeating: "x", count: 101), [String(repeating: "x", count: 100)]) == nil)
    var names = NearestNames()
    let suggestions = (0..<40).map { _ in names.nearest(to: "titel", in: ["title"]) }
    #expect(suggestions == Array(repeating: "title", count: 32) + Array(repeating: nil, count: 8))
  }
}
