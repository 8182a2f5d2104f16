import JSONStream
import Testing

@Suite struct ErrorTests {
  @Test(arguments: [
    (JSONStreamError.Code.empty, "empty", "there is no JSON value, at byte 7"),
    (.syntax, "syntax", "the JSON is malformed, at byte 7"),
    (.truncated, "truncated", "the JSON ends too early, at byte 7"),
    (.trailingBytes, "trailingBytes", "something follows the JSON value, at byte 7"),
    (.invalidUTF8, "invalidUTF8", "the JSON is not valid UTF-8, at byte 7"),
    (.loneSurrogate, "loneSurrogate", "the JSON escapes half a surrogate pair, at byte 7"),
    (.tooDeep, "tooDeep", "the JSON is nested too deeply, at byte 7"),
    (.tooLong, "tooLong", "the JSON is longer than the limit, at byte 7"),
  ])
  func `Every code has a stable name and a description`(
    _ code: JSONStreamError.Code, _ name: String, _ description: String
  ) {
    #expect(code.rawValue == name)
    #expect(JSONStreamError(code, byteOffset: 7).description == description)
  }

  @Test func `The table of codes is complete`() {
    #expect(JSONStreamError.Code.allCases.count == 8)
  }
}
