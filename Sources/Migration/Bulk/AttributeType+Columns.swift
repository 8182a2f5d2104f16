internal import DataModel
internal import Expressions

extension AttributeType {
  /// Whether values that are copied from column to column become what instances would make of them.
  ///
  /// SQLite turns whole numbers into real ones by the type of the column, and takes everything else as it is: text in a
  /// column of numbers stays text.
  func isStoredAlike(as other: AttributeType) -> Bool {
    switch (self, other) {
    case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): true
    case (.boolean, .float), (.integer16, .float): true
    case (.boolean, .double), (.integer16, .double), (.integer32, .double), (.integer64, .double): true
    case (.boolean, .decimal), (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal): true
    case (.float, .double), (.float, .decimal), (.double, .decimal), (.decimal, .double): true
    case (.binaryData, .transformable), (.transformable, .binaryData): true
    default: isCarriedOver(to: other)
    }
  }

  /// What may be computed for attributes of this type so that their columns keep it as instances would.
  ///
  /// What is computed for a float would have to be rounded first.
  var computedType: SQLValueType {
    switch self {
    case .float: .integer16
    case .decimal: .real
    default: sqlValueType
    }
  }
}
