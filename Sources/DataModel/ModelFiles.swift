internal import Foundation

/// Reads the files of models, none of them larger than a model can be.
enum ModelFiles {
  static func read(_ path: String) throws(ModelFileError) -> [UInt8] {
    let data: Data?
    do {
      let handle = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { try? handle.close() }
      data = try handle.read(upToCount: MarkupGuard.sizeLimit + 1)
    } catch {
      throw ModelFileError(.unreadable((error as NSError).localizedDescription), file: path)
    }
    let bytes = Array(data ?? Data())
    guard bytes.count <= MarkupGuard.sizeLimit else {
      throw ModelFileError(.tooLarge(limit: MarkupGuard.sizeLimit), file: path)
    }
    return bytes
  }

  /// The names in a directory.
  static func list(_ path: String) throws(ModelFileError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw ModelFileError(.unreadable((error as NSError).localizedDescription), file: path)
    }
  }
}
