internal import Foundation

/// The importance of a message.
public struct OSLogType: RawRepresentable, Sendable, Hashable {
  /// The number that Apple's systems use.
  public let rawValue: UInt8

  /// Creates a type from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A message that is not marked.
  public static let `default` = OSLogType(rawValue: 0)
  /// A helpful message.
  public static let info = OSLogType(rawValue: 1)
  /// A message for developers.
  public static let debug = OSLogType(rawValue: 2)
  /// Something went wrong.
  public static let error = OSLogType(rawValue: 16)
  /// Something is wrong with the program.
  public static let fault = OSLogType(rawValue: 17)

  fileprivate var name: String {
    switch self {
    case .info: "info"
    case .debug: "debug"
    case .error: "error"
    case .fault: "fault"
    default: "notice"
    }
  }
}

/// A subsystem's category of messages.
public final class OSLog: Sendable {
  fileprivate let subsystem: String
  fileprivate let category: String

  /// Names a category of a subsystem.
  public init(subsystem: String, category: String) { (self.subsystem, self.category) = (subsystem, category) }

  /// Messages of no subsystem.
  public static let `default` = OSLog(subsystem: "", category: "")
  /// No messages.
  public static let disabled = OSLog(subsystem: "disabled", category: "disabled")

  fileprivate func write(_ type: OSLogType, _ message: String) {
    guard self !== OSLog.disabled, Self.isWanted(type) else { return }
    let place = [subsystem, category].filter { !$0.isEmpty }.joined(separator: ":")
    FileHandle.standardError.write(Data("\(place.isEmpty ? "" : "[\(place)] ")\(type.name): \(message)\n".utf8))
  }

  /// As on Apple's systems, debug and info messages are not shown unless they are requested.
  private static func isWanted(_ type: OSLogType) -> Bool {
    ![.debug, .info].contains(type) || ProcessInfo.processInfo.environment["OS_ACTIVITY_MODE"] == "debug"
  }
}

/// Writes messages to standard error.
public struct Logger: Sendable {
  private let log: OSLog

  /// Creates a logger of no subsystem.
  public init() { log = .default }

  /// Creates a logger of a category of a subsystem.
  public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

  /// Creates a logger of a category.
  public init(_ log: OSLog) { self.log = log }

  /// Writes a message.
  public func log(level: OSLogType = .default, _ message: OSLogMessage) { log.write(level, message.text) }
  /// Writes a message.
  public func log(_ message: OSLogMessage) { log.write(.default, message.text) }
  /// Writes a message that helps to find mistakes.
  public func trace(_ message: OSLogMessage) { log.write(.debug, message.text) }
  /// Writes a message for developers.
  public func debug(_ message: OSLogMessage) { log.write(.debug, message.text) }
  /// Writes a helpful message.
  public func info(_ message: OSLogMessage) { log.write(.info, message.text) }
  /// Writes a message.
  public func notice(_ message: OSLogMessage) { log.write(.default, message.text) }
  /// Writes that something may be wrong.
  public func warning(_ message: OSLogMessage) { log.write(.error, message.text) }
  /// Writes that something went wrong.
  public func error(_ message: OSLogMessage) { log.write(.error, message.text) }
  /// Writes that something is badly wrong.
  public func critical(_ message: OSLogMessage) { log.write(.fault, message.text) }
  /// Writes that the program is wrong.
  public func fault(_ message: OSLogMessage) { log.write(.fault, message.text) }
}

/// A message with interpolated values.
///
/// Privacy, alignment and formats are accepted; here, nothing is hidden and nothing is aligned.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
  /// Who may see a value.
  public struct Privacy: Sendable {
    /// The masks that hide a value.
    public enum Mask: Sendable { case none, hash }
    /// Anybody.
    public static let `public` = Privacy()
    /// Only the user.
    public static let `private` = Privacy()
    /// Only the user, at all times.
    public static let sensitive = Privacy()
    /// As it is usual for the type.
    public static let auto = Privacy()
    /// Only the user; others see a mask.
    public static func `private`(mask: Mask) -> Privacy { Privacy() }
  }

  /// The parts of a message.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    /// Begins a message.
    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    /// Adds words.
    public mutating func appendLiteral(_ literal: String) { text += literal }
    /// Adds a value.
    public mutating func appendInterpolation<Value>(_ value: @autoclosure () -> Value, privacy: Privacy = .auto) {
      text += "\(value())"
    }
    /// Adds a value that may be missing.
    public mutating func appendInterpolation<Value>(_ value: @autoclosure () -> Value?, privacy: Privacy = .auto) {
      text += value().map { "\($0)" } ?? "nil"
    }
  }

  fileprivate let text: String

  /// A message without values.
  public init(stringLiteral value: String) { text = value }
  /// A message with values.
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
}

/// Writes a message in printf's format, such as `"%{public}@ of %d"`.
public func os_log(
  _ message: StaticString, log: OSLog = .default, type: OSLogType = .default, _ arguments: any CVarArg...
) {
  let format = message.description.replacing(/%\{[^}]*\}/, with: "%")
  log.write(type, arguments.isEmpty ? format : String(format: format, arguments: arguments))
}

/// Writes a message in printf's format.
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: StaticString, _ arguments: any CVarArg...) {
  let format = message.description.replacing(/%\{[^}]*\}/, with: "%")
  log.write(type, arguments.isEmpty ? format : String(format: format, arguments: arguments))
}
