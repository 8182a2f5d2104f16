import MigrationDiagnostics
import PersistentStore

/// A document that a command writes: it appears when it is complete, and replaces an earlier one.
///
/// Runs that write the same document wait for each other.
enum DocumentFile {
  /// Writes a document.
  ///
  /// - Parameter sources: The files that it is made from, which limit its permissions.
  static func write(_ text: String, to path: String, from sources: [String]) throws(MigrationError) {
    let file = try AtomicFile(path, temporarySuffix: "document")
    let lock = try file.lock()
    defer { lock?.discard() }
    try write(text, to: file, from: sources)
  }

  /// Writes a document that takes over what an earlier one says.
  ///
  /// - Parameter makeText: Reads the earlier one, which no other run replaces meanwhile.
  static func update(_ path: String, from sources: [String], _ makeText: () throws -> String) throws {
    let file = try AtomicFile(path, temporarySuffix: "document")
    let lock = try file.lock(isRequired: true)
    defer { lock?.discard() }
    try write(try makeText(), to: file, from: sources)
  }

  private static func write(_ text: String, to file: AtomicFile, from sources: [String]) throws(MigrationError) {
    do throws(MigrationError) {
      try file.stage(Array(text.utf8))
      try file.publish(from: sources)
    } catch {
      file.discard()
      throw error
    }
  }
}
