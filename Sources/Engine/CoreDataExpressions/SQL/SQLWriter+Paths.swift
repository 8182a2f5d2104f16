extension SQLWriter {
  /// Writes a path that leads to one value: an attribute or the row at the end of to-one relationships.
  mutating func value(_ path: ArraySlice<KeyPathComponent>, from row: SQLRow, _ part: String)
    throws(SQLTranslationError)
    -> SQLOperand
  {
    let (property, rest) = try property(path, of: row, part)
    switch property {
    case .attribute(let column, let type):
      guard rest.isEmpty else { throw SQLTranslationError(.unsupported, part) }
      return SQLOperand(row.column(column), type.type)
    case .toOne(let column, let destination):
      guard !rest.isEmpty else { return SQLOperand(row.column(column), .object(table: destination.name)) }
      try descend(part, by: 3)
      defer { ascend(by: 3) }
      let next = self.row(of: destination)
      let end = try value(rest, from: next, part)
      return SQLOperand(
        "(SELECT \(end.sql) FROM \(table(destination.name)) \(identifier: next.alias) WHERE \(next.key) = \(row.column(column)))",
        end.kind)
    case .toMany: throw SQLTranslationError(.toMany, part)
    }
  }

  /// The rows that an expression stands for, if it is a path through a to-many relationship or a SUBQUERY of one.
  mutating func many(_ expression: Expression, _ scope: SQLScope) throws(SQLTranslationError) -> SQLToManyQuery? {
    switch expression {
    case .keyPath(let operand, let path):
      if case .subquery = operand {
        guard var many = try many(operand, scope) else { return nil }
        many.rest = path
        return many
      }
      guard let row = row(operand, scope) else { return nil }
      return try many(path, from: row, expression.description)
    case .subquery(let collection, let variable, let condition):
      guard var many = try many(collection, scope), many.rest.isEmpty, many.filter == nil else {
        throw SQLTranslationError(.unsupported, expression.description)
      }
      var inner = scope
      inner.variables[variable] = many.row
      try descend(expression.description, by: 3)
      defer { ascend(by: 3) }
      many.filter = try self.condition(condition, isNegated: false, inner)
      return many
    default: return nil
    }
  }

  /// The row that SELF or a variable stands for.
  func row(_ expression: Expression, _ scope: SQLScope) -> SQLRow? {
    switch expression {
    case .evaluatedObject: scope.row
    case .variable(let name): scope.variables[name]
    default: nil
    }
  }

  /// The value that a path gives for one of many rows.
  mutating func element(of many: SQLToManyQuery) throws(SQLTranslationError) -> SQLOperand {
    many.rest.isEmpty
      ? SQLOperand(many.row.key, .object(table: many.row.table.name))
      : try value(many.rest[...], from: many.row, many.part)
  }

  private mutating func many(
    _ path: [KeyPathComponent], from row: SQLRow, _ part: String
  ) throws(SQLTranslationError) -> SQLToManyQuery? {
    var table = row.table
    for (index, component) in path.enumerated() {
      guard case .key = component else { return nil }
      switch try property(path[index...], of: SQLRow(table: table, alias: row.alias), part).property {
      case .attribute: return nil
      case .toOne(_, let destination): table = destination
      case .toMany(let destination, let link):
        let key = index == 0 ? row.key : try value(path[..<index], from: row, part).sql
        return many(destination, link, key, isNullable: index > 0, Array(path[(index + 1)...]), part)
      }
    }
    return nil
  }

  private mutating func many(
    _ destination: SQLTable, _ link: SQLLink, _ key: SQLFragment, isNullable: Bool, _ rest: [KeyPathComponent],
    _ part: String
  ) -> SQLToManyQuery {
    let row = row(of: destination)
    let rows: SQLFragment = "\(table(destination.name)) \(identifier: row.alias)"
    switch link {
    case .inverse(let column):
      return SQLToManyQuery(
        row: row, source: rows, key: key, linkedKey: row.column(column), isNullable: isNullable, rest: rest, part: part)
    case .joinTable(let name, let source, let target):
      let pair = self.row(of: SQLTable(entity: "", name: name, primaryKey: source))
      let pairs: SQLFragment = "\(table(name)) \(identifier: pair.alias)"
      return SQLToManyQuery(
        row: row, source: "\(pairs) JOIN \(rows) ON \(row.key) = \(pair.column(target))",
        pairs: naming.hasAllRows(ofJoinTable: name) ? pairs : nil, key: key, linkedKey: pair.key,
        isNullable: isNullable, rest: rest, part: part)
    }
  }

  /// A table of the store, wherever that is attached.
  private func table(_ name: String) -> SQLFragment {
    guard let database = naming.databaseName else { return "\(identifier: name)" }
    return "\(identifier: database).\(identifier: name)"
  }

  /// The property that a path begins with, and the rest of the path.
  private func property(
    _ path: ArraySlice<KeyPathComponent>, of row: SQLRow, _ part: String
  ) throws(SQLTranslationError) -> (property: SQLProperty, rest: ArraySlice<KeyPathComponent>) {
    guard case .key(let key)? = path.first else { throw SQLTranslationError(.toMany, part) }
    // The elements of a composite attribute have key paths as their names.
    var name = ""
    for (index, component) in zip(path.indices, path) {
      guard case .key(let key) = component else { break }
      name += name.isEmpty ? key : "." + key
      if let property = naming.property(name, of: row.table.entity) { return (property, path[(index + 1)...]) }
      guard naming.isComposite(name, of: row.table.entity) else { break }
    }
    // A composite as a whole has no column.
    guard name.isEmpty || !naming.isComposite(name, of: row.table.entity) else {
      throw SQLTranslationError(.unsupported, part)
    }
    let isElement = name.utf8.count > key.utf8.count && naming.isComposite(key, of: row.table.entity)
    throw SQLTranslationError(
      isElement ? .unknownElement(name, entity: row.table.entity) : .unknownKey(key, entity: row.table.entity), part)
  }

  // MARK: - Quantifiers

  /// Writes a condition that a to-many relationship has a row for which a comparison holds, or does not hold.
  ///
  /// - Parameters:
  ///   - isNegated: Whether there must be no such row.
  ///   - wantsCounterexample: Whether the comparison must not hold for it.
  mutating func quantified(
    _ comparison: Comparison, isNegated: Bool, wantsCounterexample: Bool, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLFragment {
    guard let many = try many(comparison.left, scope), !many.asksWhole else {
      throw SQLTranslationError(.unsupported, comparison.format)
    }
    try descend(comparison.format, by: 3)
    defer { ascend(by: 3) }
    let element = try element(of: many)
    let condition = try relation(element, comparison, isNegated: wantsCounterexample, scope)
    // The values are a set, which has no nil.
    return many.contains(
      where: "\(element.sql) IS NOT NULL AND (\(condition))", isOfRowAlone: comparison.right.isIndependent,
      isNegated: isNegated)
  }

  /// Writes `relationship.@count` and similar, or returns `nil` for other paths.
  mutating func reduction(_ expression: Expression, _ scope: SQLScope) throws(SQLTranslationError) -> SQLOperand? {
    guard let many = try many(expression, scope), case .collectionOperator(let symbol)? = many.rest.first else {
      return nil
    }
    try descend(expression.description, by: 3)
    defer { ascend(by: 3) }
    var argument = many
    argument.rest = Array(many.rest.dropFirst())
    let (query, kind) = try reduction(symbol, argument)
    // The result for nil is nil, not 0.
    guard many.isNullable else { return SQLOperand(query, kind) }
    return SQLOperand("CASE WHEN \(many.key) IS NOT NULL THEN \(query) END", kind)
  }

  private mutating func reduction(
    _ symbol: CollectionOperator, _ many: SQLToManyQuery
  ) throws(SQLTranslationError) -> (SQLFragment, SQLOperand.Kind) {
    if symbol == .count {
      guard many.rest.isEmpty else { throw SQLTranslationError(.unsupported, many.part) }
      return (many.count, .number(.integer(0...Int64.max)))
    }
    let element = try element(of: many)
    func query(_ columns: SQLFragment) -> SQLFragment { "(\(many.select(columns)))" }
    switch (symbol, element.kind) {
    case (.sum, .number(let kind)):
      // SQLite's sum reports an overflow, as evaluation does.
      return (query("coalesce(sum(\(element.sql)), 0)"), .number(kind == .real ? .real : .integer(.min ... .max)))
    case (.average, .number): return (query("coalesce(sum(\(element.sql)) * 1.0 / count(*), 0.0)"), .number(.real))
    case (.minimum, .number), (.minimum, .text), (.minimum, .date): return (query("min(\(element.sql))"), element.kind)
    case (.maximum, .number), (.maximum, .text), (.maximum, .date): return (query("max(\(element.sql))"), element.kind)
    default: throw SQLTranslationError(.unsupported, many.part)
    }
  }
}

extension SQLToManyQuery {
  /// Whether the path has an operator, so it does not represent the rows themselves.
  fileprivate var asksWhole: Bool {
    rest.contains { if case .collectionOperator = $0 { true } else { false } }
  }
}
