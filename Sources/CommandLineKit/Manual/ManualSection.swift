/// A part of a discussion that has a heading of its own.
struct ManualSection: Equatable {
  /// The heading; empty for what comes before the first one.
  var title: String
  var text: String

  /// Splits a discussion at its headings, which are lines of capitals alone; the first part has none.
  static func split(_ discussion: String) -> [ManualSection] {
    var sections = [(title: "", lines: [Substring]())]
    for line in discussion.split(separator: "\n", omittingEmptySubsequences: false) {
      if let heading = heading(line) {
        sections.append((heading, []))
      } else {
        sections[sections.count - 1].lines.append(line)
      }
    }
    return sections.map { ManualSection(title: $0.title, text: trimmed($0.lines).joined(separator: "\n")) }
  }

  private static func heading(_ line: Substring) -> String? {
    let title = line.hasSuffix(":") ? line.dropLast() : line
    guard let first = title.first, first.isUppercase else { return nil }
    return title.allSatisfy { $0.isUppercase || $0 == " " } ? String(title) : nil
  }

  private static func trimmed(_ lines: [Substring]) -> ArraySlice<Substring> {
    let lines = lines.drop(while: \.isEmpty)
    return lines.prefix(upTo: (lines.lastIndex { !$0.isEmpty } ?? lines.startIndex - 1) + 1)
  }
}
