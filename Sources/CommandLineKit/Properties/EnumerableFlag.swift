/// A type whose every case is a flag.
///
///     enum Order: EnumerableFlag { case ascending, descending }
///
///     @Flag var order: Order = .ascending   // --ascending, --descending
public protocol EnumerableFlag: CaseIterable, Equatable, SendableMetatype {
  /// The names of the flag for a case; the case's own name if not implemented.
  static func name(for value: Self) -> NameSpecification

  /// The help of the flag for a case; the property's if not implemented.
  static func help(for value: Self) -> ArgumentHelp?
}

extension EnumerableFlag {
  /// The case's name in kebab case, after two dashes.
  public static func name(for value: Self) -> NameSpecification { .long }

  /// The property's help.
  public static func help(for value: Self) -> ArgumentHelp? { nil }
}
