/// An expression in SQL, with the kind of its values.
struct SQLOperand {
  let sql: SQLFragment
  let kind: Kind
  /// The value, if it is the same for every row.
  var constant: ExpressionValue?

  /// The kind of the values other than NULL.
  enum Kind: Hashable {
    /// NULL and nothing else.
    case null
    case number(SQLNumberKind)
    case text
    case date
    case uuid
    case url
    case data
    /// The primary key of a row in a table.
    case object(table: String)
    case other

    /// Whether equality is the same in SQL and for objects.
    func isComparable(with other: Kind) -> Bool {
      switch (self, other) {
      case (.other, .null), (.null, .other): true
      case (.other, _), (_, .other): false
      case (.null, _), (_, .null), (.number, .number): true
      default: self == other
      }
    }

    /// Whether a column of a type stores the values unchanged.
    func isStored(as type: SQLValueType) -> Bool {
      switch (self, type.type) {
      case (.null, _), (.number, .number(.real)): true
      case (.number(.integer(let range)), .number(.integer(let limits))):
        limits.contains(range.lowerBound) && limits.contains(range.upperBound)
      case (.other, _), (.object, _), (_, .other): false
      case (let kind, let wanted): kind == wanted
      }
    }

    /// Whether the values have an order.
    var isOrdered: Bool {
      switch self {
      case .null, .number, .text, .date: true
      default: false
      }
    }
  }

  /// Creates an argument for a constant, or returns `nil` if SQL has no equivalent value.
  init?(constant value: ExpressionValue) {
    let argument: SQLArgument
    switch value {
    case .null: (argument, kind) = (.null, .null)
    case .boolean(let value): (argument, kind) = (.integer(value ? 1 : 0), .number(.integer(value ? 1...1 : 0...0)))
    case .integer(let value): (argument, kind) = (.integer(value), .number(.integer(value...value)))
    case .real(let value) where value.isFinite: (argument, kind) = (.real(value), .number(.real))
    case .date(let value) where value.isFinite: (argument, kind) = (.real(value), .date)
    case .string(let value): (argument, kind) = (.text(value), .text)
    case .url(let value): (argument, kind) = (.text(value), .url)
    case .uuid(let value): (argument, kind) = (.blob(value.bytes), .uuid)
    case .data(let value): (argument, kind) = (.blob(value), .data)
    default: return nil
    }
    sql = "\(argument: argument)"
    constant = value
  }

  init(_ sql: SQLFragment, _ kind: Kind) {
    self.sql = sql
    self.kind = kind
  }

  /// The same with case and marks folded.
  func folded(_ options: ComparisonOptions) -> SQLOperand {
    guard kind == .text, let function = SQLFunction(options) else { return self }
    guard case .string(let text)? = constant else { return SQLOperand("\(function: function)(\(sql))", .text) }
    return SQLOperand(constant: .string(TextFolding.fold(text, options))) ?? self
  }
}

/// A function that the caller registers with SQLite before it runs a fragment that uses it.
///
///     for function in SQLFunction.allCases {
///       try connection.createFunction(function.name, argumentCount: 1) { texts in
///         function.apply(texts[0]).map { .text($0) } ?? .null
///       }
///     }
package enum SQLFunction: String, Sendable, Hashable, CaseIterable {
  /// Removes case from text.
  case foldCase = "expression_folded_c"
  /// Removes marks from text.
  case foldMarks = "expression_folded_d"
  /// Removes case and marks from text.
  case foldCaseAndMarks = "expression_folded_cd"

  /// The name in SQL.
  package var name: String { rawValue }

  /// The result of the function, which is deterministic; NULL for NULL.
  package func apply(_ text: String?) -> String? {
    text.map { TextFolding.fold($0, options) }
  }

  /// The function for some options; `nil` if nothing is folded.
  init?(_ options: ComparisonOptions) {
    guard let found = Self.allCases.first(where: { $0.options == options.folding }) else { return nil }
    self = found
  }

  private var options: ComparisonOptions {
    switch self {
    case .foldCase: .caseInsensitive
    case .foldMarks: .diacriticInsensitive
    case .foldCaseAndMarks: [.caseInsensitive, .diacriticInsensitive]
    }
  }
}
