/// The place in a document, as far as it is JSON: only where a parser reads a key can text be one.
///
/// A text may begin as JSON by chance, with a bracket, and quote a phrase before a colon. A parser reads nothing behind the
/// first token that does not fit, so nothing there is a key.
struct JSONPlace {
  private enum Next {
    case value, firstValue, key, firstKey, colon, comma, nothing
  }

  private var next = Next.value
  /// Whether each open container is an object.
  private var containers: [Bool] = []

  /// Whether a text is a key if it stands here, before a colon and a value.
  var expectsKey: Bool { next == .key || next == .firstKey }

  /// Notes a key.
  mutating func takeKey() { next = expectsKey ? .colon : .nothing }

  /// Notes a value that is not a container.
  mutating func takeValue() {
    guard next == .value || next == .firstValue else { return next = .nothing }
    endValue()
  }

  /// Notes what no document has here.
  mutating func fail() { next = .nothing }

  /// Notes a sign between values.
  mutating func take(_ sign: UInt8) {
    switch (sign, next) {
    case (UInt8(ascii: "{"), .value), (UInt8(ascii: "{"), .firstValue):
      containers.append(true)
      next = .firstKey
    case (UInt8(ascii: "["), .value), (UInt8(ascii: "["), .firstValue):
      containers.append(false)
      next = .firstValue
    case (UInt8(ascii: ":"), .colon): next = .value
    case (UInt8(ascii: ","), .comma) where !containers.isEmpty: next = containers.last == true ? .key : .value
    case (UInt8(ascii: "}"), .comma) where containers.last == true, (UInt8(ascii: "}"), .firstKey),
      (UInt8(ascii: "]"), .comma) where containers.last == false, (UInt8(ascii: "]"), .firstValue):
      containers.removeLast()
      endValue()
    default: next = .nothing
    }
  }

  private mutating func endValue() { next = containers.isEmpty ? .nothing : .comma }
}
