extension Predicate {
  /// Translates the predicate into a condition for `WHERE`.
  ///
  /// The rows that satisfy it are those whose objects satisfy `evaluate(in:)`. Substitute variables before.
  ///
  /// - Parameters:
  ///   - table: The table of the rows.
  ///   - alias: What the table is called in the query.
  ///   - naming: Tells how properties are kept.
  /// - Throws: `SQLRefusal` if SQL cannot give the same result.
  public func sql(
    on table: SQLTable, alias: String = "t0", naming: some SQLNaming
  ) throws(SQLRefusal) -> SQLFragment {
    var writer = SQLWriter(naming)
    let scope = SQLScope(row: SQLRow(table: table, alias: alias))
    return try writer.checked("(\(try writer.condition(self, isNegated: false, scope)))")
  }
}

extension Expression {
  /// Translates the expression into one of SQL, to select or to sort by.
  ///
  /// - Parameters:
  ///   - table: The table of the rows.
  ///   - alias: What the table is called in the query.
  ///   - naming: Tells how properties are kept.
  /// - Throws: `SQLRefusal` if SQL cannot give the same values.
  public func sql(
    on table: SQLTable, alias: String = "t0", naming: some SQLNaming
  ) throws(SQLRefusal) -> SQLFragment {
    var writer = SQLWriter(naming)
    let scope = SQLScope(row: SQLRow(table: table, alias: alias))
    return try writer.checked(try writer.operand(self, scope).sql)
  }
  /// Translates the expression into one of SQL whose values can be stored in a column of an attribute.
  ///
  /// An object is none: SQL would store its primary key. Nor are values of another kind than the attribute's, which SQL
  /// would store as they are.
  ///
  /// - Parameters:
  ///   - type: What the values of the attribute are.
  ///   - table: The table of the rows.
  ///   - alias: What the table is called in the query.
  ///   - naming: Tells how properties are kept.
  /// - Throws: `SQLRefusal` if SQL cannot give the same values.
  public func attributeSQL(
    of type: SQLValueType, on table: SQLTable, alias: String = "t0", naming: some SQLNaming
  ) throws(SQLRefusal) -> SQLFragment {
    var writer = SQLWriter(naming)
    let operand = try writer.operand(self, SQLScope(row: SQLRow(table: table, alias: alias)))
    guard operand.kind.isStored(as: type) else { throw SQLRefusal(.kinds, description) }
    return try writer.checked(operand.sql)
  }
}
