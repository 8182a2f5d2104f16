import Foundation
import TestSupport
import Testing

/// New facts: the compiler names each place that must know of it, so no switch over facts may have a default.
@Suite("Switches over facts")
struct SwitchTests {
  /// The files with the enumerations whose switches are looked at: errors, findings, reasons and the like.
  private static let files: Set = [
    "Policies/Notes/PictureSize.swift",
    "Policies/Tracks/Importing/FeedLineReader.swift",
    "Policies/Tracks/TrackPreparer.swift",
    "Sources/Engine/CoreDataExpressions/Evaluation/EvaluationError.swift",
    "Sources/Engine/CoreDataExpressions/Parsing/FormatError.swift",
    "Sources/Engine/CoreDataExpressions/SQL/SQLTranslationError.swift",
    "Sources/Engine/DataModel/Description/AttributeType.swift",
    "Sources/Engine/DataModel/Description/ModelError.swift",
    "Sources/Engine/DataModel/Files/ModelFileError.swift",
    "Sources/Engine/MappingModels/Files/MappingModelFileError.swift",
    "Sources/Engine/MappingModels/Inference/InferenceError.swift",
    "Sources/Engine/Migration/Bulk/BulkPlan.swift",
    "Sources/Engine/Migration/Planning/DroppedProperty.swift",
    "Sources/Engine/Migration/Strategy.swift",
    "Sources/Engine/Migration/Validation/ValidationFailure.swift",
    "Sources/Engine/MigrationDiagnostics/Advice.swift",
    "Sources/Engine/MigrationDiagnostics/MigrationError.swift",
    "Sources/Engine/ModelInspection/DerivationFault.swift",
    "Sources/Engine/ModelInspection/OneHopFinding.swift",
    "Sources/Engine/ModelInspection/StoreExplanation.swift",
    "Sources/Engine/ModelInspection/VersionHashSearch.swift",
    "Sources/Engine/PersistentStore/ForeignContent/DroppedContent.swift",
    "Sources/Engine/PersistentStore/Introspection/SchemaFault.swift",
    "Sources/Engine/PropertyListFormat/PropertyListError.swift",
    "Sources/Engine/StoreHealth/Doctor/Finding.swift",
    "Sources/Engine/StoreHealth/Doctor/HealthCheck.swift",
    "Sources/Engine/StoreHealth/Salvage/RowFault.swift",
    "Sources/Engine/SwiftSchemas/SwiftSchemaError.swift",
    "Sources/Engine/SystemC/FileUse.swift",
    "Sources/Engine/Verification/Difference.swift",
    "Sources/Engine/XMLStream/XMLStreamParser.swift",
    "Sources/Tool/CommandLineArguments/Parsing/ParserError.swift",
    "Sources/Tracks/JSONPresets/Fact.swift",
    "Sources/Tracks/JSONStream/JSONStreamError.swift",
    "Sources/Tracks/TrackVerification/Documents/PresetEvaluation.swift",
  ]

  /// The lines of each source, without comments.
  private let sources: [String: [Substring]]

  init() throws {
    let root = Checkout.root.path(percentEncoded: false)
    var sources: [String: [Substring]] = [:]
    for folder in ["Sources", "Policies"] {
      for file in try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)")
      where file.hasSuffix(".swift") {
        sources["\(folder)/\(file)"] = try Files.text("\(root)/\(folder)/\(file)")
          .split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
      }
    }
    self.sources = sources
  }

  @Test func `The compiler names each switch over a kind of fact`() {
    // A name that something else has too, such as `none`, does not tell what a switch is about.
    var owners: [Substring: Set<String>] = [:]
    for (file, lines) in sources {
      for line in lines { for name in Self.names(declaredIn: line) { owners[name, default: []].insert(file) } }
    }
    let facts = Set(owners.filter { $0.value.isSubset(of: Self.files) }.keys)
    var count = 0
    for (file, lines) in sources {
      for place in lines.indices {
        guard let (patterns, hasDefault) = Self.switchCases(lines, place) else { continue }
        guard let fact = patterns.first(where: facts.contains) else { continue }
        count += 1
        #expect(
          !hasDefault, "'\(lines[place])' in \(file), which is about '\(fact)', hides new facts from the compiler")
      }
    }
    #expect(facts.count > 250)
    #expect(count > 60)
  }

  @Test func `Each of the files defines facts`() {
    for file in Self.files {
      #expect(sources[file]?.contains { !Self.names(declaredIn: $0).isEmpty } == true, "\(file) has no enumeration")
    }
  }

  /// Returns the names of the cases or of the constant that a line declares.
  private static func names(declaredIn line: Substring) -> [Substring] {
    guard line.contains("case ") || line.contains("static ") else { return [] }
    if let constant = line.firstMatch(of: /static (?:let|var) (\w+)/) { return [constant.output.1] }
    guard let cases = line.firstMatch(of: /^ *(?:[^\/]*\benum \w+[^{]*\{ )?(?:indirect )?case (`?[a-z].*)$/) else {
      return []
    }
    var depth = 0
    let plain = cases.output.1.filter { character in
      if character == "(" { depth += 1 }
      defer { if character == ")" { depth -= 1 } }
      return depth == 0
    }
    return plain.split(separator: ",").compactMap { $0.firstMatch(of: /^ *`?(\w+)/)?.output.1 }.map {
      Substring(String($0))
    }
  }

  /// Returns the names in the patterns of a switch that begins in a line, other than in tuples, and whether it has a default.
  private static func switchCases(
    _ lines: [Substring], _ place: Int
  ) -> (patterns: [Substring], hasDefault: Bool)? {
    guard lines[place].contains("switch "), lines[place].hasSuffix("{") else { return nil }
    let indentation = lines[place].prefix { $0 == " " }
    var patterns: [Substring] = []
    var hasDefault = false
    for line in lines[(place + 1)...].prefix(while: { !$0.hasPrefix(indentation + "}") }) {
      if line.hasPrefix(indentation + "default:") { hasDefault = true }
      // A list of patterns goes on in lines that begin with a point.
      guard line.hasPrefix(indentation + "case .") || line.hasPrefix(indentation + "  .") else { continue }
      patterns += line.matches(of: /(?:case|,|^ +) ?\.(\w+)(?=[(,:]| where|$)/).map { $0.output.1 }
    }
    return (patterns, hasDefault)
  }
}
