/// A table, index or trigger of an app's own that was not copied to the new store, and why.
public struct UncopiedContent: Sendable, Hashable {
  /// Why something was not copied.
  public enum Reason: String, Error, Sendable, Hashable {
    /// The source has no such table, or only a view or a virtual table.
    case notATable = "not-a-table"
    /// The table holds the data of a virtual table.
    case partOfVirtualTable = "part-of-virtual-table"
    /// The new store has a table or index of this name.
    case nameTaken = "name-taken"
    /// Its definition holds an expression, which would have to be run.
    case expression
    /// It sorts text by a rule that only the app knows.
    case collation
    /// It is a trigger: a program.
    case trigger
    /// Its definition cannot be read.
    case unreadableDefinition = "unreadable-definition"

    /// The reason for people.
    package var explanation: String {
      switch self {
      case .notATable: "it is not a plain table"
      case .partOfVirtualTable: "it is part of a virtual table"
      case .nameTaken: "its name is taken by a table or index of the new version"
      case .expression: "its definition holds an expression, which would have to be run"
      case .collation: "it sorts text by a rule that only the app knows"
      case .trigger: "it is a trigger, which would have to be run"
      case .unreadableDefinition: "its definition cannot be read"
      }
    }
  }

  /// The name of the table, index or trigger.
  public let name: String
  /// Why it was not copied.
  public let reason: Reason
}
