/// What is wrong with a format, and where.
///
/// The error holds facts; `description` makes a sentence of them and shows the place.
public struct FormatError: Error, Sendable, Hashable {
  /// What is wrong.
  public let problem: Problem
  /// Where, counted in bytes of UTF-8.
  public let offset: Int
  /// The whole format.
  public let format: String

  init(_ problem: Problem, offset: Int, format: String) {
    self.problem = problem
    self.offset = offset
    self.format = format
  }

  /// What can be wrong with a format.
  public indirect enum Problem: Sendable, Hashable {
    /// Something else should stand there.
    case unexpected(found: String, expected: String)
    /// No token begins with this character.
    case unexpectedCharacter
    /// `$`, `@` or `#` without a name.
    case missingName
    case unterminatedString
    /// A backslash and something that it does not go with.
    case invalidEscape
    case invalidNumber
    /// A number that neither 64 bits nor a real number can hold.
    case numberOutOfRange
    /// `%%`: there is no operator of that name.
    case percentSign
    case unknownPlaceholder
    /// There are fewer arguments than placeholders.
    case missingArgument(number: Int)
    /// There are more arguments than placeholders.
    case unusedArguments(count: Int, given: Int)
    /// An argument is of a kind that its placeholder does not take.
    case wrongArgument(number: Int, expected: String)
    /// `@` and a name that is no collection operator.
    case unknownCollectionOperator(String)
    /// An operator that wants a key path after it has none.
    case missingOperatorPath(String)
    /// A letter in the brackets of a comparison that is no option.
    case unknownOption(String)
    /// More levels of nesting than the parser takes.
    case tooDeep(limit: Int)
  }
}
