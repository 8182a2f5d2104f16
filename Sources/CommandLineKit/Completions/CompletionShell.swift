/// A shell that completion scripts can be made for.
public struct CompletionShell: RawRepresentable, Hashable, CaseIterable, Sendable {
  /// The name of the shell.
  public var rawValue: String

  /// Creates a shell from its name, or returns nil if no script can be made for it.
  public init?(rawValue: String) {
    guard ["bash", "fish", "zsh"].contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  private init(named name: String) { rawValue = name }

  /// The Bourne-again shell.
  public static let bash = CompletionShell(named: "bash")

  /// The friendly interactive shell.
  public static let fish = CompletionShell(named: "fish")

  /// The Z shell.
  public static let zsh = CompletionShell(named: "zsh")

  /// All shells.
  public static let allCases: [CompletionShell] = [.zsh, .bash, .fish]
}
