/// The words of a command line that were not read yet.
struct WordReader {
  private(set) var rest: ArraySlice<String>

  init(_ words: [String]) { rest = words[...] }

  mutating func next() -> String? { rest.popFirst() }

  mutating func takeAll() -> [String] {
    defer { rest = [] }
    return Array(rest)
  }

  /// Takes the words up to the first for which the condition does not hold.
  mutating func take(while condition: (String) -> Bool) -> [String] {
    let taken = rest.prefix(while: condition)
    rest = rest.dropFirst(taken.count)
    return Array(taken)
  }

  /// Takes the next word if the condition holds for it.
  mutating func take(if condition: (String) -> Bool) -> String? {
    guard let word = rest.first, condition(word) else { return nil }
    return next()
  }

  /// Whether one of these words comes before the end of the options.
  func contains(any words: [String]) -> Bool {
    rest.prefix { $0 != "--" }.contains(where: words.contains)
  }
}

extension String {
  /// Whether the word can only be an option: `-` alone is standard input, `-5` a number.
  var looksLikeOption: Bool { hasPrefix("-") && count > 1 && !isNegativeNumber }

  /// Whether the word is a dash and a number.
  ///
  /// `Double` alone would accept `-inf` and `-nan`, which are flags.
  var isNegativeNumber: Bool {
    guard hasPrefix("-"), let digit = dropFirst().first, digit.isNumber || digit == "." else { return false }
    return Double(self) != nil
  }
}
