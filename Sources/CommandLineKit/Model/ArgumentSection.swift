/// Arguments that are listed below one heading.
struct ArgumentSection: Equatable, Sendable {
  var title: String
  var arguments: [ArgumentInfo]
}

extension CommandInfo {
  /// The arguments by heading, in the order in which help and the manual page list them.
  func sections(includeHidden: Bool = false) -> [ArgumentSection] {
    let shown = shownArguments(includeHidden: includeHidden)
    let untitled = shown.filter(\.section.isEmpty)
    var groups: [ArgumentSection] = []
    for argument in shown where !argument.section.isEmpty {
      if let index = groups.firstIndex(where: { $0.title == argument.section }) {
        groups[index].arguments.append(argument)
      } else {
        groups.append(ArgumentSection(title: argument.section, arguments: [argument]))
      }
    }
    let positionals = ArgumentSection(title: "Arguments", arguments: untitled.filter { $0.kind == .positional })
    let options = ArgumentSection(title: "Options", arguments: untitled.filter { $0.kind != .positional })
    return ([positionals] + groups + [options]).filter { !$0.arguments.isEmpty }
  }
}
