/// A problem in a format, with its place.
///
/// The error holds facts; `description` has the sentence and shows the place.
public struct FormatError: Error, Sendable, Hashable {
  /// The problem.
  package let problem: Problem
  /// The place, in bytes of UTF-8.
  package let offset: Int
  /// The whole format.
  package let format: String

  init(_ problem: Problem, offset: Int, format: String) {
    self.problem = problem
    self.offset = offset
    self.format = format
  }

  /// The problems that a format can have.
  package indirect enum Problem: Sendable, Hashable {
    /// Something else is expected there.
    case unexpected(found: String, expected: String)
    /// No token begins with this character.
    case unexpectedCharacter
    /// `$`, `@` or `#` without a name.
    case missingName
    case unterminatedString
    /// An unknown escape.
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
    /// An argument is of a kind that its placeholder does not accept.
    case wrongArgument(number: Int, expected: String)
    /// `@` and a name that is not a collection operator.
    case unknownCollectionOperator(String)
    /// An operator that requires a key path has none.
    case missingOperatorPath(String)
    /// A letter in the brackets of a comparison that is not an option.
    case unknownOption(String)
    /// More levels of nesting than the parser allows.
    case tooDeep(limit: Int)
  }
}

extension FormatError: CustomStringConvertible {
  /// A sentence, the line of the format, and a caret under the place.
  public var description: String {
    let excerpt = FormatExcerpt(format, offset: offset)
    return "\(sentence) (at byte \(offset))\n  \(excerpt.line)\n  \(excerpt.caretLine)"
  }

  /// The problem as a sentence, without the place.
  package var sentence: String {
    switch problem {
    case .unexpected(let found, let expected): "expected \(expected), but found \(found)"
    case .unexpectedCharacter: "this character means nothing here"
    case .missingName: "a name must follow this sign"
    case .unterminatedString: "this text has no closing quote"
    case .invalidEscape: "this escape is unknown; a backslash itself is written \\\\"
    case .invalidNumber: "this is not a number"
    case .numberOutOfRange: "this number is too large"
    case .percentSign: "there is no operator %%; use modulus:by:(a, b) for a remainder"
    case .unknownPlaceholder: "this placeholder is unknown; there are %@ %K %d %i %u %ld %lld %f"
    case .missingArgument(let number): "there is no argument \(number) for this placeholder"
    case .unusedArguments(let count, let given): "\(count) of \(given) arguments have no placeholder"
    case .wrongArgument(let number, let expected): "argument \(number) must be \(expected)"
    case .unknownCollectionOperator(let name):
      "there is no collection operator @\(name); there are "
        + CollectionOperator.allCases.map { "@" + $0.rawValue }.joined(separator: " ")
    case .missingOperatorPath(let name): "a key path must follow @\(name)"
    case .unknownOption(let option):
      "'\(option)' is not an option of this comparison; the options are [c] [d] [cd] [l] [n]"
    case .tooDeep(let limit): "this is nested more than \(limit) levels deep"
    }
  }
}

/// The part of a format around an offset, for one line of a terminal.
package struct FormatExcerpt {
  package let line: String
  package let caretLine: String

  /// The number of characters shown on either side of the offset.
  private static let reach = 50

  package init(_ format: String, offset: Int) {
    let bytes = format.utf8
    let place = bytes.index(bytes.startIndex, offsetBy: min(max(offset, 0), bytes.count))
    let before = format[..<place].unicodeScalars.suffix(Self.reach + 1)
    let after = format[place...].unicodeScalars.prefix(Self.reach + 1)
    let start = (before.count > Self.reach ? "…" : "") + Self.visible(before.suffix(Self.reach))
    line = start + Self.visible(after.prefix(Self.reach)) + (after.count > Self.reach ? "…" : "")
    caretLine = String(repeating: " ", count: start.count) + "^"
  }

  /// Replaces line breaks and other control characters, which would misplace the caret or affect the terminal.
  static func visible(_ scalars: Substring.UnicodeScalarView) -> String {
    var text = String.UnicodeScalarView()
    for scalar in scalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
        text.append(" ")
      default: text.append(scalar)
      }
    }
    return String(text)
  }
}
