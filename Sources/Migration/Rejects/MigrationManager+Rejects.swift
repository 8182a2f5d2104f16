public import Diagnostics
internal import PersistentStore
internal import SQLite

extension MigrationManager {
  /// Keeps the raw text of an attribute that could not be read.
  ///
  /// - Parameters:
  ///   - facts: What is known of it; its primary key says which row it is.
  ///   - attribute: The attribute, of the source entity of the current mapping.
  public func reject(_ facts: RejectsFile.Facts, attribute: String) throws(MigrationError) {
    guard let rejects else { return }
    let (table, column) = try column(of: attribute)
    try rejects.add(
      facts, raw: SourceValueStream(source.sourceConnection, table: table, column: column, row: facts.primaryKey))
  }

  /// The text of an attribute in one source row, for the few rows that need more than was prepared.
  public func sourceText(of attribute: String, row: Int64) throws(MigrationError) -> String? {
    var bytes: [UInt8] = []
    let isThere = try forEachSourcePiece(of: attribute, row: row) { bytes += $0 }
    return isThere ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// Lends the text of an attribute in one source row piece by piece, however long it is.
  ///
  /// - Returns: Whether there is a text.
  @discardableResult
  public func forEachSourcePiece(
    of attribute: String, row: Int64, _ body: (UnsafeRawBufferPointer) throws(MigrationError) -> Void
  ) throws(MigrationError) -> Bool {
    let (table, column) = try column(of: attribute)
    let stream = try SourceValueStream(source.sourceConnection, table: table, column: column, row: row)
    guard !stream.isNull else { return false }
    try stream.forEachPiece(body)
    return true
  }

  private func column(of attribute: String) throws(MigrationError) -> (table: String, column: String) {
    guard let entity = currentEntityMapping?.sourceEntityName,
      let table = sourceSchema.table(forEntityNamed: entity),
      let column = sourceSchema.column(forProperty: attribute, ofEntityNamed: entity)
    else {
      throw MigrationError(
        .policyFailed, MigrationError.Subject(property: attribute), detail: "the source entity has no such attribute")
    }
    return (table.name, column.name)
  }
}
