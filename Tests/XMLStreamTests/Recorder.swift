import XMLStream

/// Records the events of a parser.
struct Recorder: XMLVisitor {
  typealias Failure = Refusal

  /// A failure: invalid XML, or an element name that is not wanted.
  enum Refusal: Error, Equatable {
    case xml(XMLStreamError)
    case unwanted(String)
  }

  var events: [String] = []
  private var text = ""

  static func failure(_ error: XMLStreamError, line: Int) -> Refusal { .xml(error) }

  mutating func begin(_ name: String, _ attributes: [String: String], line: Int) throws(Refusal) {
    guard name != "unwanted" else { throw .unwanted(name) }
    endText()
    let words = attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    events.append(([name] + words).joined(separator: " ") + " @\(line)")
  }

  mutating func append(_ text: String, line: Int) { self.text += text }

  mutating func end(line: Int) {
    endText()
    events.append("/ @\(line)")
  }

  /// A text may come in any number of pieces.
  private mutating func endText() {
    if !text.isEmpty { events.append("'\(text)'") }
    text = ""
  }
}
