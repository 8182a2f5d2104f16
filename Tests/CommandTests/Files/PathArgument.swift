import SystemC
import TestSupport
import Testing

@testable import CommandLineArguments
@testable import tracks_migrate

/// An argument of a command that is a path, as the command describes it: a new one is tested without further ado.
struct PathArgument: Sendable, CustomTestStringConvertible {
  /// The words that call the command.
  let command: [String]
  let option: String?
  let valueName: String
  let isRepeating: Bool
  let use: FileUse

  /// How messages call it.
  var role: String {
    if let option { return option }
    return isRepeating ? "one of the \(valueName)" : "the \(valueName)"
  }

  var testDescription: String { (command + [option ?? "<\(valueName)>"]).joined(separator: " ") }

  /// The arguments of all commands, by command.
  static let byCommand: [[PathArgument]] = {
    func all(_ info: CommandInfo) -> [[PathArgument]] {
      let own = info.arguments.compactMap { argument in
        argument.completion.fileUse.map { use in
          PathArgument(
            command: Array(info.path.dropFirst()), option: argument.names.preferred?.spelling,
            valueName: argument.valueName, isRepeating: argument.isRepeating, use: use)
        }
      }
      return [own] + info.subcommands.flatMap(all)
    }
    return all(CommandInfo(root: TracksMigrate.self)).filter { !$0.isEmpty }
  }()

  /// Those of one use.
  static func all(where isWanted: (FileUse) -> Bool) -> [PathArgument] {
    byCommand.joined().filter { isWanted($0.use) }
  }
}

/// The words of a command line in which paths are filled in.
struct PathCommandLine {
  /// Arguments without a path, and options that a command requires with others.
  private static let fixed: [String: [String]] = [
    "sample": ["5"], "query": ["Track"], "models show": ["--as", "xcdatamodel"],
    "models diff": ["--as", "xcmappingmodel"],
  ]
  /// Options that another one requires.
  private static let required: [String: [String]] = [
    "migrate --mapping": ["--model"], "report --mapping": ["--model"], "batch run --mapping": ["--model"],
    "verify --mapping": ["--model"], "export --model": ["--entity"],
  ]
  /// What stands for all other paths that a command requires.
  private static let others = [
    "rehearse": ["--model", "Other.xcdatamodeld"], "fixture new": ["--model", "Other.xcdatamodeld"],
    "assemble": ["--manifest", "other.json", "--output", "Other.sqlite"], "redact": ["--output", "Other.sqlite"],
    "salvage": ["--output", "Other.sqlite"], "models freeze": ["--output", "Other.json"],
  ]

  /// Fills in paths; what else the command requires gets other paths.
  static func words(_ values: [(argument: PathArgument, path: String)]) -> [String] {
    guard let command = values.first?.argument.command else { return [] }
    let name = command.joined(separator: " ")
    var words = command
    let given = Set(values.compactMap(\.argument.option))
    // Numbers stand before paths.
    if name == "sample" { words += fixed[name] ?? [] }
    for argument in PathArgument.byCommand.first(where: { $0.first?.command == command }) ?? []
    where argument.option == nil {
      let path = values.first { $0.argument.valueName == argument.valueName && $0.argument.option == nil }?.path
      // A model is an option of mapping models only.
      let other = name == "models compile" ? "Other.xcmappingmodel" : "Other-\(argument.valueName)"
      words.append(path ?? other)
    }
    if name != "sample" { words += fixed[name] ?? [] }
    for (argument, path) in values {
      guard let option = argument.option else { continue }
      words += [option, path]
      for needed in required["\(name) \(option)"] ?? [] where !given.contains(needed) {
        words += [needed, "Other.xcdatamodeld"]
      }
    }
    let rest = others[name] ?? []
    for index in stride(from: 0, to: rest.count, by: 2) where !given.contains(rest[index]) {
      words += rest[index...(index + 1)]
    }
    return words
  }

  /// A name that the command accepts for what it writes.
  static func fileName(_ values: [PathArgument]) -> String {
    guard let command = values.first?.command, values.contains(where: { $0.use == .creates }) else { return "F.sqlite" }
    return switch command {
    case ["models", "show"]: "F.xcdatamodel"
    case ["models", "diff"]: "F.xcmappingmodel"
    case ["models", "freeze"]: "F.json"
    default: "F.momd"
    }
  }
}
