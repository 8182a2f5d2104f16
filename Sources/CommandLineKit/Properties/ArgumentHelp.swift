/// The help of an argument, option or flag; a string literal is the abstract.
public struct ArgumentHelp: Sendable, ExpressibleByStringInterpolation {
  /// One sentence, shown next to the name.
  public var abstract: String

  /// Longer text, shown below the abstract.
  public var discussion: String

  /// The name of the value, as in `--limit <count>`.
  ///
  /// Nil makes it from the option's name.
  public var valueName: String?

  /// Where the argument is shown.
  public var visibility: ArgumentVisibility

  /// Creates help with everything that can be said.
  public init(
    _ abstract: String = "",
    discussion: String = "",
    valueName: String? = nil,
    visibility: ArgumentVisibility = .default
  ) {
    self.abstract = abstract
    self.discussion = discussion
    self.valueName = valueName
    self.visibility = visibility
  }

  /// Creates help that consists of an abstract.
  public init(stringLiteral value: String) {
    self.init(value)
  }
}

extension ArgumentHelp {
  /// Help that is shown by `--help-hidden` only.
  public static var hidden: Self { Self(visibility: .hidden) }

  /// Help that is never shown.
  public static var `private`: Self { Self(visibility: .private) }
}
