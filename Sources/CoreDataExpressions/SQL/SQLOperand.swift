/// An expression in SQL, with what is known of its values.
struct SQLOperand {
  let sql: SQLFragment
  let kind: Kind
  /// The value, if it is the same for every row.
  var constant: ExpressionValue?

  /// What the values are, other than NULL.
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

    /// Whether equality means the same in SQL and on objects.
    func isComparable(with other: Kind) -> Bool {
      switch (self, other) {
      case (.other, .null), (.null, .other): true
      case (.other, _), (_, .other): false
      case (.null, _), (_, .null), (.number, .number): true
      default: self == other
      }
    }

    /// Whether values are the same when they have gone through a column of a type.
    func isStored(as type: SQLValueType) -> Bool {
      switch (self, type.type) {
      case (.null, _), (.number, .number(.real)): true
      case (.number(.integer(let range)), .number(.integer(let limits))):
        limits.contains(range.lowerBound) && limits.contains(range.upperBound)
      case (.other, _), (.object, _), (_, .other): false
      case (let kind, let wanted): kind == wanted
      }
    }

    /// Whether there is a before and an after.
    var isOrdered: Bool {
      switch self {
      case .null, .number, .text, .date: true
      default: false
      }
    }
  }

  /// Makes an argument of a constant, or `nil` if SQL has no value like it.
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

/// A function that the caller makes callable from SQL before it runs a fragment that uses it.
///
///     for function in SQLFunction.allCases {
///       try connection.createFunction(function.name, argumentCount: 1) { texts in
///         function.apply(texts[0]).map { .text($0) } ?? .null
///       }
///     }
package enum SQLFunction: String, Sendable, Hashable, CaseIterable {
  /// Takes case out of text.
  case foldCase = "expression_folded_c"
  /// Takes marks out of text.
  case foldMarks = "expression_folded_d"
  /// Takes case and marks out of text.
  case foldCaseAndMarks = "expression_folded_cd"

  /// What it is called in SQL.
  package var name: String { rawValue }

  /// The function itself: text in, text out, NULL for NULL.
  ///
  /// Equal arguments give equal results.
  package func apply(_ text: String?) -> String? {
    text.map { TextFolding.fold($0, options) }
  }

  /// The function that folds under some options; `nil` if nothing is to be folded.
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
