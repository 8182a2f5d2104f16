/// Which words an option takes as its values.
enum ValueParsing: Hashable, Sendable {
  /// One word that does not look like an option.
  case next
  /// One word.
  case unconditional
  /// At least one word, up to the next that looks like an option.
  case upToNextOption
  /// All words to the end.
  case remaining
}
