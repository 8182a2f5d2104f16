extension Parser {
  /// The argument of a placeholder, as an expression.
  mutating func argument(of placeholder: Placeholder) throws(FormatError) -> Expression {
    let argument = try nextArgument()
    switch placeholder {
    case .value: try check(argument.isFinite, "a finite number")
    case .integer: try check(argument.isWhole, "a whole number")
    case .real: try check((argument.isWhole || argument.isReal) && argument.isFinite, "a finite number")
    case .keyPath: break
    }
    try advance()
    return argument.expression
  }

  /// The argument of `%K`: a key path as text.
  ///
  /// A leading SELF says nothing.
  mutating func keyPathArgument() throws(FormatError) -> [KeyPathComponent] {
    let argument = try nextArgument()
    guard case .string(let text) = argument else { throw wrongArgument("a key path") }
    var names = text.split(separator: ".", omittingEmptySubsequences: false)
    if names.count > 1, names.first == "SELF" { names.removeFirst() }
    var path: [KeyPathComponent] = []
    for name in names {
      if name.hasPrefix("@") {
        path.append(.collectionOperator(try collectionOperator(String(name.dropFirst()))))
      } else {
        try check(Lexer.isName(String(name)), "a key path: names with dots between them")
        path.append(.key(String(name)))
      }
    }
    try advance()
    return path
  }

  private mutating func nextArgument() throws(FormatError) -> FormatArgument {
    guard usedArguments < arguments.count else { throw error(.missingArgument(number: usedArguments + 1)) }
    usedArguments += 1
    return arguments[usedArguments - 1]
  }

  private func check(_ isRight: Bool, _ expected: String) throws(FormatError) {
    guard isRight else { throw wrongArgument(expected) }
  }

  private func wrongArgument(_ expected: String) -> FormatError {
    error(.wrongArgument(number: usedArguments, expected: expected))
  }
}

extension FormatArgument {
  fileprivate var isWhole: Bool {
    switch self {
    case .integer, .boolean: true
    default: false
    }
  }

  fileprivate var isReal: Bool {
    if case .real = self { true } else { false }
  }

  /// Infinity and not-a-number cannot be written in a format.
  fileprivate var isFinite: Bool {
    switch self {
    case .real(let value), .date(let value): value.isFinite
    case .list(let values): values.allSatisfy(\.isFinite)
    default: true
    }
  }
}
