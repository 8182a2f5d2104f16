package import MigrationDiagnostics
internal import SystemC

/// A private folder for the work of one run, which is gone when it is not needed any more.
package final class TemporaryFolder {
  /// The folder.
  package let path: String

  /// Makes a folder below `TMPDIR`, or `/tmp`.
  ///
  /// - Throws: `MigrationError` with `cannotCreate`, which names that folder and the reason.
  package init(_ purpose: String) throws(MigrationError) {
    let place = getenv("TMPDIR").map { String(path: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    let folder = place.utf8.last == UInt8(ascii: "/") ? place : place + "/"
    let template = "\(folder)tracks-migrate-\(purpose)-XXXXXX"
    var name = template.pathBytes.map(CChar.init(bitPattern:)) + [0]
    guard mkdtemp(&name) != nil else {
      var error = FileSystem.failure(.cannotCreate, template)
      error.advice = error.advice ?? "Nothing was changed. Set TMPDIR to a folder where you may write."
      throw error
    }
    path = String(pathBytes: name.dropLast().map(UInt8.init(bitPattern:)))
  }

  deinit { Self.remove(path) }

  /// The path of a file in the folder.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Removes all that is in a folder, and the folder.
  private static func remove(_ path: String) {
    for name in FileSystem.names(in: path) ?? [] {
      let file = "\(path)/\(name)"
      if FileStatus(unresolved: file)?.kind == .directory { remove(file) } else { FileSystem.remove(file) }
    }
    _ = FileSystem.removeFolder(path)
  }
}
