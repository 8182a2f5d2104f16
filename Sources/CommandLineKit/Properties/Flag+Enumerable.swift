extension Flag where Value: EnumerableFlag {
  /// Creates one flag per case, of which one must be given.
  public init(exclusivity: FlagExclusivity = .exclusive, help: ArgumentHelp? = nil) {
    self.init(.oneCase(of: Value.self, exclusivity, help, initial: nil, chosen: nil) { $0 })
  }

  /// Creates one flag per case; without any, the default counts.
  public init(wrappedValue: Value, exclusivity: FlagExclusivity = .exclusive, help: ArgumentHelp? = nil) {
    self.init(.oneCase(of: Value.self, exclusivity, help, initial: wrappedValue, chosen: wrappedValue) { $0 })
  }
}

extension Flag {
  /// Creates one flag per case; nil if none is given.
  public init<Case: EnumerableFlag>(
    wrappedValue: NilDefault, exclusivity: FlagExclusivity = .exclusive, help: ArgumentHelp? = nil
  ) where Value == Case? {
    self.init(exclusivity: exclusivity, help: help)
  }

  /// Creates one flag per case; nil if none is given.
  public init<Case: EnumerableFlag>(exclusivity: FlagExclusivity = .exclusive, help: ArgumentHelp? = nil)
  where Value == Case? {
    self.init(.oneCase(of: Case.self, exclusivity, help, initial: .some(nil), chosen: nil) { $0 })
  }

  /// Creates one flag per case, of which any number can be given.
  public init<Case: EnumerableFlag>(wrappedValue: [Case], help: ArgumentHelp? = nil) where Value == [Case] {
    self.init(.cases(help, initial: wrappedValue))
  }

  /// Creates one flag per case, of which at least one must be given.
  public init<Case: EnumerableFlag>(help: ArgumentHelp? = nil) where Value == [Case] {
    self.init(.cases(help, initial: nil))
  }
}
