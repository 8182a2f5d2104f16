/// The bytes that are hashed.
struct HashMessage {
  private(set) var bytes: [UInt8] = []

  var sha256: [UInt8] { Digest.sha256(bytes) }

  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func append(_ hash: [UInt8]) { bytes.append(contentsOf: hash) }

  mutating func append(byte: UInt8) { bytes.append(byte) }

  mutating func append<Integer: FixedWidthInteger>(_ value: Integer) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}
