import JSONStream
import TestSupport
import Testing

@Suite struct ReuseTests {
  @Test func `One parser reads all documents in any order`() {
    let recorder = EventRecorder()
    let parser = JSONStreamParser(visitor: recorder)
    var generator = SeededGenerator(seed: 1)
    let examples = (ValidDocuments.all + InvalidDocuments.all).shuffled(using: &generator)
    for example in examples + examples.shuffled(using: &generator) {
      recorder.reset()
      var error: JSONStreamError?
      do {
        if Bool.random(using: &generator) {
          try parser.parse(example.document)
        } else {
          parser.begin()
          for byte in example.document { try parser.append([byte]) }
          try parser.finish()
        }
      } catch let thrown {
        error = thrown
      }
      let outcome = Outcome(events: recorder.text, error: error)
      #expect(outcome == Outcome.whole(example.document), "\(EventRecorder.printable(example.document))")
    }
  }

  @Test func `Pieces need no explicit beginning at first or after an end`() throws {
    let recorder = EventRecorder()
    let parser = JSONStreamParser(visitor: recorder)
    for _ in 0..<3 {
      try parser.append(Array("[1".utf8))
      try parser.append(Array(",2]".utf8))
      try parser.finish()
    }
    #expect(recorder.text == "[ n(1) n(2) ] [ n(1) n(2) ] [ n(1) n(2) ]")
  }

  @Test func `An error persists until the next beginning`() throws {
    let parser = JSONStreamParser(visitor: JSONVisitor())
    let error = JSONStreamError(.syntax, byteOffset: 1)
    #expect(throws: error) { try parser.append(Array("[,".utf8)) }
    #expect(throws: error) { try parser.append(Array("1]".utf8)) }
    #expect(throws: error) { try parser.finish() }
    #expect(throws: error) { try parser.finish() }
    parser.begin()
    try parser.append(Array("[1]".utf8))
    try parser.finish()
  }

  @Test func `Beginning a document discards an unfinished one`() throws {
    let recorder = EventRecorder()
    let parser = JSONStreamParser(visitor: recorder)
    for beginning in ["[[[", "{\"a\":\"b", "12", "\"\\ud83d", "[1,2,3]", "[1] ", ""] {
      parser.begin()
      try parser.append(Array(beginning.utf8))
      recorder.reset()
      try parser.parse("{\"c\":4}")
      #expect(recorder.text == "{ k(c) n(4) }")
    }
  }

  @Test func `Empty pieces have no effect`() throws {
    let parser = JSONStreamParser(visitor: JSONVisitor())
    for piece in ["", "\u{feff}", "", "[", "", "]", ""] { try parser.append(Array(piece.utf8)) }
    try parser.finish()
    #expect(throws: JSONStreamError(.empty, byteOffset: 0)) { try parser.finish() }
    parser.begin()
    #expect(throws: JSONStreamError(.empty, byteOffset: 0)) {
      try parser.parse(UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  @Test func `A document of many slices is read as one`() throws {
    // The parser works in slices of 64 KiB. No value may be lost at a boundary.
    let numbers = (0..<100_000).map { "\($0),\"é\($0)\\n\"" }
    let document = Array("[\(numbers.joined(separator: ", "))]".utf8)
    let events = "[ " + (0..<100_000).map { "n(\($0)) s(é\($0)<0a>)" }.joined(separator: " ") + " ]"
    #expect(document.count > 1 << 20)
    #expect(Outcome.whole(document) == Outcome(events: events))
    let cuts = Array(stride(from: 65_535, to: document.count, by: 65_537))
    #expect(Outcome.pieces(document, cuts: cuts) == Outcome(events: events))
    let broken = document.dropLast() + Array(" x]".utf8)
    #expect(Outcome.whole(Array(broken)).error == JSONStreamError(.syntax, byteOffset: document.count))
  }
}
