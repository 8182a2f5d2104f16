import Foundation

/// What a long run by hand is told.
enum Environment {
  static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
}
