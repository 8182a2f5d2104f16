import CommandLineKit
import DataModel
import Migration

/// In what entities differ from those that a compiled mapping model was made for, as rows of a table.
enum MappingDifferences {
  private typealias Row = (side: MappingModelFinding.Side, record: ExplanationRecord)

  static func write(_ explanation: MappingExplanation, to output: any TextOutput, terminal: Terminal) throws {
    let rows = rows(explanation)
    guard !rows.isEmpty else { return }
    try output.writeLine()
    try output.writeLine("By the version hashes, \"from\" being what the mapping model was made for:")
    try output.writeLine()
    let writer = OutputFormat.table.makeWriter(to: output, terminal: terminal)
    try writer.begin(columns: ["as"] + ChangeRecord.columns(for: .table))
    for row in rows { try writer.write([.string(row.side.rawValue)] + row.record.values(for: .table)) }
    try writer.end()
  }

  static func objects(_ explanation: MappingExplanation) -> [JSONObject] {
    rows(explanation).map { row in
      JSONObject { object in
        object.add("side", .string(row.side.rawValue))
        for (column, value) in zip(ChangeRecord.columns(for: .json), row.record.values(for: .json)) {
          object.add(column, value)
        }
      }
    }
  }

  private static func rows(_ explanation: MappingExplanation) -> [Row] {
    guard explanation.file.isCompiled else { return [] }
    return explanation.differences().flatMap { difference -> [Row] in
      let model = difference.side == .source ? explanation.source.model : explanation.destination.model
      switch difference.finding {
      case .changes(let changes): return changes.map { (difference.side, .change(ChangeRecord($0, nil, model))) }
      case .inherited: return [(difference.side, .change(ChangeRecord(inheritedBy: difference.entityName)))]
      case .unknown: return [(difference.side, .unknown(difference.entityName))]
      }
    }
  }
}
