internal import Diagnostics
internal import PersistentStore
internal import SystemC

/// Looks at which tracks a rejects file lists: `{"primaryKey":7,…}` on each line.
struct RejectsCheck {
  let path: String
  let log: DifferenceLog

  /// Compares the file with the tracks that it has to list.
  func run(expected: [Int64]) throws {
    let found = try keys().sorted()
    let expected = expected.sorted()
    var (missing, extra) = (expected[...], found[...])
    while !missing.isEmpty || !extra.isEmpty {
      if let key = missing.first, let other = extra.first, key == other {
        missing.removeFirst()
        extra.removeFirst()
      } else if let key = missing.first, extra.first.map({ key < $0 }) ?? true {
        try add(key) { $0.expected = "a line" }
        missing.removeFirst()
      } else if let key = extra.first {
        try add(key) { $0.found = "a line" }
        extra.removeFirst()
      }
    }
  }

  private func add(_ key: Int64, _ fill: (inout Difference) -> Void) throws {
    try log.add(.rejects) {
      ($0.entity, $0.row, $0.detail) = ("Track", key, FileSystem.split(path).name.spellingPathBytes)
      fill(&$0)
    }
  }

  /// The keys at the beginnings of the lines.
  private func keys() throws -> [Int64] {
    let descriptor = try FileSystem.openFile(path, O_RDONLY, orThrow: .unreadable)
    defer { close(descriptor) }
    let head = Array("{\"primaryKey\":".utf8)
    var keys: [Int64] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var line: [UInt8] = []
    // The longest head of interest: a key has at most twenty characters.
    let limit = head.count + 21
    while true {
      guard let count = FileSystem.read(descriptor, into: &buffer) else { throw FileSystem.failure(.inputOutput, path) }
      for byte in buffer.prefix(count) {
        if byte == UInt8(ascii: "\n") {
          keys.append(try key(line, head))
          line.removeAll(keepingCapacity: true)
        } else if line.count < limit {
          line.append(byte)
        }
      }
      if count == 0 { break }
    }
    if !line.isEmpty { keys.append(try key(line, head)) }
    return keys
  }

  private func key(_ line: [UInt8], _ head: [UInt8]) throws -> Int64 {
    let digits = line.dropFirst(head.count).prefix { $0 != UInt8(ascii: ",") }
    guard line.starts(with: head), let key = Int64(String(decoding: digits, as: UTF8.self)) else {
      throw MigrationError(.unreadable, path: path, detail: "a line does not begin with a primary key")
    }
    return key
  }
}
