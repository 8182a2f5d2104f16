/// Reads a command line, from words to a validated command.
enum CommandLineReader {
  /// Returns the command that the words name.
  ///
  /// - Parameter words: The words after the command's name; nil takes those that the process was started with.
  /// - Throws: ``CommandError``.
  static func read(_ words: [String]?, root: any ParsableArguments.Type) throws -> any ParsableArguments {
    let words = words ?? Platform.arguments
    do {
      return try CommandBinder.bind(CommandParser.parse(words, root: CommandInfo(root: root)), root: root)
    } catch var error as CommandError {
      error.isEmptyCommandLine = words.isEmpty
      throw error
    }
  }
}
