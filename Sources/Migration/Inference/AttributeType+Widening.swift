internal import DataModel

extension AttributeType {
  /// Whether values can be carried over into an attribute of another type as they are.
  ///
  /// Core Data calls other types incompatible. That it accepts wider numbers, and truth values as whole numbers, is not
  /// documented, but apps rely on it.
  /// SQLite keeps the numbers as they are or converts them by the type of the column.
  func isCarriedOver(to other: AttributeType) -> Bool {
    switch (self, other) {
    case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): true
    case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): true
    case (.integer16, .double), (.integer32, .double), (.integer64, .double), (.float, .double): true
    default: self == other
    }
  }
}
