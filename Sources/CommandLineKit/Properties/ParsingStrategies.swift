/// How an option finds its value.
public struct SingleValueParsingStrategy: Sendable, Hashable {
  var parsing: ValueParsing

  /// The next word, unless it looks like an option.
  public static var next: Self { Self(parsing: .next) }

  /// The next word, whatever it looks like.
  public static var unconditional: Self { Self(parsing: .unconditional) }
}

/// How an option of an array finds its values.
public struct ArrayParsingStrategy: Sendable, Hashable {
  var parsing: ValueParsing

  /// One value each time the option is given: `--column a --column b`.
  public static var singleValue: Self { Self(parsing: .next) }

  /// One value each time the option is given, whatever it looks like.
  public static var unconditionalSingleValue: Self { Self(parsing: .unconditional) }

  /// All words up to the next option: `--column a b --limit 3`.
  public static var upToNextOption: Self { Self(parsing: .upToNextOption) }

  /// All words to the end of the command line, options too.
  public static var remaining: Self { Self(parsing: .remaining) }
}
