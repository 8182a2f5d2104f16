/// A text that is compared by its UTF-8 bytes instead of by Unicode's canonical equivalence.
struct ByteKey: Hashable {
  private let text: String

  init(_ text: String) { self.text = text }

  static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
