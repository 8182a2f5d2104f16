import CommandLineArguments
import MigrationDiagnostics
import SystemC
import TerminalOutput

/// How errors and warnings are written.
enum ErrorFormat: String, CaseIterable {
  /// As sentences, for people.
  case text
  /// As one line of JSON each.
  case json

  /// What the command line asks for.
  nonisolated(unsafe) private(set) static var current = ErrorFormat.text

  private static let option = "--errors"

  /// Takes `--errors FORMAT` out of a command line, and heeds it.
  ///
  /// It is no option of a command, because an error of the command line itself has to heed it too.
  ///
  /// - Returns: The other words, and what is wrong with the option.
  static func apply(_ arguments: [String]) -> ([String], ValidationError?) {
    var others: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      // What follows "--" is the user's own, whatever it looks like.
      if argument == "--" { return (others + [argument] + rest, nil) }
      let value: String?
      switch argument {
      case option: value = rest.popFirst()
      case _ where argument.hasPrefix("\(option)="): value = String(argument.dropFirst(option.count + 1))
      default:
        others.append(argument)
        continue
      }
      guard let format = value.flatMap(ErrorFormat.init(rawValue:)) else {
        return (
          others, ValidationError("'\(option)' requires one of \(allCases.map(\.rawValue).joined(separator: ", ")).")
        )
      }
      current = format
    }
    return (others, nil)
  }
}

/// An error or a warning, for people and for programs.
struct ErrorRecord {
  enum Level: String { case error, warning }

  private let level: Level
  private let message: String
  private let error: MigrationError?
  private var code: String?
  private var exitStatus: Int32?

  /// A text without a code.
  init(_ level: Level, _ message: String) {
    (self.level, self.message, error) = (level, message, nil)
  }

  init(_ level: Level, _ error: MigrationError) {
    (self.level, self.error, message) = (level, error, ErrorMessage(command: error).problem)
    (code, exitStatus) = (error.code.rawValue, level == .error ? error.exitStatus : nil)
  }

  /// A mistake on the command line.
  init(usage message: String, exitStatus: Int32) {
    self.init(.error, message)
    (code, self.exitStatus) = ("usage", exitStatus)
  }

  private var advice: String? { error.map { ErrorMessage(command: $0).advice } }

  /// The sentences.
  var text: String { "tracks-migrate: \(level.rawValue): \(message)\(advice.map { ". \($0)" } ?? "")" }

  /// The JSON object, on one line; what there is none of is left out.
  var line: String {
    JSONObject { object in
      object.add("level", .string(level.rawValue))
      func add(_ key: String, _ value: String?) {
        if let value { object.add(key, .path(value)) }
      }
      add("code", code)
      if let exitStatus { object.add("exit_status", FieldValue(exitStatus)) }
      add("message", message)
      add("advice", advice)
      add("path", error?.subject.path)
      add("entity", error?.subject.entity)
      add("property", error?.subject.property)
      if let row = error?.subject.row { object.add("row", .integer(row)) }
      add("name", error?.subject.name)
    }.text
  }
}
