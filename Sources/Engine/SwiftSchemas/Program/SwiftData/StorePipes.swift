/// The pipes to the command, which has the store that it migrates.
final class StorePipes: StoreConnection, Sendable {
  private let input: Int32
  private let output: Int32

  init(input: Int32, output: Int32) { (self.input, self.output) = (input, output) }

  func send(_ message: WireValue) {
    var bytes = message.frame[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // The command has ended, and with it the migration.
      guard count > 0 else { exit(70) }
      bytes = bytes.dropFirst(count)
    }
  }

  func receive() -> WireValue {
    let length = WireValue.length(receive(4))
    guard let value = WireValue(receive(length)) else { exit(70) }
    return value
  }

  private func receive(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      while size < count {
        let found = buffer.baseAddress.map { read(input, $0 + size, count - size) } ?? 0
        if found < 0, errno == EINTR { continue }
        guard found > 0 else { exit(70) }
        size += found
      }
    }
  }
}
