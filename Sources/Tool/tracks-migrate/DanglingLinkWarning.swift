import MigrationDiagnostics
import TerminalOutput
import TrackLibrary

extension DanglingLinks {
  /// Warns that a library has links to missing rows, and says how to remove them.
  func warn(_ path: String) {
    guard count > 0 else { return }
    let ends = [(toArtistsCount, "artist"), (toTracksCount, "track")].filter { $0.0 > 0 }
    let missing = ends.map { "\(NumberFormat.grouped($0.0)) to missing \($0.1)s" }
    StandardError.warning(
      "\(NumberFormat.counted(count, "link")) in '\(path)' \(count == 1 ? "leads" : "lead") to missing rows "
        + "(\(missing.joined(separator: ", "))), and \(count == 1 ? "is" : "are") not counted or shown. To remove "
        + "\(count == 1 ? "it" : "them"), close the app and run: "
        + "sqlite3 \(ErrorMessage.shellWord(path)) \(ErrorMessage.shellWord(removal))")
  }
}
