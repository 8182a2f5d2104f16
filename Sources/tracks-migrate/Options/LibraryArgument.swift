import CommandLineKit

/// The library that a command is about.
struct LibraryArgument: ParsableArguments {
  @Argument(
    help: "The library: a SQLite file that an app wrote with Core Data.",
    completion: .file(extensions: ["sqlite", "db", "store"]))
  var library: String
}
