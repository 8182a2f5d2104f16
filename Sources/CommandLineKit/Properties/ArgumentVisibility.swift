/// Where an argument, option or flag is shown.
public struct ArgumentVisibility: Sendable, Hashable {
  enum Representation { case `default`, hidden, `private` }

  var representation: Representation

  /// Shown in help, completions and the manual page.
  public static let `default` = Self(representation: .default)

  /// Shown by `--help-hidden` only.
  public static let hidden = Self(representation: .hidden)

  /// Never shown.
  public static let `private` = Self(representation: .private)
}
