/// Writes the line that shows how a command is called.
struct UsageGenerator {
  var info: CommandInfo

  /// More parts than this are a paragraph that nobody reads.
  private static let maximumParts = 12

  init(_ info: CommandInfo) { self.info = info }

  /// The usage without a heading; empty if the command wants none.
  var synopsis: String {
    if let usage = info.usage { return usage }
    var words = info.path + parts
    if !info.shownSubcommands.isEmpty { words.append("<subcommand>") }
    return words.joined(separator: " ")
  }

  private var parts: [String] {
    let arguments = info.shownArguments().filter { $0.role == .value }
    let all = arguments.flatMap(Self.parts)
    if all.count <= Self.maximumParts { return all }
    let necessary = arguments.filter { $0.kind == .positional || !$0.isOptional }.flatMap(Self.parts)
    return necessary.isEmpty || necessary.count > Self.maximumParts ? ["<options>"] : ["[<options>]"] + necessary
  }

  private static func parts(of argument: ArgumentInfo) -> [String] {
    let parts =
      argument.kind == .flag ? argument.choices.compactMap { $0.names.preferred?.spelling } : [argument.synopsis]
    return parts.map { part in
      let repeated = argument.isRepeating ? "\(part) ..." : part
      return argument.isOptional ? "[\(repeated)]" : repeated
    }
  }
}
