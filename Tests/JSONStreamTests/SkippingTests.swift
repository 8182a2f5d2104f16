import JSONStream
import Testing

@Suite struct SkippingTests {
  @Test(arguments: [
    (#"{"x":1,"b":2}"#, "{ k(x) k(b) n(2) }"),
    (#"{"x":"s","b":2}"#, "{ k(x) k(b) n(2) }"),
    (#"{"x":null,"b":2}"#, "{ k(x) k(b) n(2) }"),
    (#"{"x":true}"#, "{ k(x) }"),
    (#"{"x":[],"b":2}"#, "{ k(x) k(b) n(2) }"),
    (#"{"x":{},"b":2}"#, "{ k(x) k(b) n(2) }"),
    (#"{"x":[1,[2,{"x":3}],{"a":[{}]}],"b":[4]}"#, "{ k(x) k(b) [ n(4) ] }"),
    (#"{"a":{"x":{"a":1}},"b":2}"#, "{ k(a) { k(x) } k(b) n(2) }"),
    (#"[{"x":1},{"x":[1]},3]"#, "[ { k(x) } { k(x) } n(3) ]"),
    (#"{"x":1,"x":2,"a":{"x":{}}}"#, "{ k(x) k(x) k(a) { k(x) } }"),
    // Skipped values are checked all the same.
    (#"{"x":[1,,2]}"#, "{ k(x) ! syntax@8"),
    (#"{"x":"\ud800"}"#, "{ k(x) ! loneSurrogate@6"),
    (#"{"x":[1"#, "{ k(x) ! truncated@7"),
    (#"{"x":[]} 1"#, "{ k(x) } ! trailingBytes@9"),
  ])
  func `Skipped values are checked but not reported`(_ text: String, _ outcome: String) {
    let recorder = EventRecorder()
    recorder.skippedKeys = ["x"]
    let parser = JSONStreamParser(visitor: recorder)
    // Read twice, because no state of a skipped value may outlive its document.
    for _ in 0..<2 {
      recorder.reset()
      var error: JSONStreamError?
      do { try parser.parse(text) } catch let thrown { error = thrown }
      #expect(Outcome(events: recorder.text, error: error).description == outcome)
    }
  }

  @Test(
    arguments: [
      (#"{"x": null ,"b":2}"#, "{ k(x) null k(b) n(2) }"), (#"{"x":1,"b":null}"#, "{ k(x) k(b) null }"),
      (#"{"x":[null,{"a":null}],"b":2}"#, "{ k(x) k(b) n(2) }"), (#"{"x":{"x":null},"x":null}"#, "{ k(x) k(x) null }"),
      (#"{"x":nil}"#, "{ k(x) ! syntax@6"), (#"{"x":"n\u0041"}"#, "{ k(x) }"),
    ], [false, true])
  func `A value can be skipped unless it is null`(_ document: (text: String, outcome: String), startsOver: Bool) {
    let recorder = EventRecorder(startsOver: startsOver)
    recorder.nullKeys = ["x"]
    let parser = JSONStreamParser(visitor: recorder)
    for _ in 0..<2 {
      recorder.reset()
      var error: JSONStreamError?
      do { try parser.parse(document.text) } catch let thrown { error = thrown }
      #expect(Outcome(events: recorder.text, error: error).description == document.outcome)
    }
  }

  @Test func `An unfinished skipped value does not mute the next document`() {
    let recorder = EventRecorder()
    recorder.skippedKeys = ["x"]
    let parser = JSONStreamParser(visitor: recorder)
    #expect(throws: JSONStreamError.self) { try parser.parse(#"{"x":[[[["#) }
    recorder.reset()
    #expect(throws: Never.self) { try parser.parse(#"{"a":[1]}"#) }
    #expect(recorder.text == "{ k(a) [ n(1) ] }")
  }
}
