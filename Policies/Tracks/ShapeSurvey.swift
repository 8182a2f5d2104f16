internal import JSONStream

/// Surveys the top-level structure of documents: their keys, and the types of their values.
struct ShapeSurvey {
  private let visitor = ShapeVisitor()
  private let parser: JSONStreamParser
  private var head: [UInt8] = []
  private var example: String?

  init() { parser = JSONStreamParser(visitor: visitor) }

  /// Starts a document, which was read before without an error.
  mutating func begin() {
    parser.begin()
    visitor.begin()
    head.removeAll()
  }

  /// Reads a piece of the document.
  mutating func read(_ piece: UnsafeRawBufferPointer) {
    if head.count < Self.headLength { head += piece.prefix(Self.headLength - head.count) }
    try? parser.append(piece)
  }

  /// Ends a document; the first becomes the example, under this name.
  mutating func finish(_ name: String) {
    try? parser.finish()
    guard example == nil else { return }
    let text = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    example = "for example \(name): \(text.prefix(Self.exampleLength))\(text.count > Self.exampleLength ? "…" : "")"
  }

  private static let headLength = 1000
  private static let exampleLength = 160
  private static let keyLimit = 8

  /// The findings: the most common kind and keys, and an example.
  var lines: [String] { [shape, example].compactMap { $0 } }

  private var shape: String? {
    let total = visitor.kinds.reduce(0) { $0 + $1.count }
    guard let kind = visitor.kinds.max(by: { $0.count < $1.count }) else { return nil }
    let share = kind.count < total ? " (\(kind.count) of \(total) that were looked at)" : ""
    guard kind.name == "object" else { return "they are \(kind.name == "array" ? "an" : "a") \(kind.name)\(share)" }
    // In order of first appearance, which sorting preserves.
    let keys = visitor.keys.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
      .map(\.element)
    guard !keys.isEmpty else { return "they are an empty object\(share)" }
    let shown = keys.prefix(Self.keyLimit).map { key in
      let name = "\"\(key.name.prefix(40))\(key.name.count > 40 ? "…" : "")\""
      return "\(name) (\(key.kind)\(key.count < kind.count ? ", in \(key.count) of \(kind.count)" : ""))"
    }
    let rest = keys.count - shown.count
    return "their keys are \(shown.joined(separator: ", "))\(rest > 0 ? " and \(rest) more" : "")\(share)"
  }
}

/// Counts what is at the top level of documents.
private final class ShapeVisitor: JSONVisitor {
  struct Kind {
    let name: String
    var count = 1
  }

  struct Key {
    let name: String
    /// The kind of the first value.
    let kind: String
    var count = 1
  }

  private(set) var kinds: [Kind] = []
  private(set) var keys: [Key] = []
  private var places: [[UInt8]: Int] = [:]
  private var depth = 0
  private var currentKey: [UInt8]?

  /// No real document has more meaningful keys.
  private static let keyLimit = 1000

  func begin() { (depth, currentKey) = (0, nil) }

  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    guard depth == 1, utf8.count <= 1000 else { return .skip }
    currentKey = Array(utf8)
    return .enter
  }

  override func startObject() { begin("object") }
  override func endObject() { depth -= 1 }
  override func startArray() { begin("array") }
  override func endArray() { depth -= 1 }
  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) { note("string") }
  override func number(_ text: UnsafeRawBufferPointer) { note("number") }
  override func boolean(_ value: Bool) { note("boolean") }
  override func null() { note("null") }

  private func begin(_ kind: String) {
    note(kind)
    depth += 1
  }

  private func note(_ kind: String) {
    if depth == 0 {
      if let place = kinds.firstIndex(where: { $0.name == kind }) {
        kinds[place].count += 1
      } else {
        kinds.append(Kind(name: kind))
      }
    }
    guard depth == 1, let key = currentKey else { return }
    currentKey = nil
    if let place = places[key] {
      keys[place].count += 1
    } else if keys.count < Self.keyLimit {
      places[key] = keys.count
      keys.append(Key(name: String(decoding: key, as: UTF8.self), kind: kind))
    }
  }
}

/// A few keys of rows, spread evenly over all that were added, however many there are.
struct SpreadSample {
  private(set) var keys: [Int64] = []
  private var count = 0
  private var step = 1

  private static let limit = 128

  mutating func add(_ key: Int64) {
    defer { count += 1 }
    guard count.isMultiple(of: step) else { return }
    keys.append(key)
    guard keys.count == Self.limit else { return }
    keys = stride(from: 0, to: Self.limit, by: 2).map { keys[$0] }
    step *= 2
  }
}
