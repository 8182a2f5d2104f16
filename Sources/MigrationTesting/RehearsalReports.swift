internal import DataModel
internal import Foundation
internal import MigrationDiagnostics

extension [MigrationRehearsal.Result] {
  /// The results for people: a line for each migration with its way, its rows before and after, and what went wrong.
  public var text: String {
    guard !isEmpty else { return "There is only one version, and no store was named: nothing to rehearse." }
    var lines = flatMap { result in
      let counts = result.counts.sorted { $0.key < $1.key }.map { "\($0) \($1[0]) → \($1[1])" }
      let way = result.path.isEmpty ? result.version : result.path
      return ["\(result.isPassed ? "passed" : "FAILED")  \(way)  (\(result.store))"]
        + (counts.isEmpty ? [] : ["        \(counts.joined(separator: ", "))"])
        + result.checks.compactMap { check in check.failure.map { "        \(check.name): \($0)" } }
    }
    let failed = count { !$0.isPassed }
    let all = count.counting("migration")
    lines.append(failed == 0 ? "\(all) passed." : "\(failed) of \(all) failed.")
    return lines.joined(separator: "\n")
  }

  /// The results as a JUnit report, which CI systems show.
  public var junit: String {
    let all = flatMap(\.checks)
    let failures = all.count { $0.failure != nil }
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites tests=\"\(all.count)\" failures=\"\(failures)\">\n"
    for result in self {
      let failed = result.checks.count { $0.failure != nil }
      text +=
        "  <testsuite name=\"\(Self.escaped("\(result.version) (\(result.store))"))\" tests=\"\(result.checks.count)\" failures=\"\(failed)\">\n"
      for check in result.checks {
        let opening =
          "    <testcase classname=\"rehearse.\(Self.escaped(result.version))\" name=\"\(Self.escaped(check.name))\" time=\"\(Self.seconds(check.seconds))\""
        guard let failure = check.failure else {
          text += "\(opening)/>\n"
          continue
        }
        text += "\(opening)>\n      <failure message=\"\(Self.escaped(failure))\"/>\n    </testcase>\n"
      }
      text += "  </testsuite>\n"
    }
    return text + "</testsuites>\n"
  }

  /// The results as Markdown, for a comment on a pull request.
  public var markdown: String {
    let failed = count { !$0.isPassed }
    var text = "### Rehearsed migrations: \(failed == 0 ? "all \(count) pass" : "\(failed) of \(count) fail")\n\n"
    text += "| | From | Store | Way | Rows before and after |\n|---|---|---|---|---|\n"
    for result in self {
      let counts = result.counts.sorted { $0.key < $1.key }.map { "\($0): \($1[0]) → \($1[1])" }
      text +=
        "| \(result.isPassed ? "✅" : "❌") | \(Self.cell(result.version)) | \(Self.cell(result.store)) | \(Self.cell(result.path)) | \(Self.cell(counts.joined(separator: ", "))) |\n"
    }
    for result in self {
      for check in result.checks {
        guard let failure = check.failure else { continue }
        text += "\n- **\(Self.cell(result.version)), \(check.name):** \(Self.cell(failure))\n"
      }
    }
    return text
  }

  private static func seconds(_ seconds: Double) -> String { String(format: "%.3f", seconds) }

  private static func cell(_ text: String) -> String {
    text.replacing("|", with: "\\|").replacing("\n", with: " ").replacing("<", with: "&lt;")
  }

  /// Text in an attribute of XML, in one line and without what XML cannot hold.
  private static func escaped(_ text: String) -> String {
    let allowed = text.unicodeScalars.map { scalar -> Unicode.Scalar in
      if ["\n", "\t", "\r"].contains(scalar) { return " " }
      return scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF ? scalar : "\u{FFFD}"
    }
    return XMLEscaping.attribute.escaped(String(String.UnicodeScalarView(allowed)))
  }
}
