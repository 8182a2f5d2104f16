import JSONStream

/// Records the events as text, such as `{ k(a) [ n(1) s(b) true null ] }`.
///
/// A truncated value ends with `…`.
final class EventRecorder: JSONVisitor {
  private(set) var events: [String] = []
  /// Keys whose values are skipped.
  var skippedKeys: Set<String> = []

  /// Keys whose values are skipped unless they are `null`.
  var nullKeys: Set<String> = []

  /// Whether documents may be read by `PlainDocument` first.
  private let startsOver: Bool

  init(startsOver: Bool = false) { self.startsOver = startsOver }

  override var canStartOver: Bool { startsOver }
  override func startOver() { reset() }

  var text: String { events.joined(separator: " ") }

  func reset() { events = [] }

  override func startObject() { events.append("{") }
  override func endObject() { events.append("}") }
  override func startArray() { events.append("[") }
  override func endArray() { events.append("]") }
  override func boolean(_ value: Bool) { events.append("\(value)") }
  override func null() { events.append("null") }

  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    let name = Self.printable(utf8)
    events.append("k(\(name))")
    return skippedKeys.contains(name) ? .skip : nullKeys.contains(name) ? .skipUnlessNull : .enter
  }

  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) {
    events.append("s(\(Self.printable(utf8))\(isTruncated ? "…" : ""))")
  }

  override func number(_ text: UnsafeRawBufferPointer) { events.append("n(\(Self.printable(text)))") }

  /// Returns the bytes as text, with control characters and malformed UTF-8 as `<00>`.
  static func printable(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      return bytes.map(hexadecimal).joined()
    }
    return text.unicodeScalars
      .map { $0.value < 0x20 || $0.value == 0x7f ? hexadecimal(UInt8($0.value)) : String($0) }
      .joined()
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    "<" + (byte < 16 ? "0" : "") + String(byte, radix: 16) + ">"
  }
}
