internal import DataModel
internal import Expressions

/// The rules for the values of one attribute.
///
/// Regular expressions are not checked: they are ICU's, which differ from the ones that are at hand here, and a value
/// must not be refused for that.
struct AttributeChecks {
  /// The function that measures strings as Core Data does, in UTF-16 units; `length` of SQL counts scalars.
  static let lengthFunction = "validation_utf16_length"

  let attribute: AttributeDescription
  /// The column of a row `d`.
  let column: SQLFragment

  /// All rules, in a fixed order.
  var all: [ValidationCheck] {
    var checks: [ValidationCheck] = []
    // A derived value is computed when the app saves.
    if !attribute.isOptional, !attribute.isDerived { checks.append(check(.missingValue, "\(column) IS NULL")) }
    checks += limits
    if let fits {
      var fitting = check(.unfitStorageClass, "\(column) IS NOT NULL AND NOT (\(fits))")
      fitting.quickCondition = doesNotFit
      checks.append(fitting)
    }
    return checks
  }

  private func check(_ kind: ValidationFailure.Kind, _ condition: SQLFragment) -> ValidationCheck {
    ValidationCheck(property: attribute.name, kind: kind, condition: condition)
  }

  private var limits: [ValidationCheck] {
    let value: SQLFragment
    let kinds: (low: ValidationFailure.Kind, high: ValidationFailure.Kind)
    switch attribute.type {
    case .integer16, .integer32, .integer64, .decimal, .double, .float:
      (value, kinds) = (number, (.numberTooSmall, .numberTooLarge))
    case .date: (value, kinds) = (number, (.dateTooSoon, .dateTooLate))
    case .string: (value, kinds) = (length, (.stringTooShort, .stringTooLong))
    default: return []
    }
    var checks: [ValidationCheck] = []
    if let limit = attribute.validation.minimum {
      checks.append(check(kinds.low, "\(value) < \(argument: .column(limit))"))
    }
    if let limit = attribute.validation.maximum {
      checks.append(check(kinds.high, "\(value) > \(argument: .column(limit))"))
    }
    return checks
  }

  /// NULL for what is no number: SQLite puts text behind all numbers.
  private var number: SQLFragment { "CASE WHEN typeof(\(column)) IN ('integer', 'real') THEN \(column) END" }

  private var length: SQLFragment {
    "CASE WHEN typeof(\(column)) = 'text' THEN validation_utf16_length(\(column)) END"
  }

  /// The same by the order of values, which is found out without a call: numbers come first, then text, then blobs.
  ///
  /// Text has a column that turns numbers into text.
  private var doesNotFit: SQLFragment? {
    switch attribute.type {
    case .string, .uri: "\(column) >= x''"
    case .double, .float, .decimal, .date: "\(column) >= ''"
    default: nil
    }
  }

  /// What the values of a column are; `nil` where there is nothing to say.
  private var fits: SQLFragment? {
    switch attribute.type {
    case .integer16, .integer32, .integer64, .boolean: "typeof(\(column)) = 'integer'"
    case .double, .float, .decimal, .date: "typeof(\(column)) IN ('integer', 'real')"
    case .string, .uri: "typeof(\(column)) = 'text'"
    case .uuid: "typeof(\(column)) = 'blob' AND length(\(column)) = 16"
    case .binaryData, .transformable: "typeof(\(column)) = 'blob'"
    case .undefined, .objectID, .composite: nil
    }
  }
}
