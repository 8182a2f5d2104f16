internal import SystemC

/// Says why output could not be written.
public struct OutputError: Error, Sendable, Hashable {
  /// The system's number for the error (`errno`).
  public let errorNumber: Int32

  /// Creates an error from the system's number for it.
  public init(errorNumber: Int32) {
    self.errorNumber = errorNumber
  }

  /// The system's text for the error, such as "No space left on device".
  public var reason: String {
    guard let text = strerror(errorNumber) else { return "error \(errorNumber)" }
    return String(cString: text)
  }
}

extension OutputError: CustomStringConvertible {
  /// The error as a phrase, such as "cannot write the output: No space left on device".
  public var description: String { "cannot write the output: \(reason)" }
}
