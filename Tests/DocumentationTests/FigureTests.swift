import Foundation
import TestSupport
import Testing

/// The pages tell how large things are.
@Suite("The figures of the pages")
struct FigureTests {
  private static let root = Checkout.root.path(percentEncoded: false)

  /// The contents of Swift files.
  private static func sources(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)").filter {
      $0.hasSuffix(".swift") && !$0.contains(".build/")
    }.map { try Files.text("\(root)/\(folder)/\($0)") }
  }

  private static func number(_ text: Substring) throws -> Int { try #require(Int(text.replacing(",", with: ""))) }

  /// Returns whether a rounded number is less than a tenth away from the true one.
  private static func isNear(_ told: Int, _ count: Int) -> Bool { abs(told - count) * 10 < count }

  @Test(arguments: ["README.md", "docs/reliability.md"])
  func `As many tests and suites are told as there are`(page: String) throws {
    let tests = try Self.sources(in: "Tests")
    let count = tests.reduce(0) { $0 + $1.matches(of: /(?m)^ *@Test\b/).count }
    // A file with tests is one suite.
    let suites = tests.count { $0.contains(/(?m)^ *@Test\b/) }
    let told = try Files.text("\(Self.root)/\(page)").matches(of: /[Aa]bout ([\d,]+) tests(?: in ([\d,]+) suites)?/)
    try #require(!told.isEmpty)
    for match in told {
      #expect(Self.isNear(try Self.number(match.output.1), count), "\(match.output.0): there are \(count)")
      guard let number = match.output.2 else { continue }
      #expect(Self.isNear(try Self.number(number), suites), "\(match.output.0): there are \(suites)")
    }
  }

  @Test(arguments: [
    ("argument-parser", "Sources/Tool/CommandLineArguments"),
    ("join-table-pages", "Sources/Engine/PersistentStore/Writing/Pages"),
  ])
  func `A decision to write code tells how much there is`(page: String, folder: String) throws {
    let told = try #require(
      try Files.text("\(Self.root)/docs/decisions/\(page).md").firstMatch(of: /About ([\d,]+) lines/))
    let count = try Self.sources(in: folder).reduce(0) { $0 + $1.split(separator: "\n").count }
    #expect(Self.isNear(try Self.number(told.output.1), count), "\(told.output.0): \(folder) has \(count)")
  }
}
