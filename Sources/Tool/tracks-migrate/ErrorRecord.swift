import CommandLineArguments
import Foundation
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import SwiftSchemas
import SystemC
import TerminalOutput

/// The formats of errors and warnings.
enum ErrorFormat: String, CaseIterable {
  /// As sentences, for people.
  case text
  /// As one line of JSON each.
  case json

  /// The choice on the command line.
  nonisolated(unsafe) private(set) static var current = ErrorFormat.text

  private static let option = "--errors"

  /// Takes `--errors FORMAT`, `--color WHEN`, `--stub FILE` and `--types NAMES` out of a command line, and heeds them.
  ///
  /// They are not options of a command, because an error of the command line itself has to heed them too. Without
  /// them, `TRACKS_MIGRATE_ERRORS` and `TRACKS_MIGRATE_COLOR` are heeded.
  ///
  /// - Returns: The other words, and what is wrong with the option.
  static func apply(_ arguments: [String]) -> ([String], ValidationError?) {
    for (name, variable) in [(option, "TRACKS_MIGRATE_ERRORS"), (colorOption, "TRACKS_MIGRATE_COLOR")] {
      guard let value = getenv(variable).map({ String(cString: $0) }), !value.isEmpty else { continue }
      if let problem = heed(name, value, calledBy: variable) { return (arguments, problem) }
    }
    var others: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      // What follows "--" is the user's own, whatever it looks like.
      if argument == "--" { return (others + [argument] + rest, nil) }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard [option, colorOption, stubOption, typesOption].contains(parts[0]) else {
        others.append(argument)
        continue
      }
      let value = parts.count == 2 ? parts[1] : rest.popFirst()
      if let problem = heed(parts[0], value ?? "") { return (others, problem) }
    }
    return (others, nil)
  }

  private static let colorOption = "--color"
  private static let stubOption = "--stub"
  private static let typesOption = "--types"

  private static func heed(_ name: String, _ value: String, calledBy caller: String? = nil) -> ValidationError? {
    let words: [String]
    if name == stubOption {
      guard FileStatus(value) != nil else { return ValidationError("'--stub' requires a Swift file that is there.") }
      SwiftSchemas.settings.stubs.append(value)
      return nil
    }
    if name == typesOption {
      let types = SwiftSchemas.types(in: value)
      guard !types.isEmpty else {
        return ValidationError("'--types' requires names of @Model classes, separated by commas.")
      }
      SwiftSchemas.settings.types += types
      return nil
    }
    if name == option {
      if let format = ErrorFormat(rawValue: value) {
        current = format
        return nil
      }
      words = allCases.map(\.rawValue)
    } else {
      if let choice = ColorChoice(rawValue: value) {
        ColorChoice.current = choice
        return nil
      }
      words = ColorChoice.allCases.map(\.rawValue)
    }
    return ValidationError("'\(caller ?? name)' requires one of \(words.joined(separator: ", ")).")
  }
}

/// An error or a warning, for people and for programs.
struct ErrorRecord {
  enum Level: String { case error, warning }

  let level: Level
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

  /// Output that could not be written.
  init(_ error: OutputError) {
    self.init(.error, "\(error). Check where the output goes.")
    let code: MigrationError.Code = error.exitStatus == 75 ? .diskFull : .inputOutput
    (self.code, exitStatus) = (code.rawValue, error.exitStatus)
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
      if let report = error?.report, !report.isEmpty { add("report", report.joined(separator: "\n")) }
    }.text
  }
}

extension MigrationError {
  /// Describes an error from outside the program, such as one of Foundation, in the words of the system.
  init(unforeseen error: any Error) {
    if let error = error as? SQLiteError {
      self.init(error, path: error.path)
      return
    }
    var (path, cause): (String?, NSError?) = (nil, error as NSError)
    while let found = cause {
      path = path ?? found.userInfo[NSFilePathErrorKey] as? String
      if found.domain == NSPOSIXErrorDomain {
        self = FileSystem.failure(.inputOutput, path ?? "a file", number: Int32(clamping: found.code))
        return
      }
      cause = found.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    let isOfFoundation = type(of: error) is NSError.Type || error is CocoaError || error is POSIXError
    self.init(.inputOutput, path: path ?? "a file", detail: isOfFoundation ? nil : "\(error)")
  }
}
