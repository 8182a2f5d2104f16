/// Reads a command line, from words to a validated command.
enum CommandLineReader {
  /// Returns the command that the words name.
  ///
  /// - Parameter words: The words after the command's name; nil takes those that the process was started with.
  /// - Throws: ``CommandError``.
  static func read(_ words: [String]?, root: any ParsableArguments.Type) throws -> any ParsableArguments {
    let words = words ?? Platform.arguments
    // Nearly every command line is right, and then only the commands that it names have to be described.
    do {
      return try bind(words, CommandInfo(root: root, for: words), root)
    } catch let error as CommandError where error.isVersionRequest {
      throw error
    } catch {
      // What is wrong can be said only by whoever knows all commands.
    }
    do {
      return try bind(words, CommandInfo(root: root), root)
    } catch var error as CommandError {
      error.isEmptyCommandLine = words.isEmpty
      throw error
    }
  }

  private static func bind(
    _ words: [String], _ info: CommandInfo, _ root: any ParsableArguments.Type
  ) throws -> any ParsableArguments {
    try CommandBinder.bind(CommandParser.parse(words, root: info), root: root)
  }
}
