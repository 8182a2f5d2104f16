internal import DataModel
internal import Expressions
internal import PersistentStore
internal import SQLite

extension EntityLayout {
  /// `FROM` the table as `t0`, with the condition that rows are of this entity, if the table holds others too.
  func rows(includesSubentities: Bool, where condition: SQLFragment?) -> SQLFragment {
    var parts = condition.map { [$0] } ?? []
    // Where the table holds one entity only, its rows are that entity's, whatever their Z_ENT says.
    if table.entityNames.count > 1 {
      let numbers = includesSubentities ? family.sorted() : [number]
      let list = numbers.dropFirst().reduce("\(argument: .integer(Int64(number: numbers.first)))" as SQLFragment) {
        "\($0), \(argument: .integer(Int64($1)))"
      }
      parts.append("t0.Z_ENT IN (\(list))")
    }
    let from: SQLFragment = "FROM \(identifier: table.name) AS t0"
    guard let first = parts.first else { return from }
    return "\(from) WHERE \(parts.dropFirst().reduce(first) { "\($0) AND \($1)" })"
  }

  /// The entity of the current row of `selectedColumns`.
  func entityNumber(_ statement: Statement) -> Int32 {
    guard table.entityNames.count > 1 else { return number }
    return Int32(truncatingIfNeeded: statement.integer(1))
  }

  /// The values in the current row of `selectedColumns`.
  func values(_ statement: Statement) -> [AttributeValue?] {
    attributes.indices.map { index in
      let attribute = attributes[index].description
      let value = ColumnValue(statement, index + 2)
      return attribute.allowsExternalBinaryDataStorage
        ? value.inlineData : value.attributeValue(attribute.type)
    }
  }
}

extension Int64 {
  fileprivate init(number: Int32?) { self = number.map { Int64($0) } ?? 0 }
}

extension ColumnValue {
  /// The data of an attribute that may lie in a file: a first byte of 1 says that it lies here.
  fileprivate var inlineData: AttributeValue? {
    guard case .blob(let bytes) = self else { return attributeValue(.binaryData) }
    return .data(bytes.first == 1 ? Array(bytes.dropFirst()) : bytes)
  }
}
