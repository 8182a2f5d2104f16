import Foundation
import TestSupport

/// A change to a file or folder, as recorded by the injector.
enum FileOperation: Sendable {
  case write(file: UInt64, offset: Int, bytes: [UInt8])
  case truncate(file: UInt64, size: Int)
  case mode(file: UInt64, Int)
  /// Everything written to a file or folder so far is synced.
  case sync(file: UInt64)
  case create(String, file: UInt64, mode: Int)
  case makeFolder(String, file: UInt64, mode: Int)
  case remove(String)
  case rename(String, to: String)
  case link(String, to: String)

  /// Reads a record.
  ///
  /// - Parameter root: The folder that paths are relative to.
  static func all(recordedIn path: String, root: String) throws -> [FileOperation] {
    var reader = RecordReader(bytes: try RawFile.read(path), root: root)
    var operations: [FileOperation] = []
    while let entry = try reader.next() {
      if let operation = try FileOperation(entry, root: root) { operations.append(operation) }
    }
    return operations
  }

  /// - Returns: `nil` for operations that do not affect a migration's safety.
  private init?(_ entry: RecordReader.Entry, root: String) throws {
    switch entry.operation {
    case "w": self = .write(file: entry.file, offset: entry.offset, bytes: entry.rest)
    case "t": self = .truncate(file: entry.file, size: entry.offset)
    case "m": self = .mode(file: entry.file, entry.offset)
    case "s": self = .sync(file: entry.file)
    case "c": self = .create(entry.path, file: entry.file, mode: entry.offset)
    case "d": self = .makeFolder(entry.path, file: entry.file, mode: entry.offset)
    case "u": self = .remove(entry.path)
    case "r": self = .rename(entry.path, to: entry.otherPath)
    case "l": self = .link(entry.path, to: entry.otherPath)
    case "o": return nil
    default: throw SceneFailure(description: "the record knows nothing of the call \(entry.path)")
    }
  }
}

/// A parser of records.
private struct RecordReader {
  struct Entry {
    var operation: Character
    var file: UInt64
    var offset: Int
    var path: String
    var rest: [UInt8]
    var otherPath: String
  }

  let bytes: [UInt8]
  let root: String
  private var place = 0

  init(bytes: [UInt8], root: String) {
    self.bytes = bytes
    self.root = root
  }

  mutating func next() throws -> Entry? {
    guard place < bytes.count else { return nil }
    let operation = Character(UnicodeScalar(try take(8).first ?? 0))
    let (file, offset) = (try integer(8), try integer(8))
    let (pathLength, restLength) = (Int(try integer(4)), Int(try integer(4)))
    let path = try take(pathLength)
    let rest = try take(restLength)
    return Entry(
      operation: operation, file: file, offset: Int(offset), path: relative(path), rest: Array(rest),
      otherPath: "rl".contains(operation) ? relative(rest) : "")
  }

  private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
    guard place + count <= bytes.count else { throw SceneFailure(description: "the record breaks off") }
    defer { place += count }
    return bytes[place..<place + count]
  }

  private mutating func integer(_ count: Int) throws -> UInt64 {
    // In this machine's byte order, because the record was written here.
    try take(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func relative(_ path: some Sequence<UInt8>) -> String {
    let path = String(decoding: Array(path), as: UTF8.self)
    return path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : path
  }
}
