import CommandLineKit
import Migration

/// One reason why a store and a model do not fit together, as a row of a table.
enum ExplanationRecord {
  case change(ChangeRecord)
  /// The version hash of an entity differs, and nothing tells why.
  case unknown(String)
  case column(ColumnFinding)

  func values(for format: OutputFormat) -> [FieldValue] {
    switch self {
    case .change(let record): record.values(for: format)
    case .unknown(let entity):
      [
        .string(entity), .string("entity"), .null,
        .string(format.isForMachines ? "unknown" : "several things; no one or two changes give its version hash"),
        .null, .null, .string("changes"),
      ]
    case .column(let finding): values(of: finding, for: format)
    }
  }

  var object: JSONObject {
    JSONObject { object in
      for (column, value) in zip(ChangeRecord.columns(for: .json), values(for: .json)) { object.add(column, value) }
    }
  }

  private func values(of finding: ColumnFinding, for format: OutputFormat) -> [FieldValue] {
    let isText = !format.isForMachines
    let (kind, name, change, type): (String, String?, String, String?) =
      switch finding.kind {
      case .missingTable:
        ("table", finding.tableName, isText ? "not in the store" : "missing_table", nil)
      case .missingColumn(let column):
        ("column", column, isText ? "not in the store: \(finding.propertyName ?? "")" : "missing_column", nil)
      case .unexplainedColumn(let column, let type):
        ("column", column, isText ? "not in the model" : "unexplained_column", type)
      }
    return [
      .string(finding.entityName), .string(kind), FieldValue(name), .string(change), FieldValue(type), .null, .null,
    ]
  }
}
