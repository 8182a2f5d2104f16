public import Diagnostics
internal import PersistentStore
internal import SystemC

extension NamedModel {
  /// The model as Xcode's XML, the file `contents` of an `.xcdatamodel`.
  ///
  /// - Throws: `MigrationError` where a text of the model cannot be written in XML.
  public func xml() throws(MigrationError) -> String {
    do {
      return try model.xml()
    } catch {
      var failure = MigrationError(.unusableModel, path: name, detail: String(error.problem.dropLast()))
      failure.advice = error.advice
      throw failure
    }
  }

  /// Writes the model to a new `.xcdatamodel`, which Xcode can read.
  ///
  /// - Throws: `MigrationError`, `outputExists` where there is something at that path; nothing is overwritten.
  public func write(toNewFolder path: String) throws(MigrationError) {
    let text = try xml()
    guard !FileSystem.exists(path) else { throw MigrationError(.outputExists, path: path) }
    guard mkdir(path, 0o777) == 0 else { throw FileSystem.failure(.cannotCreate, path) }
    let contents = "\(path)/contents"
    do throws(MigrationError) {
      try FileSystem.write(Array(text.utf8), to: contents)
    } catch {
      // The folder is our own and has nothing else in it.
      unlink(contents)
      rmdir(path)
      throw MigrationError(error.code, path: path, detail: error.detail)
    }
  }
}
