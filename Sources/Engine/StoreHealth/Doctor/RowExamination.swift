internal import DataModel
internal import Migration
internal import PersistentStore
internal import SQLiteDatabase

/// Looks at the rows with the rules of the model, as a migration does.
struct RowExamination {
  private let store: StoreReader
  private let schema: StoreSchema

  init(_ store: StoreReader, _ schema: StoreSchema) {
    (self.store, self.schema) = (store, schema)
  }

  func run(_ notes: inout HealthNotes) throws {
    try examineAbstractEntities(&notes)
    for failure in try StoreValidator(store, schema).failures() { notes.add(try finding(failure)) }
  }

  /// Rows of an entity that no instance can be of.
  private func examineAbstractEntities(_ notes: inout HealthNotes) throws {
    for name in schema.entityNames where schema.model.entity(named: name)?.isAbstract == true {
      guard let table = schema.table(forEntityNamed: name)?.name else { continue }
      let rows = "\(table.quotedIdentifier) WHERE Z_ENT = \(schema.entityNumber(name))"
      guard try store.connection.integer("SELECT 1 FROM \(rows) LIMIT 1") != nil else { continue }
      var finding = Finding(.abstractEntity, "its table '\(table)' has rows of the abstract entity '\(name)'")
      (finding.table, finding.entity) = (table, name)
      try finding.takeRows(store.connection, rows)
      notes.add(finding)
    }
  }

  private func finding(_ failure: ValidationFailure) throws -> Finding {
    let code = Finding.Code(failure.kind)
    var finding = Finding(code, "'\(failure.entity).\(failure.property)': \(failure.rule)")
    if code == .wrongEntityOfLink { finding = try mending(finding, failure) }
    finding.table = schema.table(forEntityNamed: failure.entity)?.name
    (finding.entity, finding.property) = (failure.entity, failure.property)
    (finding.count, finding.rows) = (Int64(failure.count), failure.rows)
    return finding
  }

  /// The entity column repeats the entity of the destination's row, so that row says what belongs there: nothing without one.
  ///
  /// Where the column has another entity that the destination may be of, one of the two is wrong, and nothing says which: what
  /// the column has may be the last trace of the row's own entity.
  private func mending(_ finding: Finding, _ failure: ValidationFailure) throws -> Finding {
    guard let relationship = schema.model.entity(named: failure.entity)?.relationship(named: failure.property),
      case .own(let key, let entity?, _) = schema.layouts.layout(of: relationship, ofEntityNamed: failure.entity),
      let table = schema.table(forEntityNamed: failure.entity)?.name,
      let destination = schema.table(forEntityNamed: relationship.destinationEntityName)?.name
    else { return finding }
    let (keyName, entityName) = (key.quotedIdentifier, entity.quotedIdentifier)
    let entities = schema.model.tree(of: relationship.destinationEntityName)
    func list(_ names: some Sequence<String>) -> String {
      names.map { schema.entityNumber($0) }.sorted().map { "\($0)" }.joined(separator: ", ")
    }
    let found =
      "(SELECT d.Z_ENT FROM \(destination.quotedIdentifier) AS d WHERE d.Z_PK = t.\(keyName) "
      + "AND d.Z_ENT IN (\(list(entities))))"
    let concrete = list(entities.filter { schema.model.entity(named: $0)?.isAbstract == false })
    let condition = """
      t.Z_ENT = \(schema.entityNumber(failure.entity)) AND CASE WHEN t.\(keyName) IS NULL THEN t.\(entityName) IS NOT NULL \
      ELSE t.\(entityName) IS NOT coalesce(\(found), t.\(entityName)) \
      AND (t.\(entityName) IS NULL OR t.\(entityName) NOT IN (\(concrete))) END
      """
    let rows = "\(table.quotedIdentifier) AS t WHERE \(condition)"
    guard try store.connection.integer("SELECT 1 FROM \(rows) LIMIT 1") != nil else { return finding }
    var mended = Finding(
      finding.code, finding.fact,
      repair: Repair(
        deed: "set the entities of the links '\(failure.entity).\(failure.property)' to those of their destinations",
        work: .statements(
          "UPDATE \(table.quotedIdentifier) AS t SET \(entityName) = \(found) WHERE \(condition)")))
    mended.repair?.computedColumns = ["\(table).\(entity)"]
    return mended
  }
}

extension Finding.Code {
  /// The kind of finding that a broken rule of the model is.
  init(_ kind: ValidationFailure.Kind) {
    self =
      switch kind {
      case .missingValue: .missingValue
      case .missingDestination: .missingDestination
      case .danglingKey: .danglingLink
      case .wrongEntity: .wrongEntityOfLink
      case .tooFewDestinations, .tooManyDestinations: .destinationCount
      case .numberTooSmall, .numberTooLarge, .dateTooSoon, .dateTooLate, .stringTooShort, .stringTooLong: .outOfLimits
      case .notUnique: .notUnique
      case .unfitStorageClass: .storageClass
      }
  }
}
