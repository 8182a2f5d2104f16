internal import Expressions

/// What a predicate says.
enum PredicateContent {
  /// A format, with the values of its variables.
  case parsed(Expressions.Predicate, [String: ExpressionValue])
  /// A format that cannot be read, with the reason.
  case invalid(String)
  /// Code of the app.
  case code

  /// Whether there are values beside the format: instances, and what else there are no literals for.
  var hasVariables: Bool {
    if case .parsed(_, let variables) = self { !variables.isEmpty } else { false }
  }

  init(format: String, arguments values: [Any]) {
    if values.count == 1, type(of: values[0]) == String.self, let text = values[0] as? String,
      let predicate = FormatTemplates.predicate(format, text)
    {
      self = .parsed(predicate, [:])
      return
    }
    let arguments = FormatArguments(values)
    guard arguments.unknownKind == nil else {
      self = .invalid("'\(format)': an argument is \(arguments.unknownKind ?? "of no known kind")")
      return
    }
    do {
      let predicate = try Expressions.Predicate(format: format, arguments: arguments.arguments)
      self = .parsed(predicate, arguments.variables)
    } catch {
      self = .invalid("\(error)")
    }
  }

  /// What a predicate of Foundation says.
  ///
  /// Foundation's own class keeps nothing but code. So what a format said is remembered beside it.
  init(_ predicate: NSPredicate) {
    if let made = FormatPredicate.of(predicate) {
      self = made.content
    } else if let compound = predicate as? NSCompoundPredicate {
      self = Self.joined(compound.subpredicates.map { PredicateContent($0) }, compound.compoundPredicateType)
    } else {
      self = .code
    }
  }

  private static func joined(
    _ contents: [PredicateContent], _ type: NSCompoundPredicate.LogicalType
  ) -> PredicateContent {
    var predicates: [Expressions.Predicate] = []
    var variables: [String: ExpressionValue] = [:]
    for content in contents {
      guard case .parsed(let predicate, let others) = content else { return content }
      predicates.append(predicate)
      variables.merge(others) { first, _ in first }
    }
    switch (type, predicates.count) {
    case (.not, 1): return .parsed(.not(predicates[0]), variables)
    case (.not, _): return .code
    case (_, 0): return .parsed(.constant(type == .and), variables)
    case (_, 1): return .parsed(predicates[0], variables)
    default: return .parsed(type == .and ? .and(predicates) : .or(predicates), variables)
    }
  }
}
