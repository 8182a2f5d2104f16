internal import Foundation
internal import SystemC
internal import XMLStream

/// Reads the files of models, none of them larger than a model can be.
package enum ModelFiles {
  /// Compiled models grow a little with every copy of an inherited property; those of Apple's own apps have about one
  /// megabyte.
  package static let archiveSizeLimit = 64 << 20

  package static func read(_ path: String, limit: Int = XMLStreamLimits.size) throws(ModelFileError) -> [UInt8] {
    // Bundles may well be folders of links, as some build systems make them.
    let descriptor = openRegularFile(path, O_RDONLY, followsLinks: true)
    guard descriptor >= 0 else { throw ModelFileError(.unreadable(openingFailure(errno)), file: path) }
    let data: Data?
    do {
      data = try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).read(upToCount: limit + 1)
    } catch {
      throw ModelFileError(.unreadable((error as NSError).localizedDescription), file: path)
    }
    let bytes = Array(data ?? Data())
    guard bytes.count <= limit else { throw ModelFileError(.tooLarge(limit: limit), file: path) }
    return bytes
  }

  /// The names in a directory.
  static func list(_ path: String) throws(ModelFileError) -> [String] {
    guard let names = names(inFolder: path) else { throw failure(path) }
    return names
  }

  /// Whether there is something at a path.
  static func exists(_ path: String) -> Bool { isDirectory(path) != nil }

  /// Whether a path leads to a directory; `nil` when it leads nowhere.
  static func isDirectory(_ path: String) -> Bool? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT == S_IFDIR : nil
  }

  private static func failure(_ path: String) -> ModelFileError {
    ModelFileError(.unreadable(String(cString: strerror(errno))), file: path)
  }
}
