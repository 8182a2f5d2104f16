/// A value on its way between the command and the program of an app's stages, which are both compiled with this file.
enum WireValue: Equatable {
  case none
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  /// Seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  case text(String)
  case url(String)
  case data([UInt8])
  case uuid([UInt8])
  case list([WireValue])

  /// The bytes of the value, after their number.
  var frame: [UInt8] {
    var bytes: [UInt8] = [0, 0, 0, 0]
    write(to: &bytes)
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: bytes.count - 4).littleEndian) {
      bytes.replaceSubrange(0..<4, with: $0)
    }
    return bytes
  }

  /// The number of bytes of a frame after the first four.
  static func length(_ head: some Sequence<UInt8>) -> Int { head.reversed().reduce(0) { $0 << 8 | Int($1) } }

  private func write(to bytes: inout [UInt8]) {
    func number(_ tag: UInt8, _ value: UInt64) {
      bytes.append(tag)
      withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
    func sequence(_ tag: UInt8, _ content: some Collection<UInt8>) {
      number(tag, UInt64(content.count))
      bytes.append(contentsOf: content)
    }
    switch self {
    case .none: bytes.append(0)
    case .boolean(let value): bytes.append(value ? 2 : 1)
    case .integer(let value): number(3, UInt64(bitPattern: value))
    case .double(let value): number(4, value.bitPattern)
    case .date(let value): number(5, value.bitPattern)
    case .text(let value): sequence(6, value.utf8)
    case .url(let value): sequence(7, value.utf8)
    case .data(let value): sequence(8, value)
    case .uuid(let value): sequence(9, value)
    case .list(let values):
      number(10, UInt64(values.count))
      for value in values { value.write(to: &bytes) }
    }
  }

  /// Reads a frame's bytes; `nil` if they are not a value.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    guard let value = Self.read(&rest, depth: 0), rest.isEmpty else { return nil }
    self = value
  }

  private static func read(_ bytes: inout ArraySlice<UInt8>, depth: Int) -> WireValue? {
    guard depth < 8, let tag = bytes.popFirst() else { return nil }
    if tag < 3 { return tag == 0 ? WireValue.none : .boolean(tag == 2) }
    guard bytes.count >= 8 else { return nil }
    let number = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    bytes = bytes.dropFirst(8)
    switch tag {
    case 3: return .integer(Int64(bitPattern: number))
    case 4: return .double(Double(bitPattern: number))
    case 5: return .date(Double(bitPattern: number))
    default: break
    }
    // Each element takes a byte at least.
    guard let count = Int(exactly: number), count <= bytes.count else { return nil }
    if tag == 10 {
      var values: [WireValue] = []
      for _ in 0..<count {
        guard let value = read(&bytes, depth: depth + 1) else { return nil }
        values.append(value)
      }
      return .list(values)
    }
    let content = bytes.prefix(count)
    bytes = bytes.dropFirst(count)
    switch tag {
    case 6: return .text(String(decoding: content, as: UTF8.self))
    case 7: return .url(String(decoding: content, as: UTF8.self))
    case 8: return .data(Array(content))
    case 9: return .uuid(Array(content))
    default: return nil
    }
  }
}

extension WireValue {
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var number: Int64? { if case .integer(let number) = self { number } else { nil } }
  var list: [WireValue]? { if case .list(let values) = self { values } else { nil } }
}
