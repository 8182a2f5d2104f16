import MigrationDiagnostics
import PersistentStore

/// A document that a command writes: it appears when it is complete, and replaces an earlier one.
enum DocumentFile {
  /// Writes a document.
  ///
  /// - Parameter store: A store whose files are not replaced.
  static func write(_ text: String, to path: String, besides store: String? = nil) throws(MigrationError) {
    let file = try AtomicFile(
      path, besides: store.map { [$0] } ?? [], isPrivate: store != nil, temporarySuffix: "document")
    do throws(MigrationError) {
      try file.stage(Array(text.utf8))
      try file.publish()
    } catch {
      file.discard()
      throw error
    }
  }
}
