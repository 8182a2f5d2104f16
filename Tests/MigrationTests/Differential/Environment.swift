import Foundation

/// Settings of a long run that is started by hand.
enum Environment {
  static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
}
