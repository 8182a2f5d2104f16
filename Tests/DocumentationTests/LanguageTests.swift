import Foundation
import TestSupport
import Testing

/// The English of comments, messages and pages.
@Suite("The language of comments and pages")
struct LanguageTests {
  /// Returns the texts of files of some kinds, with their paths.
  private static func files(in folders: [String], _ suffixes: [String]) throws -> [(path: String, text: String)] {
    let root = Checkout.root.path(percentEncoded: false)
    return try folders.flatMap { folder in
      try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)").sorted()
        .filter { path in suffixes.contains { path.hasSuffix($0) } }
        .map { ("\(folder)/\($0)", try Files.text("\(root)/\(folder)/\($0)")) }
    }
  }

  @Test func `Doc comments begin with a noun or a verb, not with a question word`() throws {
    var count = 0
    var questions: [String] = []
    for (path, text) in try Self.files(in: ["Sources", "Policies"], [".swift"]) {
      var isInside = false
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        let comment = line.drop { $0 == " " }
        defer { isInside = comment.hasPrefix("///") }
        guard comment.hasPrefix("///"), !isInside else { continue }
        count += 1
        if comment.prefixMatch(of: /\/\/\/ (?:What|How|Where|Why)\b/) != nil { questions.append("\(path): \(comment)") }
      }
    }
    #expect(count > 5000)
    #expect(questions.count <= 20, "\(questions.joined(separator: "\n"))")
  }

  @Test func `Comments, messages and pages name the program or the person that acts`() throws {
    // Names of members are code.
    let pattern = #"(?<!let |Self\.)\b(?:nobody|somebody|whoever)\b"#
    let files = try Self.files(in: ["Sources", "Policies", "docs"], [".swift", ".h", ".c", ".md", ".html"])
    #expect(files.count > 400)
    for (path, text) in files {
      let range = text.range(of: pattern, options: [.regularExpression, .caseInsensitive])
      #expect(range == nil, "\(path): \(range.map { String(text[text.lineRange(for: $0)]) } ?? "")")
    }
  }
}
