import Migration
import SQLite

/// Core Data's launch arguments, which may stand anywhere on the command line:
/// `-com.apple.CoreData.MigrationDebug 1` and `-com.apple.CoreData.SQLDebug 1`.
enum LaunchArguments {
  private static let prefix = "-com.apple.CoreData."

  /// Writes what a migration does to standard error, if that is wanted.
  nonisolated(unsafe) private(set) static var migrationLog: ((String) -> Void)?

  /// Takes the launch arguments out of the command line, and heeds them.
  ///
  /// - Returns: The other arguments.
  static func apply(_ arguments: [String]) -> [String] {
    var others: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      // What follows "--" is the user's own, whatever it looks like.
      if argument == "--" { return others + [argument] + rest }
      guard argument.hasPrefix(prefix) else {
        others.append(argument)
        continue
      }
      let level = rest.first.flatMap { Int($0) }
      if level != nil { rest.removeFirst() }
      apply(String(argument.dropFirst(prefix.count)), level ?? 1)
    }
    return others
  }

  private static func apply(_ name: String, _ level: Int) {
    guard level > 0 else { return }
    switch name {
    case "MigrationDebug":
      migrationLog = { Messages.debug("CoreData: annotation: (migration)  \($0)") }
    case "SQLDebug":
      let level = StatementTrace.Level(rawValue: min(level, StatementTrace.Level.values.rawValue)) ?? .values
      StatementTrace.current = StatementTrace(level: level) { Messages.debug($0) }
    default:
      Messages.note("'\(prefix)\(name)' is not known here and has no effect.")
    }
  }
}
