import Foundation
import TestSupport
import Testing

/// GitHub's jobs and our own script, which say the same in two languages.
@Suite("Continuous integration")
struct WorkflowTests {
  private func commands(in file: String) throws -> [String] {
    let text = try Files.text(Checkout.root.appending(path: file).path(percentEncoded: false))
    return text.split(separator: "\n").compactMap { line in
      var words = line.trimmingCharacters(in: .whitespaces)
      for prefix in ["- run: ", "run: "] where words.hasPrefix(prefix) { words.removeFirst(prefix.count) }
      let isCommand = words.contains("make ") || words.hasPrefix("Scripts/install-dependencies.sh")
      return isCommand && !words.hasPrefix("#") ? words : nil
    }
  }

  @Test func `GitHub runs what the project's own script runs`() throws {
    let script = try commands(in: ".ci/run")
    #expect(script.count > 6)
    #expect(Set(script).subtracting(try commands(in: ".github/workflows/ci.yml")).sorted() == [])
  }
}
