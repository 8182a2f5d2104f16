import CommandLineKit
import TrackLibrary

/// A condition in Core Data's predicate format.
struct WhereOption: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only what satisfies this condition in Core Data's predicate format.", valueName: "predicate"))
  var condition: String?

  mutating func validate() throws {
    _ = try filter
  }

  /// The condition, if there is one.
  var filter: LibraryFilter? {
    get throws {
      do {
        return try condition.map { try LibraryFilter($0) }
      } catch {
        throw ValidationError("The value of '--where' is no predicate: \(error)")
      }
    }
  }
}
