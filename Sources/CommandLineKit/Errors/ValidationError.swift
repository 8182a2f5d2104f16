/// A wrong command line, found after parsing: the message and the usage are printed, and the exit code is 64.
public struct ValidationError: Error, CustomStringConvertible {
  /// What is wrong, for the user.
  public internal(set) var message: String

  /// Creates an error with a message for the user.
  public init(_ message: String) {
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
