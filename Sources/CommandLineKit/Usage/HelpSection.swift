/// A heading of help and the table below it.
struct HelpSection {
  struct Row {
    var label: String
    var text: String
  }

  /// Where the right column of the table starts.
  static let labelWidth = 26

  var title: String
  var rows: [Row]

  /// The section, or nothing if it has no rows.
  func rendered(columns: Int) -> String {
    rows.isEmpty ? "" : "\(title):\n" + rows.map { $0.rendered(columns: columns) }.joined()
  }
}

extension HelpSection.Row {
  /// The rows of an argument.
  static func rows(of argument: ArgumentInfo) -> [Self] {
    argument.listed.map { Self(label: $0.helpLabel, text: $0.helpText) }
  }

  fileprivate func rendered(columns: Int) -> String {
    let label = "  \(label)"
    let text = text.wrapped(to: columns, indent: HelpSection.labelWidth)
    if text.isEmpty { return "\(label)\n" }
    // At least one space must be between the columns.
    if label.count >= HelpSection.labelWidth { return "\(label)\n\(text)\n" }
    return label + text.dropFirst(label.count) + "\n"
  }
}

extension ArgumentInfo {
  /// The argument as it is listed: once, or once for each choice of a flag if those have help of their own.
  var listed: [ArgumentInfo] {
    guard choices.contains(where: { $0.abstract != nil }) else { return [self] }
    return choices.map { choice in
      var single = self
      single.choices = [choice]
      single.abstract = choice.abstract ?? abstract
      if defaultValue != choice.names.preferred?.spelling { single.defaultValue = nil }
      return single
    }
  }

  /// The names that help and the manual page list: `-l, --limit <limit>`, `--index/--no-index` or `<library>`.
  var helpLabel: String {
    let names = choices.map { $0.names.shortFirst.map(\.spelling).joined(separator: ", ") }.joined(separator: "/")
    return switch kind {
    case .positional: synopsis
    case .flag: names
    case .option: "\(names) <\(valueName)>"
    }
  }

  /// The abstract with the accepted values and the default, and the discussion below it.
  var helpText: String {
    let summary = [abstract, helpDetails].filter { !$0.isEmpty }.joined(separator: " ")
    return [summary, discussion].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var helpDetails: String {
    let values = allValues.isEmpty ? nil : "values: \(allValues.joined(separator: ", "))"
    let details = [values, defaultValue.map { "default: \($0)" }].compactMap(\.self)
    return details.isEmpty ? "" : "(\(details.joined(separator: "; ")))"
  }
}
