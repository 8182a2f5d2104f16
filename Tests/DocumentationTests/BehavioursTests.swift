import Foundation
import TestSupport
import Testing

@Suite("The table of behaviours")
struct BehavioursTests {
  private let rows: [[String]]

  init() throws {
    let path = Checkout.root.appending(path: "docs/behaviours.md").path(percentEncoded: false)
    rows = try Article(path: path).tableRows.filter { Int($0[0]) != nil }
  }

  /// Returns the contents of all Swift files in folders by their names without `.swift`, which may be ambiguous.
  private static func files(in folders: String...) throws -> [String: [String]] {
    var files: [String: [String]] = [:]
    for folder in folders {
      let path = Checkout.root.appending(path: folder).path(percentEncoded: false)
      for name in try FileManager.default.subpathsOfDirectory(atPath: path) where name.hasSuffix(".swift") {
        let key = URL(filePath: name).deletingPathExtension().lastPathComponent
        files[key, default: []].append(try Files.text("\(path)/\(name)"))
      }
    }
    return files
  }

  @Test func `The table has a row for each of the seventy-two behaviours`() {
    #expect(rows.map { Int($0[0]) } == Array(1...72))
    #expect(rows.allSatisfy { $0.count == 5 && !$0[1].isEmpty })
  }

  @Test func `Every file named in the table exists`() throws {
    let files = try Self.files(in: "Sources", "Policies")
    for row in rows {
      let names = row[2].matches(of: /`([^`]+)`/).map { String($0.output.1) }
      #expect(names.isEmpty == row[4].hasPrefix("Does not apply"), "row \(row[0])")
      for name in names { #expect(files[name] != nil, "row \(row[0]): there is no \(name).swift") }
    }
  }

  @Test func `Every test named in the table exists`() throws {
    let files = try Self.files(in: "Tests")
    for row in rows {
      let tests = row[3].matches(of: /`(\w+)`: "([^"]+)"/).map { (String($0.output.1), String($0.output.2)) }
      let isExcused = row[4].hasPrefix("Does not apply") || row[4].hasSuffix("No test yet.")
      #expect(tests.isEmpty == isExcused, "row \(row[0])")
      // The cell contains nothing else.
      #expect(tests.map { "`\($0)`: \"\($1)\"" }.joined(separator: "; ") == row[3])
      for (file, name) in tests {
        let found = files[file, default: []].contains { $0.contains("func `\(name)`(") }
        #expect(found, "row \(row[0]): there is no test '\(name)' in \(file).swift")
      }
    }
  }
}
