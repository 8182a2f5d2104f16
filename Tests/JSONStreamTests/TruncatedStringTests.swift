import JSONStream
import Testing

@Suite struct TruncatedStringTests {
  /// Documents for a limit of eight bytes.
  static let examples: [JSONCase] = [
    JSONCase(#"["12345678"]"#, "[ s(12345678) ]"),
    JSONCase(#"["123456789"]"#, "[ s(12345678…) ]"),
    JSONCase(#"["123456789abcdefghi",1]"#, "[ s(12345678…) n(1) ]"),
    JSONCase(#""123456789""#, "s(12345678…)"),
    JSONCase(#" "123456789" "#, "s(12345678…)"),
    JSONCase(#"["1234567é"]"#, "[ s(1234567…) ]"),
    JSONCase(#"["123456é"]"#, "[ s(123456é) ]"),
    JSONCase(#"["12345😀"]"#, "[ s(12345…) ]"),
    JSONCase(#"["1234😀"]"#, "[ s(1234😀) ]"),
    JSONCase(#"["1234567\n"]"#, "[ s(1234567…) ]"),
    JSONCase(#"["123456\n8"]"#, "[ s(123456<0a>…) ]"),
    JSONCase(#"["1234567\"]"]"#, "[ s(1234567…) ]"),
    JSONCase(#"["123456\""]"#, #"[ s(123456") ]"#),
    JSONCase(#"["1234567\\"]"#, "[ s(1234567…) ]"),
    JSONCase(#"["123\u0041"]"#, "[ s(123…) ]"),
    JSONCase(#"["12\u0041"]"#, "[ s(12A) ]"),
    JSONCase(#"["\ud83d\ude00"]"#, "[ s(…) ]"),
    JSONCase(#"["1\ud83d\ude00x"]"#, "[ s(1…) ]"),
    JSONCase(#"["123456789\"\\\/\u00e9é😀\ud83d\ude00"]"#, "[ s(12345678…) ]"),
    JSONCase(#"{"123456789":[1,{"a":2}],"b":3}"#, "{ k(b) n(3) }"),
    JSONCase(#"{"123456789":"123456789","12345678":4}"#, "{ k(12345678) n(4) }"),
    JSONCase(#"{"a":"123456789","b":"123456789"}"#, "{ k(a) s(12345678…) k(b) s(12345678…) }"),
    // The rest is checked as strictly as the beginning.
    JSONCase(#"["123456789"#, "[ s(12345678…) ! truncated@11"),
    JSONCase(#"["123456789\"#, "[ s(12345678…) ! truncated@12"),
    JSONCase(#"["123456789\u12"#, "[ s(12345678…) ! truncated@15"),
    JSONCase(#"["123456789\ud83d"#, "[ s(12345678…) ! truncated@17"),
    JSONCase(#"["123456789\x"]"#, "[ s(12345678…) ! syntax@12"),
    JSONCase(#"["1234567\é"]"#, "[ s(1234567…) ! syntax@10"),
    JSONCase(#"["1234567\é\"\""]"#, "[ s(1234567…) ! syntax@10"),
    JSONCase(#"["1234567\u"]"#, "[ s(1234567…) ! syntax@11"),
    JSONCase(#"["123456\ 9"]"#, "[ ! syntax@9"),
    JSONCase(#"["12345\u0x"]"#, "[ ! syntax@10"),
    JSONCase(#"["1234\u00x"]"#, "[ ! syntax@10"),
    JSONCase(#"["123456789\u12x4"]"#, "[ s(12345678…) ! syntax@15"),
    JSONCase("[\"123456789\n\"]", "[ s(12345678…) ! syntax@11"),
    JSONCase("[\"123456789\u{0c}\"]", "[ s(12345678…) ! syntax@11"),
    JSONCase("[\"123456789\\é\"]", "[ s(12345678…) ! syntax@12"),
    JSONCase(#"["123456789\ud800"]"#, "[ s(12345678…) ! loneSurrogate@11"),
    JSONCase(#"["123456789\udc00"]"#, "[ s(12345678…) ! loneSurrogate@11"),
    JSONCase(#"["12345\ud800x"]"#, "[ ! loneSurrogate@7"),
    JSONCase(#"["1234567\ud800x"]"#, "[ ! loneSurrogate@9"),
    JSONCase(
      [0x22, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0xc3, 0x22], "s(12345678…) ! invalidUTF8@10"),
    JSONCase([0x22, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0xc3, 0x22], " ! invalidUTF8@9"),
    JSONCase("[\"1234567\n9\"]", "[ ! syntax@9"),
    JSONCase("[\"1234567\\x\"]", "[ s(1234567…) ! syntax@10"),
    JSONCase(#"["a" "123456789"]"#, "[ s(a) ! syntax@5"),
    JSONCase(#"["123456789"}"#, "[ s(12345678…) ! syntax@12"),
    JSONCase(#"["a"] "123456789"#, "[ s(a) ] ! trailingBytes@6"),
    JSONCase(#""123456789" 1"#, "s(12345678…) ! trailingBytes@12"),
    JSONCase(#"{"a":1 "123456789":2}"#, "{ k(a) n(1) ! syntax@7"),
  ]

  @Test(arguments: examples)
  func `Long strings are truncated and still checked`(_ example: JSONCase) {
    let limits = JSONStreamLimits(maximumTokenBytes: 8)
    #expect(Outcome.whole(example.document, limits: limits).description == example.outcome)
    for cuts in Outcome.allCuts(example.document.count) {
      let outcome = Outcome.pieces(example.document, cuts: cuts, limits: limits)
      #expect(outcome.description == example.outcome, "cuts: \(cuts)")
    }
  }

  @Test func `The default limit is one mebibyte`() {
    let whole = Array(repeating: UInt8(ascii: "x"), count: 1 << 20)
    for excess in 0...1 {
      let recorder = EventRecorder()
      let parser = JSONStreamParser(visitor: recorder)
      #expect(throws: Never.self) {
        try parser.parse([0x22] + whole + Array(repeating: UInt8(ascii: "y"), count: excess) + [0x22])
      }
      #expect(recorder.text.utf8.count == whole.count + 3 + excess * 3)
    }
  }
}
