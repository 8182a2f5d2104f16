import CommandLineArguments
import DataModel
import ModelInspection
import Pictures
import TerminalOutput

/// The formats of a picture of models or of a plan.
enum PictureFormat: String, CaseIterable, ExpressibleByArgument {
  /// A diagram as text, which GitHub and GitLab draw in Markdown.
  case mermaid
  /// A diagram as text, for Graphviz.
  case dot
  /// A drawing that browsers show.
  case svg

  /// The diagram in this format.
  func text(_ diagram: Diagram) -> String {
    switch self {
    case .mermaid: diagram.mermaid
    case .dot: diagram.dot
    case .svg: diagram.svg
    }
  }
}

/// Models and what becomes of them as Markdown, such as a bot posts below a pull request.
enum ModelMarkdown {
  /// A model: its entities, each with a table of its properties.
  static func text(of model: NamedModel) -> String {
    var lines = ["# \(model.name.markdown)", "", "```mermaid", model.diagram.mermaid + "```"]
    for entity in model.model.entities {
      lines += ["", "## \(entity.name.markdown)", ""]
      lines += EntityFacts.all(of: entity).map { "- \($0.name): \($0.value.markdown)" }
      let records = PropertyRecord.all(of: entity)
      if !records.isEmpty {
        lines.append("")
        lines += table(
          ["property"] + PropertyRecord.columns, records.map { [FieldValue($0.property)] + $0.values })
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the changes between two models, and their effects on stores.
  static func text(
    of difference: ModelDifference, _ verdict: InferenceVerdict, from old: NamedModel, to new: NamedModel
  ) -> String {
    var lines = ["### \(old.name.markdown) → \(new.name.markdown)", "", difference.summary.markdown]
    lines +=
      [""]
      + InferenceWording.lines(verdict).map { line in
        line.hasPrefix("  ") ? "- \(String(line.dropFirst(2)).markdown)" : "\(line.markdown)\n"
      }
    let records = ChangeRecord.all(difference, from: old.model, to: new.model)
    if !records.isEmpty {
      lines += [""]
      lines += table(ChangeRecord.columns(for: .table), records.map { $0.values(for: .table) })
      lines += ["", "<details><summary>Diagram</summary>", "", "```mermaid"]
      lines += [difference.diagram(from: old, to: new).mermaid + "```", "", "</details>"]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func table(_ columns: [String], _ rows: [[FieldValue]]) -> [String] {
    func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }
    return [line(columns), line(columns.map { _ in "---" })]
      + rows.map { row in line(row.map { ($0.plainText ?? "").markdown }) }
  }
}
