/// A function that the caller makes callable from SQL before it runs a fragment that uses it.
///
///     for function in SQLFunction.allCases {
///       try connection.createFunction(function.name, argumentCount: 1) { texts in
///         function.apply(texts[0]).map { .text($0) } ?? .null
///       }
///     }
public enum SQLFunction: String, Sendable, Hashable, CaseIterable {
  /// Takes case out of text.
  case foldCase = "expression_folded_c"
  /// Takes marks out of text.
  case foldMarks = "expression_folded_d"
  /// Takes case and marks out of text.
  case foldCaseAndMarks = "expression_folded_cd"

  /// What it is called in SQL.
  public var name: String { rawValue }

  /// The function itself: text in, text out, NULL for NULL.
  ///
  /// Equal arguments give equal results.
  public func apply(_ text: String?) -> String? {
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
