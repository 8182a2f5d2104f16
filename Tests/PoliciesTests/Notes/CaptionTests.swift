import TestSupport
import Testing

@testable import Policies

struct CaptionTests {
  private static func letters(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test(arguments: [0, 1, 79, 80]) func `A short body becomes the whole caption`(length: Int) {
    #expect(Caption.of(Self.letters(length)) == Self.letters(length))
  }

  @Test(arguments: [81, 82, 1000]) func `A long body is cut after 80 UTF-16 units`(length: Int) {
    #expect(Caption.of(Self.letters(length)) == Self.letters(80))
  }

  @Test func `A missing body gives an empty caption`() {
    #expect(Caption.of(nil) == "")
  }

  @Test func `A surrogate pair at the limit is either kept whole or left out`() {
    #expect(Caption.of(Self.letters(78) + "😀y") == Self.letters(78) + "😀")
    #expect(Caption.of(Self.letters(79) + "😀y") == Self.letters(79))
    #expect(Caption.of(String(repeating: "😀", count: 41)) == String(repeating: "😀", count: 40))
  }

  @Test func `A composed character can be split, as NSString splits it`() {
    #expect(Array(Caption.of(Self.letters(79) + "e\u{301}").utf16) == Array((Self.letters(79) + "e").utf16))
    #expect(Caption.of(Self.letters(79) + "\r\n").utf16.count == 80)
  }

  @Test func `A caption is the longest valid prefix of any body`() {
    var random = SeededGenerator(seed: 80)
    let scalars: [Unicode.Scalar] = ["a", "é", "\u{301}", "\n", "\0", "漢", "😀", "\u{200D}", "\u{10FFFF}"]
    for _ in 0..<500 {
      let body = String(
        String.UnicodeScalarView(
          (0..<Int.random(in: 0...120, using: &random)).map { _ in scalars.randomElement(using: &random) ?? "a" }))
      let caption = Array(Caption.of(body).utf16)
      let units = Array(body.utf16)
      let isSplit = units.count > 80 && UTF16.isTrailSurrogate(units[80])
      #expect(caption == Array(units.prefix(isSplit ? 79 : 80)))
    }
  }
}
