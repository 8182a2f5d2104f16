import Foundation
import PersistentStore
import TestSupport

/// Everything that a store says, the values that lie in files included.
struct StoreContent: Equatable, Sendable {
  let rows: [String]
  /// By name: the files of large values.
  let values: [String: [UInt8]]

  /// Whether SQLite finds nothing wrong.
  var isWhole: Bool { rows.first == "ok" }

  /// Reads a store as whoever opens it next will see it: after SQLite has rolled back what was not finished.
  ///
  /// That is done with a copy, so that the next run finds what this one has left.
  init(_ path: String, in image: FolderImage, root: String) throws {
    let copies = try TemporaryFolder(isInMemory: true)
    let name = String(path.dropFirst(root.count + 1))
    for suffix in ["", "-wal", "-journal"] {
      if let bytes = image.bytes(name + suffix) {
        try RawFile.write(bytes, mode: 0o600, to: copies.file("copy" + suffix))
      }
    }
    rows = try Database.dump(copies.file("copy"))
    let folder = ExternalDataFolder(ofStoreAt: path).path.dropFirst(root.count + 1) + "/"
    var values: [String: [UInt8]] = [:]
    for file in image.names.keys where file.hasPrefix(folder) {
      values[String(file.dropFirst(folder.count))] = image.bytes(file)
    }
    self.values = values
  }

  /// What is to be said of a store that cannot be read.
  init(unreadable error: any Error) {
    rows = ["unreadable: \(error)"]
    values = [:]
  }
}
