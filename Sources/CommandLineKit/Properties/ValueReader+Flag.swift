extension ValueReader where Value == Bool {
  /// Reads a flag with one name, which turns the default round.
  static func toggle(name: NameSpecification, help: ArgumentHelp?, initial: Bool) -> Self {
    Self(initial: initial) { property in
      ArgumentInfo(flag: property, choices: [.init(names: name.names(for: property))], help: help)
    } read: { _ in
      !initial
    }
  }
}

extension ValueReader where Value == Int {
  /// Counts the occurrences.
  static func count(name: NameSpecification, help: ArgumentHelp?, initial: Int) -> Self {
    Self(initial: initial) { property in
      var info = ArgumentInfo(flag: property, choices: [.init(names: name.names(for: property))], help: help)
      info.isRepeating = true
      return info
    } read: { occurrences in
      initial + occurrences.count
    }
  }
}

extension ValueReader {
  /// Reads a pair of flags for true and false.
  static func inverted(
    _ name: NameSpecification, _ inversion: FlagInversion, _ exclusivity: FlagExclusivity, _ help: ArgumentHelp?,
    initial: Value?, make: @escaping @Sendable (Bool) -> Value
  ) -> Self {
    let chosen = initial as? Bool
    return Self(initial: initial) { property in
      let names = inversion.names(from: name.names(for: property))
      var info = ArgumentInfo(
        flag: property, choices: [.init(names: names.on), .init(names: names.off)], help: help)
      info.exclusivity = exclusivity
      info.defaultValue = chosen.flatMap { ($0 ? names.on : names.off).preferred?.spelling }
      return info
    } read: { occurrences in
      make(occurrences.last?.choice == 0)
    }
  }

  /// Reads one flag of those that the cases of an enumeration stand for.
  static func oneCase<Case: EnumerableFlag>(
    of type: Case.Type, _ exclusivity: FlagExclusivity, _ help: ArgumentHelp?, initial: Value?, chosen: Case?,
    make: @escaping @Sendable (Case) -> Value
  ) -> Self {
    let defaultChoice = chosen.flatMap { Array(Case.allCases).firstIndex(of: $0) }
    return Self(initial: initial) { property in
      var info = ArgumentInfo(flag: property, choices: Case.flagChoices, help: help)
      info.exclusivity = exclusivity
      info.defaultValue = defaultChoice.flatMap { info.choices[$0].names.preferred?.spelling }
      return info
    } read: { occurrences in
      make(Array(Case.allCases)[occurrences[occurrences.count - 1].choice])
    }
  }

  /// Reads all flags of those that the cases of an enumeration stand for.
  static func cases<Case: EnumerableFlag>(_ help: ArgumentHelp?, initial: [Case]?) -> Self where Value == [Case] {
    Self(initial: initial) { property in
      var info = ArgumentInfo(flag: property, choices: Case.flagChoices, help: help)
      info.isRepeating = true
      return info
    } read: { occurrences in
      occurrences.map { Array(Case.allCases)[$0.choice] }
    }
  }
}

extension Occurrence {
  /// Which of a flag's choices was given.
  fileprivate var choice: Int {
    guard case .flag(let choice, _) = self else {
      preconditionFailure("The parser gives words to arguments and options only.")
    }
    return choice
  }
}

extension EnumerableFlag {
  fileprivate static var flagChoices: [ArgumentInfo.NameChoice] {
    allCases.map { value in
      .init(names: name(for: value).names(for: String(describing: value)), abstract: help(for: value)?.abstract)
    }
  }
}

extension ArgumentInfo {
  fileprivate init(flag property: String, choices: [NameChoice], help: ArgumentHelp?) {
    self.init(key: property, kind: .flag, choices: choices)
    describe(help)
  }
}
