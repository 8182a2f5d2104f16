/// How a command prints its records.
public enum OutputFormat: String, CaseIterable, Sendable {
  /// Aligned columns, for people.
  case table
  /// One JSON array, with one object on each line.
  case json
  /// One JSON object on each line, without an array around them.
  case ndjson
  /// Comma-separated values with a header, after RFC 4180.
  case csv

  /// Whether the format is for programs, so that notes and progress would disturb.
  public var isForMachines: Bool { self != .table }
}
