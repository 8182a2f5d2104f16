/// One time that an argument was given.
enum Occurrence: Equatable, Sendable {
  /// A word for an option or, without a name, for a positional argument.
  case value(String, name: OptionName?)

  /// A flag, by the index of its choice.
  case flag(choice: Int, name: OptionName)
}
