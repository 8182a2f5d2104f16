internal import Foundation

/// Small helpers for files.
public enum Files {
  /// The names in a folder, sorted, hidden ones included.
  public static func listing(_ path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  /// Whether there is something under this path.
  public static func exists(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path)) != nil
  }

  /// All bytes of a file.
  public static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

  /// The first bytes of a file.
  public static func bytes(_ path: String, limit: Int) throws -> [UInt8] {
    let handle = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? handle.close() }
    return Array(try handle.read(upToCount: limit) ?? Data())
  }

  /// Which file it is, its size, and when it was last changed.
  public static func status(_ path: String) throws -> [String] {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return [.systemFileNumber, .size, .modificationDate].map { (key: FileAttributeKey) in "\(attributes[key] ?? "")" }
  }

  /// All of a file as text.
  public static func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

  /// The lines of a file of rejects, without what they come from, which differs from one folder to the next.
  public static func rejects(_ path: String) throws -> String { withoutOrigin(try text(path)) }

  /// Lines of rejects without what they come from.
  public static func withoutOrigin(_ lines: String) -> String { lines.replacing(#/,"library":.*}/#, with: "}") }

  /// Writes a file.
  public static func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

  /// Writes a text file.
  public static func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }

  /// Gives a file another size; what is added reads as zeros, and takes no room.
  public static func resize(_ path: String, to byteCount: UInt64) throws {
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.truncate(atOffset: byteCount)
    try handle.close()
  }

  /// Copies a file.
  public static func copy(_ path: String, to other: String) throws {
    try FileManager.default.copyItem(atPath: path, toPath: other)
  }

  /// Removes a file; one that is not there is no failure.
  public static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  /// Makes a symbolic link.
  public static func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  /// Gives a file a second name.
  public static func hardLink(_ path: String, to target: String) throws {
    try FileManager.default.linkItem(atPath: target, toPath: path)
  }

  /// Sets who may read and write a file.
  public static func setPermissions(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// The number of the file, which all its names share.
  public static func fileNumber(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int ?? -1
  }

  /// A short fingerprint of bytes, for messages (FNV-1a).
  public static func checksum(_ bytes: [UInt8]) -> String {
    let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }
}
