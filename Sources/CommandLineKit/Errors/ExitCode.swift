/// An error that ends the command with a code and prints nothing.
public struct ExitCode: Error, RawRepresentable, Hashable, Sendable {
  /// The code given to the shell.
  public var rawValue: Int32

  /// Creates an error with a code of the command's own.
  public init(_ code: Int32) {
    self.rawValue = code
  }

  /// Creates an error with a code of the command's own.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Everything went well: 0.
  public static let success = ExitCode(0)

  /// Something failed: 1.
  public static let failure = ExitCode(1)

  /// The command line was wrong: 64, `EX_USAGE` in sysexits.h.
  public static let validationFailure = ExitCode(64)

  /// Whether the code says that everything went well.
  public var isSuccess: Bool { self == .success }
}
