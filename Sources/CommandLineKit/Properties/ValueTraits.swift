/// What arguments and options say of themselves besides their values.
struct ValueTraits: Sendable {
  /// Nil for a positional argument.
  var name: NameSpecification?
  var parsing = ValueParsing.next
  var help: ArgumentHelp?
  var completion: CompletionKind?
}

extension ValueTraits {
  init(
    _ name: NameSpecification, _ strategy: SingleValueParsingStrategy, _ help: ArgumentHelp?,
    _ completion: CompletionKind?
  ) {
    self.init(name: name, parsing: strategy.parsing, help: help, completion: completion)
  }

  init(
    _ name: NameSpecification, _ strategy: ArrayParsingStrategy, _ help: ArgumentHelp?, _ completion: CompletionKind?
  ) {
    self.init(name: name, parsing: strategy.parsing, help: help, completion: completion)
  }

  func describe(_ property: String) -> ArgumentInfo {
    var info = ArgumentInfo(key: property, kind: name == nil ? .positional : .option)
    if let name { info.choices = [.init(names: name.names(for: property))] }
    info.describe(help, valueName: info.names.preferred.flatMap(Self.valueName) ?? property.kebabCased)
    info.parsing = parsing
    return info
  }

  private static func valueName(_ name: OptionName) -> String? {
    if case .long(let name) = name { name } else { nil }
  }
}

extension ArgumentInfo {
  mutating func describe(_ help: ArgumentHelp?, valueName: String = "") {
    abstract = help?.abstract ?? ""
    discussion = help?.discussion ?? ""
    visibility = help?.visibility ?? .default
    self.valueName = help?.valueName ?? valueName
  }
}
