import Foundation
import TestSupport
import Testing

@Suite("Code in articles")
struct SnippetTests {
  @Test func `Every line of code in an article is compiled`() throws {
    let root = Checkout.root.path(percentEncoded: false)
    let compiled = try Self.lines(Files.text(root + "/Tests/DocumentationTests/Snippets.swift"))
    var count = 0
    let articles = try FileManager.default.subpathsOfDirectory(atPath: root + "/Sources")
      .filter { $0.hasSuffix(".md") && !$0.hasSuffix("Tutorial.md") }.map { root + "/Sources/" + $0 }
    for path in articles + [root + "/README.md"] {
      for block in try Article(path: path).blocks where block.language == "swift" {
        // The imports of a reader's file are at the top of the other file.
        let wanted = Self.lines(block.text).drop { $0.isEmpty || $0.hasPrefix("import ") }
        #expect(wanted.isEmpty == false && compiled.firstRange(of: wanted) != nil, "\(path):\n\(block.text)")
        count += 1
      }
    }
    #expect(count >= 11)
  }

  /// Returns the lines of a text without their indentation.
  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
      .reversed().drop { $0.isEmpty }.reversed()
  }
}
