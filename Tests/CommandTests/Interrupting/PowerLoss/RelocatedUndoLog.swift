import Foundation
import TestSupport

/// The list of what an interrupted run may have left, for the files of a folder to which they were copied.
///
/// After a real power cut, files are where they were, with the numbers and times by which the list knows them. In a
/// simulated one they are new files in another folder, so the list must name those.
struct RelocatedUndoLog {
  private(set) var bytes: [UInt8]

  /// - Parameters:
  ///   - bytes: The list as it was written, whole or not.
  ///   - oldRoot: The folder in which it was written.
  ///   - root: The folder with the copies.
  ///   - numbers: By the names of the copies, the numbers of the files that were copied.
  init(_ bytes: [UInt8], from oldRoot: String, to root: String, _ numbers: [String: UInt64]) {
    var fields = bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    for index in fields.indices where fields[index].hasPrefix(oldRoot + "/") {
      fields[index] = root + fields[index].dropFirst(oldRoot.count)
    }
    var copies: [UInt64: stat] = [:]
    for (name, number) in numbers {
      var status = stat()
      if lstat("\(root)/\(name)", &status) == 0 { copies[number] = status }
    }
    // Files that are gone have a number that no file has.
    if fields.count > 1, let number = UInt64(fields[1]), number != 0 {
      fields[1] = "\(copies[number].map { UInt64($0.st_ino) } ?? .max)"
    }
    for index in fields.indices.dropFirst(2) where ["file", "move", "restoration"].contains(fields[index - 1]) {
      let parts = fields[index].split(separator: " ")
      guard parts.count == 3, let copy = UInt64(parts[0]).flatMap({ copies[$0] }) else { continue }
      let time = Int64(copy.st_mtim.tv_sec) * 1_000_000_000 + Int64(copy.st_mtim.tv_nsec)
      fields[index] = "\(copy.st_ino) \(parts[1]) \(time)"
    }
    self.bytes = Array(fields.joined(separator: "\0").utf8)
  }
}

extension FolderImage {
  /// Lets what an interrupted run has left name the files of another folder, where this image was written to.
  ///
  /// - Parameters:
  ///   - oldRoot: The folder in which the run was.
  ///   - known: The files from before the run.
  func relocate(of disk: SimulatedDisk, from oldRoot: String, to root: String, known: FolderImage) throws {
    // Rejects name the library, and are used again only if they are the same.
    for name in names.keys where name.contains(".rejects") && known.names[name] == nil {
      try Self.overwrite("\(root)/\(name)") { bytes in
        Array(String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: oldRoot, with: root).utf8)
      }
    }
    let numbers = names.compactMapValues(disk.recordedNumber)
    for name in names.keys where name.hasSuffix(".tracks-migrate.undo") {
      try Self.overwrite("\(root)/\(name)") { RelocatedUndoLog($0, from: oldRoot, to: root, numbers).bytes }
    }
  }

  /// Changes what is in a file, which stays the same file.
  private static func overwrite(_ path: String, _ change: ([UInt8]) -> [UInt8]) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    defer { try? file.close() }
    let bytes = change(Array(try file.readToEnd() ?? Data()))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: Data(bytes))
  }
}
