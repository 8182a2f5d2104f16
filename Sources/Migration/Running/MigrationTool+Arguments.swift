internal import Diagnostics
internal import SystemC

extension MigrationTool {
  /// What `run` prints for `--help`.
  public static let help = """
    Migrates a store to the current version of its model.

    USAGE: [--plan] [--allow-loss] <store> [<output>]

      <store>       The store. Without <output> it is replaced, and the old one kept beside it as a backup.
      <output>      A new file for the result.
      --plan        Print the hops and what they would remove, and change nothing.
      --allow-loss  Remove entities that the new model or a mapping model drops, with their rows.
      --help        Print this.
    """

  /// Does what the arguments of a program ask for, and gives the exit status that the program should end with.
  ///
  /// The whole program of an app's team is this call.
  ///
  /// - Parameters:
  ///   - arguments: The words after the program's name. What follows `--` is a path, whatever it begins with.
  ///   - print: Takes what a person is told, line by line.
  ///   - printError: Takes what went wrong, line by line.
  public func run(
    _ arguments: some Sequence<String>, print: (String) -> Void, printError: (String) -> Void
  ) -> Int32 {
    var paths: [String] = []
    var wantsPlan = false
    var tool = self
    var readsOptions = true
    // Those of the process itself, as Swift gives them, have lost the bytes of paths that are not UTF-8.
    let isOwn = arguments.elementsEqual(CommandLine.arguments.dropFirst())
    for word in isOwn ? Array(CommandLine.exactArguments.dropFirst()) : Array(arguments) {
      switch word {
      case "--" where readsOptions: readsOptions = false
      case "--plan" where readsOptions: wantsPlan = true
      case "--allow-loss" where readsOptions: tool.allowsLoss = true
      case "--help" where readsOptions, "-h" where readsOptions:
        print(Self.help)
        return 0
      case _ where readsOptions && word.hasPrefix("-"):
        return wrongUsage("there is no option '\(word)'", printError)
      default: paths.append(word)
      }
    }
    guard let store = paths.first, paths.count <= (wantsPlan ? 1 : 2), !paths.contains("") else {
      return wrongUsage(wantsPlan ? "one store is wanted" : "a store is wanted, and at most one output", printError)
    }
    do throws(MigrationError) {
      let lines =
        try wantsPlan
        ? MigrationText().plan(tool.migration(ofStoreAt: store).survey(), of: store)
        : MigrationText().outcome(tool.migrate(storeAt: store, to: paths.count > 1 ? paths[1] : nil), of: store)
      lines.forEach { print(MigrationText.visible($0)) }
      return 0
    } catch {
      let message = ErrorMessage(error)
      printError(MigrationText.visible("error: \(message.problem). \(message.advice)"))
      return error.exitStatus
    }
  }

  /// As sysexits.h has it.
  private func wrongUsage(_ problem: String, _ printError: (String) -> Void) -> Int32 {
    printError(MigrationText.visible("error: \(problem)."))
    printError(Self.help)
    return 64
  }
}
