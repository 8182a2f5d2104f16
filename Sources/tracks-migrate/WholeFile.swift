import Diagnostics
import PersistentStore

/// Writes a file so that nobody ever sees half of it: under a temporary name first, then renamed.
enum WholeFile {
  static func write(_ text: String, to path: String) throws(MigrationError) {
    let temporary = FileSystem.sibling(of: path, named: ".\(FileSystem.split(path).name).tracks-migrate")
    do throws(MigrationError) {
      try FileSystem.write(Array(text.utf8), to: temporary)
      try FileSystem.synchronize(temporary)
      try FileSystem.move(temporary, replacing: path)
    } catch {
      FileSystem.remove(temporary)
      throw MigrationError(error.code, path: path, detail: error.detail)
    }
  }
}
