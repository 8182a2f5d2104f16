public import Diagnostics
internal import Foundation
internal import PersistentStore

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
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      throw MigrationError(.cannotCreate, path: path, detail: (error as NSError).localizedDescription)
    }
    do {
      try Data(text.utf8).write(to: URL(filePath: "\(path)/contents"), options: .withoutOverwriting)
    } catch {
      // The folder is our own and has nothing else in it.
      try? FileManager.default.removeItem(atPath: path)
      throw MigrationError(.cannotCreate, path: path, detail: (error as NSError).localizedDescription)
    }
  }
}
