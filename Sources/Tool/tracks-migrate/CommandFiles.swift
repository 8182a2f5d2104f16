import CommandLineArguments
import ModelInspection
import PersistentStore

/// The files that a command line names.
///
/// Every argument that is a path declares what its command does with the file (`FileUse`), so that each command is checked
/// before it runs, and so is each new argument.
enum CommandFiles {
  /// Checks that nothing that the command writes is another file of it.
  static func check(_ command: any ParsableCommand.Type, _ paths: [GivenPath]) throws {
    RunningCommand.begin(command)
    try reportingErrors {
      var files = RunFiles()
      for path in paths { files.add(path) }
      try files.requireNoClash()
    }
  }
}

extension RunFiles {
  /// Adds a path of the command line.
  fileprivate mutating func add(_ given: GivenPath) {
    let role: Role =
      given.option.map { .option($0) } ?? .argument(given.valueName, isRepeating: given.isRepeating)
    // A version of a model may be named after a colon.
    let model = given.use == .reads && !FileSystem.exists(given.path) ? try? ModelSource(given.path) : nil
    add(model?.path ?? given.path, as: role, given.use)
  }
}
