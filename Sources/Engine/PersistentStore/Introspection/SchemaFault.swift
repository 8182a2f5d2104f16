internal import MigrationDiagnostics

/// Something in a store's tables because of which Core Data cannot use them as its model asks.
package struct SchemaFault: Sendable, Hashable {
  /// The kinds of faults.
  package enum Kind: Sendable, Hashable {
    /// The file and the model cannot be matched: a part that is not there could be one of several.
    case unmatchedLayout
    /// A table of the model is not in the file.
    case absentTable
    /// A column of the model is not in its table.
    case absentColumn
    /// An entity has no row in `Z_PRIMARYKEY`.
    case absentEntity
    /// An entity has another name or parent in `Z_PRIMARYKEY` than in the model.
    case foreignEntityName
    /// A table has rows of entities that are not its own.
    case foreignEntityNumber
    /// A table has greater keys than `Z_PRIMARYKEY` says.
    case lowGreatestKey
    /// A join table has a name that is made from other numbers than those of its entities.
    case foreignJoinTable
    /// `Z_PRIMARYKEY` has a name that the model does not know.
    case unknownEntityName
    /// A constraint refuses rows that the model allows.
    case refusingConstraint
    /// A trigger can refuse rows.
    case refusingTrigger
    /// An index of the model is not there, or does less.
    case absentIndex
    /// A trigger that Core Data keeps a derived attribute with is not there.
    case absentTrigger
    /// A column has a type that converts the values of its attribute.
    case foreignColumnType
    /// A column has a type that makes other values of those of its attribute.
    case convertingColumnType
    /// A row has a key that Core Data does not give.
    case foreignKeyValue
  }

  /// The kind.
  package let kind: Kind
  /// The table.
  package let table: String
  /// The name of the column, index, trigger or entity in it, if it is about one.
  package let object: String?
  /// The fact, as a clause.
  package let fact: String
  /// The SQL that mends it, where that can be said.
  package let remedy: String?
  /// Whether the SQL loses nothing that the file holds and the app may want.
  package let isLossless: Bool

  init(
    _ kind: Kind, table: String, object: String? = nil, fact: String, remedy: String?, isLossless: Bool = true
  ) {
    (self.kind, self.table, self.object) = (kind, table, object)
    (self.fact, self.remedy, self.isLossless) = (fact, remedy, isLossless)
  }

  /// The error for all faults of a store.
  static func error(_ faults: [SchemaFault], path: String) -> MigrationError {
    var error = MigrationError(.damaged, path: path, detail: faults.map(\.fact).joined(separator: "; "))
    let remedies = faults.compactMap(\.remedy)
    let isMended = faults.contains { $0.remedy != nil && $0.isLossless }
    let doctor: Advice = isMended ? ", let \(.repair(path)) mend it" : ""
    error.advice =
      "Nothing was changed. Restore it from a backup\(doctor), or "
      + (remedies.count == faults.count
        ? "mend it in the program 'sqlite3', with: \(remedies.joined(separator: " "))"
        : "create what is named here again as the model has it, in the program 'sqlite3'.")
    return error
  }
}
