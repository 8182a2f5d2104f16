import Foundation
import PersistentStore
import TestSupport

/// The contents of a store, including its external data files.
struct StoreContent: Equatable, Sendable {
  let rows: [String]
  /// The external data files by name.
  let values: [String: [UInt8]]

  /// Whether SQLite finds no damage.
  var isWhole: Bool { rows.first == "ok" }

  /// Reads a store as the next program will see it, after SQLite has rolled back unfinished changes.
  ///
  /// A copy is read, so the next run finds the files as they are.
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

  /// Makes the contents that stand for a store that cannot be read.
  init(unreadable error: any Error) {
    rows = ["unreadable: \(error)"]
    values = [:]
  }
}
