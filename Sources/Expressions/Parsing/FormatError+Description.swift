extension FormatError: CustomStringConvertible {
  /// A sentence, the line of the format, and a caret under the place.
  public var description: String {
    let excerpt = FormatExcerpt(format, offset: offset)
    return "\(sentence) (at byte \(offset))\n  \(excerpt.line)\n  \(excerpt.caretLine)"
  }

  /// What is wrong, without the place.
  public var sentence: String {
    switch problem {
    case .unexpected(let found, let expected): "expected \(expected), but found \(found)"
    case .unexpectedCharacter: "this character means nothing here"
    case .missingName: "a name must follow this sign"
    case .unterminatedString: "this text has no closing quote"
    case .invalidEscape: "this escape is unknown; a backslash itself is written \\\\"
    case .invalidNumber: "this is no number"
    case .numberOutOfRange: "this number is too large"
    case .percentSign: "there is no operator %%; a remainder is modulus:by:(a, b)"
    case .unknownPlaceholder: "this placeholder is unknown; there are %@ %K %d %i %u %ld %lld %f"
    case .missingArgument(let number): "there is no argument \(number) for this placeholder"
    case .unusedArguments(let count, let given): "\(count) of \(given) arguments have no placeholder"
    case .wrongArgument(let number, let expected): "argument \(number) must be \(expected)"
    case .unknownCollectionOperator(let name):
      "there is no collection operator @\(name); there are "
        + CollectionOperator.allCases.map { "@" + $0.rawValue }.joined(separator: " ")
    case .missingOperatorPath(let name): "a key path must follow @\(name)"
    case .unknownOption(let option): "'\(option)' is no option of this comparison; there are [c] [d] [cd] [n]"
    case .tooDeep(let limit): "this is nested more than \(limit) levels deep"
    }
  }
}
