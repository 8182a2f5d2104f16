import JSONStream
import TestSupport
import Testing

/// Random documents, whose contents or errors must equal those of a simple reader, down to the byte offset.
struct DocumentDifferentialTests {
  @Test func `Documents are read like a simple parser reads them, however they are cut`() throws {
    try Differential.run("documents", count: 800, kinds: ["read", "json_syntax", "json_truncated"]) { seed in
      var random = SeededGenerator(seed: seed ^ 0xD0C)
      let bytes = RandomDocument.make(&random)
      let expected: String
      let kind: String
      do throws(PlainJSON.Fault) {
        (expected, kind) = (try PlainJSONReader.read(bytes).events, "read")
      } catch {
        (expected, kind) = ("\(error.code) at \(error.offset)", error.code)
      }
      let visitor = EventWriter()
      let parser = JSONStreamParser(visitor: visitor)
      var outcomes = [outcome(visitor) { () throws(JSONStreamError) in try parser.parse(bytes) }]
      let step = random.number(1...7)
      outcomes.append(
        outcome(visitor) { () throws(JSONStreamError) in
          parser.begin()
          for start in stride(from: 0, to: bytes.count, by: step) {
            try parser.append(Array(bytes[start..<min(start + step, bytes.count)]))
          }
          try parser.finish()
        })
      for (outcome, way) in zip(outcomes, ["whole", "in pieces of \(step)"]) where outcome != expected {
        return .different("\(way): is \(outcome), expected \(expected): \(Cell.text(bytes)), \(bytes)")
      }
      return .same(kind)
    }
  }

  private func outcome(_ visitor: EventWriter, _ work: () throws(JSONStreamError) -> Void) -> String {
    visitor.events = ""
    do throws(JSONStreamError) {
      try work()
      return visitor.events
    } catch {
      return "\(Self.reason(error.code)) at \(error.byteOffset)"
    }
  }

  private static func reason(_ code: JSONStreamError.Code) -> String {
    switch code {
    case .empty: "empty_json"
    case .syntax: "json_syntax"
    case .truncated: "json_truncated"
    case .trailingBytes: "json_trailing_bytes"
    case .invalidUTF8: "json_invalid_utf8"
    case .loneSurrogate: "json_lone_surrogate"
    case .tooDeep: "json_too_deep"
    case .tooLong: "json_too_long"
    }
  }
}

/// Records the events of the parser.
private final class EventWriter: JSONVisitor {
  var events = ""

  override func startObject() { events += "{" }
  override func endObject() { events += "}" }
  override func startArray() { events += "[" }
  override func endArray() { events += "]" }
  override func number(_ text: UnsafeRawBufferPointer) { events += "number\(Array(text))" }
  override func boolean(_ value: Bool) { events += "boolean" }
  override func null() { events += "null" }

  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) { events += "string\(Array(utf8))" }

  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    events += "key\(Array(utf8))"
    return .enter
  }
}

extension PlainJSON {
  /// Returns the value as the events that a parser reports.
  fileprivate var events: String {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .number(let bytes): "number\(bytes)"
    case .string(let bytes): "string\(bytes)"
    case .array(let elements): "[\(elements.map(\.events).joined())]"
    case .object(let members): "{\(members.map { "key\($0.key)\($0.value.events)" }.joined())}"
    }
  }
}
