import JSONStream
import Testing

@Suite struct LimitTests {
  @Test(arguments: [1, 2, 127, 128, 129, 200_000, 999_999, 1_000_000])
  func `Documents can nest up to the limit`(_ depth: Int) {
    let document = Array(repeating: UInt8(ascii: "["), count: depth) + Array(repeating: UInt8(ascii: "]"), count: depth)
    let parser = JSONStreamParser(visitor: JSONVisitor(), limits: JSONStreamLimits(maximumDepth: depth))
    #expect(throws: Never.self) { try parser.parse(document) }
    #expect(throws: JSONStreamError(.tooDeep, byteOffset: depth)) { try parser.parse([0x5b] + document + [0x5d]) }
    #expect(throws: Never.self) { try parser.parse(document) }
  }

  @Test func `A million objects can nest`() {
    let depth = 999_999
    let document =
      Array(repeatElement(Array(#"{"a":"#.utf8), count: depth).joined()) + [0x31] + Array(repeating: 0x7d, count: depth)
    let parser = JSONStreamParser(visitor: JSONVisitor())
    #expect(throws: Never.self) { try parser.parse(document) }
    #expect(throws: JSONStreamError(.truncated, byteOffset: document.count - 1)) {
      try parser.parse(document.dropLast())
    }
  }

  @Test(arguments: [
    ("[[1]]", 2, "[ [ n(1) ] ]"),
    ("[[[1]]]", 2, "[ [ ! tooDeep@2"),
    ("[1, {\"a\": []}]", 2, "[ n(1) { k(a) ! tooDeep@10"),
    ("1", 0, "n(1)"),
    ("[]", 0, " ! tooDeep@0"),
    ("[]", -1, " ! tooDeep@0"),
    ("[] []", 1, "[ ] ! trailingBytes@3"),
    ("[[],[],[]]", 2, "[ [ ] [ ] [ ] ]"),
    ("{\"skip\":[[]]}", 2, "{ k(skip) [ ! tooDeep@9"),
  ])
  func `Deeper nesting than the limit is refused`(_ text: String, _ depth: Int, _ outcome: String) {
    check(text, JSONStreamLimits(maximumDepth: depth), outcome)
  }

  @Test(arguments: [
    ("12345678", 8, "n(12345678)"),
    ("123456789", 8, " ! tooLong@8"),
    ("[123456789]", 8, "[ ! tooLong@9"),
    ("[1,-12345.78901]", 8, "[ n(1) ! tooLong@11"),
    ("[12345678,1]", 8, "[ n(12345678) n(1) ]"),
    ("[123456789x]", 8, "[ ! tooLong@9"),
    ("[1x23456789]", 8, "[ n(1) ! syntax@2"),
    ("[xxxxxxxxxxx]", 8, "[ ! syntax@1"),
    ("true", 3, " ! tooLong@3"),
    ("[1] 123456789", 8, "[ n(1) ] ! trailingBytes@4"),
    ("1", 0, " ! tooLong@0"),
    ("[]", 0, "[ ]"),
  ])
  func `Numbers longer than the limit are refused`(_ text: String, _ limit: Int, _ outcome: String) {
    check(text, JSONStreamLimits(maximumTokenBytes: limit), outcome)
  }

  @Test(arguments: [
    ("[1,2]", 5, "[ n(1) n(2) ]"),
    ("[1,2]", 4, "[ n(1) ! tooLong@4"),
    ("[1,2]", 0, " ! tooLong@0"),
    ("[1,,2]", 4, "[ n(1) ! syntax@3"),
    ("[1] ", 3, "[ n(1) ] ! tooLong@3"),
    ("[1]]]", 4, "[ n(1) ] ! trailingBytes@3"),
    ("\"é\"", 2, " ! tooLong@2"),
    ("\"\\ud83d\\ude00\"", 9, " ! tooLong@9"),
    ("", 0, " ! empty@0"),
    ("   ", 2, " ! tooLong@2"),
  ])
  func `Documents longer than the limit are refused`(_ text: String, _ limit: Int, _ outcome: String) {
    check(text, JSONStreamLimits(maximumBytes: limit), outcome)
  }

  @Test func `Negative limits mean zero`() {
    var limits = JSONStreamLimits()
    limits.maximumDepth = -1
    limits.maximumTokenBytes = .min
    check("{}", limits, " ! tooDeep@0")
    check("\"a\"", limits, "s(…)")
    limits.maximumBytes = -1
    check("1", limits, " ! tooLong@0")
  }

  private func check(_ text: String, _ limits: JSONStreamLimits, _ outcome: String) {
    let document = Array(text.utf8)
    #expect(Outcome.whole(document, limits: limits).description == outcome)
    for cuts in Outcome.allCuts(document.count) {
      #expect(Outcome.pieces(document, cuts: cuts, limits: limits).description == outcome, "cuts: \(cuts)")
    }
  }
}
