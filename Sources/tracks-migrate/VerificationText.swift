import CommandLineKit
import Diagnostics
import TrackLibrary
import Verification

/// Writes differences to standard output, as a table of records.
final class DifferenceList {
  private let writer: any RecordWriter
  private let isForMachines: Bool
  private var hasBegun = false

  init(_ format: OutputFormat) {
    writer = format.makeWriter(to: StandardOutput(), terminal: .standardOutput)
    isForMachines = format.isForMachines
  }

  func write(_ difference: Difference) throws {
    try begin()
    try writer.write([
      .string(difference.kind.rawValue), FieldValue(difference.entity), FieldValue(difference.row),
      FieldValue(difference.property), FieldValue(difference.expected), FieldValue(difference.found),
      FieldValue(difference.detail),
    ])
  }

  /// Ends the list; a table without rows has no header.
  func end() throws {
    if isForMachines { try begin() }
    if hasBegun { try writer.end() }
  }

  private func begin() throws {
    guard !hasBegun else { return }
    hasBegun = true
    try writer.begin(columns: ["kind", "entity", "row", "property", "expected", "found", "detail"])
  }
}

/// What a person is told of a verification besides the differences.
enum VerificationText {
  static func lines(_ result: LibraryVerification.Result, path: String, limit: Int) -> [String] {
    guard result.differenceCount > 0 else {
      return [
        "'\(path)' is what '\(result.sourcePath)' has to become: \(figures(result))."
      ]
    }
    let rest = result.differenceCount - limit
    let kinds = result.differenceCountByKind.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { "\(NumberFormat.grouped($0.value)) \($0.key.rawValue)" }
    let number = NumberFormat.counted(result.differenceCount, "difference")
    return (rest > 0 ? ["… and \(NumberFormat.grouped(rest)) more"] : [])
      + ["'\(path)' is not what '\(result.sourcePath)' has to become: \(number) (\(kinds.joined(separator: ", ")))."]
      + (result.tracksCount == nil ? ["Its rows were not compared: the file is not such that they could be."] : [])
  }

  private static func figures(_ result: LibraryVerification.Result) -> String {
    [("track", result.tracksCount), ("artist", result.artistsCount), ("link", result.linksCount)]
      .map { NumberFormat.counted($0.1 ?? 0, $0.0) }.joined(separator: ", ")
  }

  /// Statistics that cannot be read are no difference of the library.
  static func warning(_ error: MigrationError) -> String {
    "\(ErrorMessage(error).problem), so that they were not compared."
  }
}
