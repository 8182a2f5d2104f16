internal import DataModel
internal import Expressions
internal import PersistentStore

extension BulkPlanner {
  /// SQLite's parser does not nest without limit, and the expression engine counts for itself only.
  private static let ternaryLimit = 8

  /// The value of an attribute for a source row `t0`; `nil` where the attribute stays NULL or cannot be planned.
  mutating func value(of attribute: AttributeDescription, in move: BulkMove) -> SQLFragment? {
    let standard = attribute.defaultValue.map { value -> SQLFragment in
      "\(argument: attribute.allowsExternalBinaryDataStorage ? .inline(value) : .column(value))"
    }
    guard
      let expression = move.mapping.attributeMappings.last(where: {
        $0.name == attribute.name && $0.valueExpression != nil
      })?.valueExpression
    else { return standard }
    do throws(SQLRefusal) {
      return try self.value(expression, of: attribute, in: move)
    } catch {
      return refuse(error.description, attribute, in: move)
    }
  }

  /// What an expression gives an attribute, in the form that its column keeps; `nil` where it is refused.
  private mutating func value(
    _ expression: Expression, of attribute: AttributeDescription, in move: BulkMove, depth: Int = 0
  ) throws(SQLRefusal) -> SQLFragment? {
    if let key = expression.copiedSourceKey, let original = move.source.attribute(named: key),
      let column = source.column(forProperty: key, ofEntityNamed: move.source.name)
    {
      guard original.type.isStoredAlike(as: attribute.type) else {
        return refuse(
          "values of type \(original.type.xmlName) cannot be taken for \(attribute.type.xmlName)", attribute, in: move)
      }
      return copy(original, "t0.\(identifier: column.name)", to: attribute, in: move)
    }
    if expression.isIndependent, let value = try? expression.value(in: EvaluationContext()).attributeValue {
      guard let converted = attribute.type.converted(value) else {
        return refuse("\(value.kindName) cannot be taken for \(attribute.type.xmlName)", attribute, in: move)
      }
      return "\(argument: attribute.allowsExternalBinaryDataStorage ? .inline(converted) : .column(converted))"
    }
    if case .ternary(let condition, let yes, let no) = expression, depth < Self.ternaryLimit {
      let test = try condition.substituting(["source": Expression.evaluatedObject]).sql(
        on: move.table, alias: "t0", naming: BulkNaming(source, findsExternalData: true))
      guard let yes = try value(yes, of: attribute, in: move, depth: depth + 1),
        let no = try value(no, of: attribute, in: move, depth: depth + 1)
      else {
        return nil
      }
      return "CASE WHEN \(test) THEN \(yes) ELSE \(no) END"
    }
    return try computed(expression, attribute, in: move)
  }

  private mutating func refuse(_ text: String, _ attribute: AttributeDescription, in move: BulkMove) -> SQLFragment? {
    reasons.append(.value(text, property: attribute.name, mapping: move.mapping.name))
    return nil
  }

  /// The value of an attribute that is copied.
  private mutating func copy(
    _ original: AttributeDescription, _ value: SQLFragment, to attribute: AttributeDescription, in move: BulkMove
  ) -> SQLFragment {
    switch (original.allowsExternalBinaryDataStorage, attribute.allowsExternalBinaryDataStorage) {
    case (false, true): return Self.inline(value)
    case (true, false):
      appendFileCheck(original, value, in: move)
      return "CASE WHEN \(Self.begins(value, with: 1)) THEN substr(\(value), 2) ELSE \(value) END"
    default: return value
    }
  }

  private func computed(
    _ expression: Expression, _ attribute: AttributeDescription, in move: BulkMove
  ) throws(SQLRefusal) -> SQLFragment {
    let value = try expression.substituting(["source": Expression.evaluatedObject]).attributeSQL(
      of: attribute.type.computedType, on: move.table, alias: "t0", naming: BulkNaming(source, findsExternalData: false)
    )
    return attribute.allowsExternalBinaryDataStorage ? Self.inline(value) : value
  }

  /// A value as it is kept in a column whose values may also lie in files: 1 and the bytes.
  ///
  /// What `||` joins is text, of which a UTF-16 database keeps an even number of bytes only; so the sum is made even.
  private static func inline(_ value: SQLFragment) -> SQLFragment {
    "CASE WHEN typeof(\(value)) <> 'blob' THEN \(value) WHEN length(\(value)) % 2 = 0 THEN substr(CAST(x'0001' || \(value) AS BLOB), 2) ELSE CAST(x'01' || \(value) AS BLOB) END"
  }

  private static func begins(_ value: SQLFragment, with byte: UInt8) -> SQLFragment {
    "typeof(\(value)) = 'blob' AND substr(\(value), 1, 1) = \(argument: .blob([byte]))"
  }

  private mutating func appendFileCheck(
    _ attribute: AttributeDescription, _ value: SQLFragment, in move: BulkMove
  ) {
    let condition: SQLFragment = (try? move.condition("t0")).flatMap { $0 }.map { " AND \($0)" } ?? ""
    plan.fileChecks.append(
      BulkPlan.FileCheck(
        entity: move.source.name, attribute: attribute.name,
        statement:
          "SELECT count(*) FROM \(.sourceTable(move.sourceTable.name)) t0 WHERE \(Self.begins(value, with: 2))\(condition)"
      ))
  }
}

extension SQLArgument {
  /// An attribute's value in a column whose values may also lie in files.
  fileprivate static func inline(_ value: AttributeValue) -> SQLArgument {
    guard case .blob(let bytes) = column(value) else { return column(value) }
    return .blob([1] + bytes)
  }
}
