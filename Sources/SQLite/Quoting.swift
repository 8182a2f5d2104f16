extension String {
  /// This name as an SQL identifier: in double quotes, with quotes inside doubled.
  ///
  /// Names of entities, attributes and tables come from strangers' models and stores.
  public var quotedIdentifier: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// This text as an SQL string literal.
  public var quotedLiteral: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}
