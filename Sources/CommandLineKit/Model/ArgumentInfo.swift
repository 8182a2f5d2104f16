/// One argument, option or flag as plain values: all that the parser, help, completions and manual know of it.
struct ArgumentInfo: Equatable, Sendable {
  enum Kind { case positional, option, flag }

  /// What the parser does when it meets the argument.
  enum Role: String { case value, help, hiddenHelp, version, completionScript, manualPage }

  /// The path of the property: `limit`, or `filter.limit` in an option group.
  var key: String
  var kind: Kind
  var role: Role = .value

  /// An option has one choice, a flag one per value that it can set, a positional argument none.
  var choices: [NameChoice] = []
  var valueName = ""

  var abstract = ""
  var discussion = ""
  var visibility = ArgumentVisibility.default

  /// The title of the option group it belongs to, if that has one.
  var section = ""

  var isOptional = false
  var isRepeating = false
  var parsing = ValueParsing.next

  /// What happens when two choices of a flag are given.
  ///
  /// Nil if they add up.
  var exclusivity: FlagExclusivity?

  /// The default and the accepted values, in words.
  var defaultValue: String?
  var allValues: [String] = []
  var completion = CompletionKind.default

  /// All names of all choices.
  var names: [OptionName] { choices.flatMap(\.names) }

  /// What one choice of a flag is called, and its own help if it has some.
  struct NameChoice: Equatable, Sendable {
    var names: [OptionName]
    var abstract: String?
  }
}

extension ArgumentInfo {
  /// The argument as error messages call it: `<library>`, `--limit <limit>` or `--quiet`.
  var synopsis: String {
    switch kind {
    case .positional: "<\(valueName)>"
    case .option: optionSynopsis(choices.first?.names.preferred)
    case .flag: choices.compactMap { $0.names.preferred?.spelling }.joined(separator: "/")
    }
  }

  /// The option as error messages call it, by the name that the user gave.
  func optionSynopsis(_ name: OptionName?) -> String {
    "\(name?.spelling ?? "") <\(valueName)>"
  }

  /// The choice that a name stands for.
  func choice(named name: OptionName) -> Int? {
    choices.firstIndex { $0.names.contains(name) }
  }
}
