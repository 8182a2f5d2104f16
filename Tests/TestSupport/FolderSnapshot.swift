/// What is in a folder at one moment, except in the `-shm` files, which hold nothing but locks.
public struct FolderSnapshot: Equatable, Sendable, CustomStringConvertible {
  /// The bytes of every file by its name; folders have none.
  public let contents: [String: [UInt8]]

  /// Reads a folder.
  public init(_ path: String) throws {
    var contents: [String: [UInt8]] = [:]
    for name in try Files.listing(path) {
      contents[name] = name.hasSuffix("-shm") ? [] : (try? Files.bytes("\(path)/\(name)")) ?? []
    }
    self.contents = contents
  }

  /// One line for each file.
  public var description: String {
    contents.sorted { $0.key < $1.key }
      .map { "\($0.key): \($0.value.count) bytes, hash \(Files.checksum($0.value))" }
      .joined(separator: "\n")
  }
}
