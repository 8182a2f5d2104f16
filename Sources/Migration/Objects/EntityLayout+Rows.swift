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
    // Cut off, a number that is none would be taken for one that is.
    return Int32(clamping: statement.integer(1))
  }

  /// Gives an instance the values in the current row of `selectedColumns`.
  func read(_ statement: Statement, into object: ManagedObject) { object.take(values(statement)) }

  /// The values in the current row of `selectedColumns`.
  func values(_ statement: Statement) -> StoredValues {
    var values = StoredValues()
    values.attributes.reserveCapacity(attributes.count)
    // By place, since a copy of an attribute with its description costs more than the value.
    for index in attributes.indices {
      let value = ColumnValue(statement, index + 2)
      guard attributes[index].isExternal, case .blob(let bytes) = value else {
        values.attributes.append(value.attributeValue(attributes[index].type))
        continue
      }
      switch ExternalValue(bytes) {
      case .file(let name):
        values.externalFileNames[index] = name
        values.attributes.append(nil)
      case .inline(let data): values.attributes.append(.data(data))
      case nil: values.attributes.append(.data(bytes))
      }
    }
    return values
  }

  /// Binds values to the columns of the attributes, from the first parameter on.
  ///
  /// - Returns: The parameter after the last.
  func bind(_ values: StoredValues, to statement: Statement) throws(SQLiteError) -> Int32 {
    var parameter: Int32 = 1
    for index in attributes.indices where attributes[index].column != nil {
      let value = index < values.attributes.count ? values.attributes[index] : nil
      if !attributes[index].isExternal {
        try ColumnValue(value).bind(to: statement, at: parameter)
      } else if let name = values.externalFileNames[index] {
        try statement.bind(ExternalValue.file(name).bytes, at: parameter)
      } else if case .data(let bytes)? = value {
        try statement.bind(ExternalValue.inline(bytes).bytes, at: parameter)
      } else {
        try ColumnValue(value).bind(to: statement, at: parameter)
      }
      parameter += 1
    }
    return parameter
  }

  /// Inserts a row: the attributes' values, then the key.
  var insertStatement: String {
    let columns = attributes.compactMap(\.column).map(\.quotedIdentifier) + ["Z_PK", "Z_ENT", "Z_OPT"]
    let values = columns.dropLast(2).map { _ in "?" } + ["\(number)", "1"]
    return """
      INSERT INTO \(table.name.quotedIdentifier) (\(columns.joined(separator: ", "))) \
      VALUES (\(values.joined(separator: ", ")))
      """
  }

  /// Updates a row: the attributes' values, then the key.
  var updateStatement: String {
    // The last one changes nothing: there may be no attributes at all.
    let list = attributes.compactMap(\.column).map { "\($0.quotedIdentifier) = ?" } + ["Z_OPT = Z_OPT"]
    return "UPDATE \(table.name.quotedIdentifier) SET \(list.joined(separator: ", ")) WHERE Z_PK = ?"
  }
}

extension Int64 {
  fileprivate init(number: Int32?) { self = number.map { Int64($0) } ?? 0 }
}
