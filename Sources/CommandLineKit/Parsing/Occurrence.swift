internal import SystemC

/// One time that an argument was given.
enum Occurrence: Equatable, Sendable {
  /// A word for an option or, without a name, for a positional argument.
  case value(String, name: OptionName?)

  /// A flag, by the index of its choice.
  case flag(choice: Int, name: OptionName)
}

extension Occurrence {
  /// The same for what is text and no path.
  ///
  /// - Throws: ``InvalidValue``.
  func asText() throws -> Occurrence {
    guard case .value(let word, let name) = self else { return self }
    guard let text = String(validating: word.pathBytes, as: UTF8.self) else {
      throw InvalidValue(word: word, name: name, reason: NotUTF8())
    }
    return .value(text, name: name)
  }

  private struct NotUTF8: Error, CustomStringConvertible {
    var description: String { "it is not valid UTF-8" }
  }
}
