internal import Expressions
internal import PersistentStore

extension SQLFragment {
  /// A table of the store that is being written.
  static func destinationTable(_ name: String) -> SQLFragment { "\(identifier: "main").\(identifier: name)" }

  /// A table of the attached source.
  static func sourceTable(_ name: String) -> SQLFragment {
    "\(identifier: StoreWriter.sourceDatabaseName).\(identifier: name)"
  }

  /// A whole number as an argument.
  static func number(_ value: Int) -> SQLFragment { "\(argument: .integer(Int64(value)))" }
}

extension [SQLFragment] {
  /// The fragments in a row, with a separator between them.
  func joined(by separator: SQLFragment) -> SQLFragment {
    // By halves: appending one by one would copy the whole for each.
    guard count > 1 else { return first ?? "" }
    let middle = count / 2
    return "\(Array(self[..<middle]).joined(by: separator))\(separator)\(Array(self[middle...]).joined(by: separator))"
  }
}
