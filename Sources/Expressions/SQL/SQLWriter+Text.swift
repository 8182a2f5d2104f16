extension SQLWriter {
  /// Writes an operator that looks into text.
  func text(
    _ left: SQLOperand, _ right: SQLOperand, _ symbol: ComparisonOperator, _ comparison: Comparison, isNegated: Bool
  ) throws(SQLRefusal) -> SQLFragment {
    if left.kind == .null || right.kind == .null { return isNegated ? "1" : "0" }
    guard left.kind == .text, right.kind == .text else { throw SQLRefusal(.kinds, comparison.format) }
    let (whole, part) = (left.folded(comparison.options), right.folded(comparison.options))
    let condition: SQLFragment
    switch symbol {
    case .contains: condition = "instr(\(whole.sql), \(part.sql)) > 0"
    case .beginsWith: condition = beginning(whole, part)
    case .endsWith: condition = try ending(whole, part, comparison)
    case .like: condition = try like(whole, part, comparison)
    default: throw SQLRefusal(.unsupported, comparison.format)
    }
    return Self.negated(condition, isNegated)
  }

  /// Texts that begin alike are neighbours in the order of UTF-8, so that an index finds them.
  private func beginning(_ whole: SQLOperand, _ part: SQLOperand) -> SQLFragment {
    guard case .string(let start)? = part.constant, let end = TextRange.end(ofTextBeginningWith: start),
      whole.sql.functions.isEmpty, naming.keepsTextAsUTF8
    else { return "instr(\(whole.sql), \(part.sql)) = 1" }
    return "\(whole.sql) >= \(part.sql) AND \(whole.sql) < \(argument: .text(end))"
  }

  /// As blobs, because SQLite counts the characters of text only up to a NUL; in UTF-16 those are other bytes.
  private func ending(
    _ whole: SQLOperand, _ part: SQLOperand, _ comparison: Comparison
  ) throws(SQLRefusal) -> SQLFragment {
    guard case .string(let end)? = part.constant, naming.keepsTextAsUTF8 else {
      throw SQLRefusal(.pattern, comparison.format)
    }
    let bytes = Array(end.utf8)
    if bytes.isEmpty { return "\(whole.sql) IS NOT NULL" }
    return
      "substr(CAST(\(whole.sql) AS BLOB), \(argument: .integer(Int64(-bytes.count)))) = \(argument: .blob(bytes))"
  }

  private func like(
    _ whole: SQLOperand, _ part: SQLOperand, _ comparison: Comparison
  ) throws(SQLRefusal) -> SQLFragment {
    guard case .string(let pattern)? = part.constant, let glob = GlobPattern(WildcardPattern(pattern)) else {
      throw SQLRefusal(.pattern, comparison.format)
    }
    return "\(whole.sql) GLOB \(argument: .text(glob.text))"
  }
}
