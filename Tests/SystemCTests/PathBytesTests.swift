import SystemC
import TestSupport
import Testing

@Suite("The text of a path")
struct PathBytesTests {
  @Test func `Text gives back the path's bytes, and no two paths have the same text`() {
    var generator = SeededGenerator(seed: 20_250_701)
    // Parts of UTF-8 sequences of every length, including those of the scalars that stand for bytes.
    let pool: [UInt8] = [0x2F, 0x41, 0x80, 0x8F, 0xBE, 0xBF, 0xA9, 0xC3, 0xC0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xFF]
    var bytesByText: [[UInt8]: [UInt8]] = [:]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
        Bool.random(using: &generator)
          ? pool[Int.random(in: 0..<pool.count, using: &generator)] : UInt8.random(in: 1...255, using: &generator)
      }
      let text = String(pathBytes: bytes)
      #expect(text.pathBytes == bytes)
      #expect(bytesByText.updateValue(bytes, forKey: Array(text.utf8)).map { $0 == bytes } ?? true)
    }
  }

  @Test(arguments: ["", "Library.sqlite", "ünïcödé 🎵", "e\u{301}", "\u{FFFD}", "\u{10FF7F}", "\u{F8FF}"])
  func `Text of a UTF-8 path is the path itself`(path: String) {
    #expect(Array(String(pathBytes: Array(path.utf8)).utf8) == Array(path.utf8))
    #expect(path.pathBytes == Array(path.utf8))
    #expect(path.spellingPathBytes == path)
  }

  @Test func `Text has a scalar for each byte that is not UTF-8`() {
    #expect(Array(String(pathBytes: [0x4C, 0xE9, 0x2E]).unicodeScalars) == ["L", "\u{10FFE9}", "."])
    // A name that really contains such a scalar has other text.
    #expect(String(pathBytes: Array("\u{10FFE9}".utf8)) == "\u{10FFF4}\u{10FF8F}\u{10FFBF}\u{10FFA9}")
  }

  @Test(arguments: [
    ("L\u{10FFE9}.sqlite", #"L\xE9.sqlite"#), (#"L\xE9.sqlite"#, #"L\\xE9.sqlite"#), (#"AC\DC"#, #"AC\DC"#),
    ("\\\u{10FFE9}", #"\\\xE9"#), (#"\xZZ"#, #"\xZZ"#), (#"\x41"#, #"\x41"#), ("\\", "\\"),
  ])
  func `A path is spelled legibly`(path: String, spelling: String) {
    #expect(path.spellingPathBytes == spelling)
  }

  @Test func `Each spelling is unique and can be read back`() {
    var texts: [String] = [""]
    var spellings: Set<String> = []
    for _ in 0...6 {
      for text in texts {
        let spelling = text.spellingPathBytes
        #expect(spellings.insert(spelling).inserted, "\(spelling)")
        #expect(String(spellingOfPathBytes: spelling) == text)
      }
      texts = texts.flatMap { text in ["\\", "x", "E", "9", "\u{10FFE9}"].map { text + $0 } }
    }
  }
}
