internal import DataModel
internal import Foundation
internal import MigrationDiagnostics
internal import TerminalOutput

extension [MigrationRehearsal.Result] {
  /// The results for people: a line for each migration with its way, its rows before and after, and what went wrong.
  public var text: String {
    guard !isEmpty else { return "There is only one version, and no store was named: nothing to rehearse." }
    var lines = flatMap { result in
      let counts = result.counts.sorted { $0.key < $1.key }.map { "\($0) \($1[0]) → \($1[1])" }
      let way = result.path.isEmpty ? result.version : result.path
      let word = result.isCurrent ? "current" : result.isPassed ? "passed " : "FAILED "
      return ["\(word) \(way)  (\(result.store))"]
        + (counts.isEmpty ? [] : ["        \(counts.joined(separator: ", "))"])
        + result.checks.compactMap { check in check.failure.map { "        \(check.name): \($0)" } }
        + result.notes.map { "        note: \($0)." }
    }
    lines.append(outcome + ".")
    return lines.map(\.visible).joined(separator: "\n")
  }

  /// The numbers of migrations that passed and failed, and of stores that needed none.
  private var outcome: String {
    let (failed, current) = (count { !$0.isPassed }, count(where: \.isCurrent))
    let all = (count - current).counting("migration")
    let stores = current == 1 ? "1 store is current" : "\(current) stores are current"
    if failed > 0 { return "\(failed) of \(all) failed" }
    return ([current < count ? "\(all) passed" : nil, current > 0 ? stores : nil] as [String?]).compactMap { $0 }
      .joined(separator: ", ")
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
      if !result.notes.isEmpty {
        text += "    <system-out>\(Self.escaped(result.notes.joined(separator: "; ")))</system-out>\n"
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
        "| \(result.isPassed ? "✅" : "❌") | \(result.version.markdown) | \(result.store.markdown) | \(result.path.markdown) | \(counts.joined(separator: ", ").markdown) |\n"
    }
    for result in self {
      for check in result.checks {
        guard let failure = check.failure else { continue }
        text += "\n- **\(result.version.markdown), \(check.name):** \(failure.markdown)\n"
      }
      for note in result.notes { text += "\n- \(result.version.markdown): \(note.markdown).\n" }
    }
    return text
  }

  private static func seconds(_ seconds: Double) -> String { String(format: "%.3f", seconds) }

  /// Text in an attribute of XML, in one line and without what XML cannot hold.
  private static func escaped(_ text: String) -> String {
    let allowed = text.visible.unicodeScalars.map { $0.value == 0xFFFE || $0.value == 0xFFFF ? "\u{FFFD}" : $0 }
    return XMLEscaping.attribute.escaped(String(String.UnicodeScalarView(allowed)))
  }
}
