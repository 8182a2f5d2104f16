import MigrationDiagnostics
import PersistentStore

/// A document that a command writes: it appears when it is complete, and replaces an earlier one.
enum DocumentFile {
  /// Writes a document.
  ///
  /// - Parameter sources: The files that it is made from, which limit its permissions.
  static func write(_ text: String, to path: String, from sources: [String]) throws(MigrationError) {
    let file = try AtomicFile(path, temporarySuffix: "document")
    do throws(MigrationError) {
      try file.stage(Array(text.utf8))
      try file.publish(from: sources)
    } catch {
      file.discard()
      throw error
    }
  }
}
