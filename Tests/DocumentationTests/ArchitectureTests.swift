import Foundation
import TestSupport
import Testing

/// `docs/architecture.md` guides newcomers through the code by name.
///
/// The names must exist.
@Suite("The architecture article")
struct ArchitectureTests {
  /// The code spans of the article.
  private let names: [String]
  /// The contents of all source files, by path.
  private let sources: [String: String]

  init() throws {
    let root = Checkout.root.path(percentEncoded: false)
    let page = try Files.text(root + "/docs/architecture.md")
    names = page.split(separator: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }
      .flatMap { $0.element.matches(of: /`([^`\n]+)`/).map { String($0.output.1) } }
    var sources: [String: String] = [:]
    for folder in ["Sources", "Policies"] {
      for name in try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)")
      where name.hasSuffix(".swift") {
        sources["\(folder)/\(name)"] = try Files.text("\(root)/\(folder)/\(name)")
      }
    }
    self.sources = sources
  }

  @Test func `Every file and folder named in the article exists`() {
    let paths = names.filter { $0.contains("/") || $0.hasSuffix(".swift") }
    #expect(paths.count > 30)
    for path in paths {
      let isThere = ["", "Sources/Engine/", "Sources/Tracks/", "Sources/Tool/"].contains {
        FileManager.default.fileExists(atPath: Checkout.root.appending(path: $0 + path).path(percentEncoded: false))
      }
      #expect(isThere, "there is no \(path)")
    }
  }

  @Test func `The path of one track is as long as the article says`() throws {
    let page = try Files.text(Checkout.root.path(percentEncoded: false) + "/docs/architecture.md")
    let told = try #require(page.firstMatch(of: /(\d+) functions in (\d+) files/)?.output)
    let rest = try #require(page.split(separator: "### The functions on the path").last)
    let section = try #require(rest.split(separator: "## ").first)
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
    #expect(Int(told.2) == rows.count)
    #expect(Int(told.1) == section.matches(of: /`[A-Z]\w+\.\w+`/).count)
  }

  @Test func `Every type and function named in the article exists`() throws {
    // Each file is searched once, not once for each name.
    var declaring: [String: [String]] = [:]
    for text in sources.values {
      let types = text.matches(of: /\b(?:struct|class|enum|protocol|actor|typealias|extension) (\w+)/).map(\.output.1)
      for type in Set(types) { declaring[String(type), default: []].append(text) }
    }
    var count = 0
    for name in names {
      guard let match = name.wholeMatch(of: /([A-Z]\w+)(?:\.(\w+)(?:\(.*\))?)?/), !name.contains("Z_"),
        !name.allSatisfy({ $0.isUppercase })
      else { continue }
      let type = String(match.output.1)
      let files = declaring[type] ?? []
      // Modules and top-level folders have such names, too.
      let isFolder = sources.keys.contains { $0.contains("/\(type)/") || $0.hasPrefix("\(type)/") }
      #expect(!files.isEmpty || isFolder || Self.others.contains(type), "there is no type \(type)")
      guard let member = match.output.2.map(String.init), !Self.others.contains(type), member != "swift" else {
        continue
      }
      let wanted = try Regex(member == "init" ? "\\binit\\(" : "\\b(func|var|let|case) \(member)\\b")
      #expect(files.contains { $0.contains(wanted) }, "there is no \(name)")
      count += 1
    }
    #expect(count > 10)
  }

  /// Only code that talks to a person may use the names that this person knows: the command its options, an app's tool
  /// its own.
  @Test func `Only the command names options`() {
    let talking = ["/tracks-migrate/", "/CommandLineArguments/", "/MigrationTool.swift", "/CompilerCommand.swift"]
    for (path, text) in sources where !talking.contains(where: path.contains) {
      // To look for the pattern in all of the sources would take half a minute.
      guard text.contains("--") || text.contains("tracks-migrate ") else { continue }
      for line in text.split(separator: "\n") where !line.contains("//") {
        #expect(!line.contains(/"[^"]*(?:--[a-z]|tracks-migrate (?:info|artists|\\\(|'))/), "\(path): \(line)")
      }
    }
  }

  /// Names from other projects.
  private static let others: Set<String> = [
    "Package", "Packaging", "Tests", "Scripts", "Benchmarks", "Fuzzing", "SampleData", "Track", "INSERT", "Examples",
    "Plugins", "PolicySources",
    "AppTeam", "Guard", "SwiftDataApp",
  ]
}
