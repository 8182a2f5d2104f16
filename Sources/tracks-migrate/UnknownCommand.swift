import CommandLineKit
import SystemC

/// Tells a mistyped command from the name of a library.
///
/// A library may be named without any command. So a bare word (no slash, no dot) that is no existing path is taken for
/// a command that does not exist.
enum UnknownCommand {
  static func error(in arguments: [String]) -> ValidationError? {
    guard let word = arguments.first, !word.hasPrefix("-"), !word.contains("/"), !word.contains(".") else { return nil }
    let names = TracksMigrate.commandNames
    guard !names.contains(word), access(word, F_OK) != 0 else { return nil }
    let suggestion = nearest(to: word, in: names).map { " Did you mean '\($0)'?" } ?? ""
    let hint = suggestion.isEmpty ? " There is no file of this name either." : ""
    return ValidationError("Unknown command '\(word)'.\(suggestion)\(hint)")
  }
}
