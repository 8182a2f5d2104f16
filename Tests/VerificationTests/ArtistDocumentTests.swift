import JSONStream
import TestSupport
import Testing

@testable import TrackVerification

@Suite("The verification's document reader") struct ArtistDocumentTests {
  private static let presets = PresetEvaluation(.auto, roles: nil)

  /// Reads a document in pieces.
  private static func read(_ bytes: [UInt8], pieces: Int = 1) -> (outcome: DocumentReader.Outcome, names: [String]) {
    var document = DocumentReader(keys: presets.keys)
    document.begin()
    let length = max(1, (bytes.count + pieces - 1) / pieces)
    for start in stride(from: 0, to: bytes.count, by: length) {
      bytes[start..<min(start + length, bytes.count)].withUnsafeBytes { document.read($0) }
    }
    let outcome = document.finish()
    let mentions = presets.evaluate(document.tree).mentions
    return (
      outcome,
      mentions.named.map { mention in
        [mention.name, mention.id, mention.imageURL].map { range in
          range.map { String(decoding: mentions.bytes[$0], as: UTF8.self) } ?? "-"
        }.joined(separator: "|")
      } + Array(repeating: "?", count: mentions.namelessCount)
    )
  }

  /// Returns the result of the migration's own parser for a document.
  private static func judgement(_ bytes: [UInt8]) -> DocumentReader.Outcome {
    let parser = JSONStreamParser(visitor: JSONVisitor())
    do {
      try parser.parse(bytes)
      return .readable
    } catch {
      return error.code == .empty ? .blank : .unreadable
    }
  }

  @Test(arguments: [
    (#"{"artists":[{"id":"1","name":"A","imageURL":"u"},{"name":"B"}]}"#, ["A|1|u", "B|-|-"]),
    (#"{"artists":{"id":"1","name":"A"}}"#, ["A|1|-"]),
    (#"{"artists":["A",7,null,true,[],["X"],[{"name":"X"}],{},""]}"#, ["A|-|-"] + Array(repeating: "?", count: 8)),
    (#"{"artists":[{"name":"A","name":"B","id":null,"id":"2"}],"artists":[{"name":"C"}]}"#, ["A|-|-"]),
    (#"{"artists":null,"artists":[{"name":"C"}]}"#, []),
    (#"{"artists":"A"}"#, []), (#"[{"artists":["A"]}]"#, []), (#"{"a":{"artists":["A"]}}"#, []),
    (#"{"artists":[{"name":1975,"id":-1.50e+3,"imageURL":["x"]}]}"#, ["1975|-1.50e+3|-"]),
    (#"{"artists":[{"name":{"name":"X"},"x":{"name":"Y"},"id":"3"}]}"#, ["?"]),
    (#"{"artists":[{"name":[{"name":"X"}],"name":"Y"}]}"#, ["?"]),
    ("\u{FEFF}{\"\\u0061rtists\":[{\"n\\u0061me\":\"\\ud83c\\udfb8\\u00e9\\n\"}]} ", ["\u{1F3B8}\u{E9}\n|-|-"]),
    (
      #"{"artists":["\"\\\/\b\f\n\r\t\u0000\u007F\u07ff\uFFFF\uDBFF\uDFFF"]}"#,
      ["\"\\/\u{8}\u{C}\n\r\t\u{0}\u{7F}\u{7FF}\u{FFFF}\u{10FFFF}|-|-"]
    ),
    (#"{"artists":[{"id":"","name":"A"}]}"#, ["A||-"]),
    (#"{"artists":[{"name":"A"}]"#, []), (#"{"artists":[{"name":"A"}]} x"#, []),
  ])
  func `The artists are found however the document is cut`(json: String, names: [String]) {
    let bytes = Array(json.utf8)
    for pieces in [1, 2, 3, 7, bytes.count] { #expect(Self.read(bytes, pieces: pieces).names == names) }
  }

  @Test(arguments: [
    "", " \n", "\u{FEFF}", "\u{FEFF} ", "1", "-", "-0", "01", "1.", ".5", "1.5e", "1e+", "1E-5", "+1", "tru", "true",
    "truefalse",
    "nul", "null ", "[", "]", "[]", "[1]", "[1,]", "[,1]", "[1 2]", "{}", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
    "{a:1}",
    "{\"a\":1 \"b\":2}", "[}", "{]", "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"",
    "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800x\"", "\"\\ud800\\n\"", "\"\\uD834\\uDD1E\"", "\"\t\"", "\"\u{7F}\"",
    "1 1",
    "[] []", "\u{0B}", "[\u{0C}]", "'a'", "[1]//", "\"\u{0}\"", "{\"a\":1,\"a\":2}", "[[[[]]]]", "\u{FEFF}\u{FEFF}1",
    "1\u{FEFF}",
  ])
  func `The reader accepts exactly the documents that the migration accepts`(json: String) {
    let bytes = Array(json.utf8)
    #expect(Self.read(bytes).outcome == Self.judgement(bytes))
    #expect(Self.read(bytes, pieces: max(1, bytes.count)).outcome == Self.judgement(bytes))
  }

  @Test(
    arguments: [
      [0x22, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xE0, 0x80, 0x80, 0x22],
      [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xED, 0x9F, 0xBF, 0x22], [0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22],
      [0x22, 0xF4, 0x8F, 0xBF, 0xBF, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22],
      [0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0x31], [0xFE, 0xFF], [0x22, 0xEF, 0xBB, 0xBF, 0x22],
      [0x22, 0xF1, 0x80, 0x80, 0x22],
    ] as [[UInt8]])
  func `The reader accepts the same UTF-8 as the migration`(bytes: [UInt8]) {
    #expect(Self.read(bytes).outcome == Self.judgement(bytes))
    #expect(Self.read(bytes, pieces: bytes.count).outcome == Self.judgement(bytes))
  }

  @Test func `The reader accepts the same random documents as the migration`() {
    var documents = RandomDocument(seed: 11)
    for _ in 0..<Rounds.count(500) {
      guard let bytes = documents.bytes() else { continue }
      #expect(Self.read(bytes).outcome == Self.judgement(bytes), "\(bytes)")
      #expect(Self.read(bytes).names == Self.read(bytes, pieces: 5).names)
    }
  }

  @Test func `Whole tokens are read like single bytes`() {
    func read(_ bytes: [UInt8], step: Int) -> String {
      var document = DocumentReader(keys: Self.presets.keys)
      document.begin()
      for start in stride(from: 0, to: bytes.count, by: step) {
        bytes[start..<min(start + step, bytes.count)].withUnsafeBytes { document.read($0) }
      }
      let outcome = document.finish()
      return "\(outcome) \(document.tree.nodes) \(document.tree.bytes) \(document.tree.mayHaveRepeatedKeys)"
    }
    // No path names `x`.
    let values = [
      "0", "-0", "01", "-", "--1", "1.", ".5", "1.e1", "1e+", "-0.5E-2", "12.25", "1-1", "\r1", "1\r", "tru", "true",
      "nullx",
      "false ", "[1,]", "[]", "[ ]", "{}", "{ }", "{\"a\":}", "{\"a\" : [true, {}, [ ]] }", "[[1}]", "{1:2}", "{,}",
      "[,]",
      "{\"name\":1,\"name\":2}", "{\"a\" \"b\"}", "{\"a\":1 2}", "\u{FEFF}1",
      "\"\\u00e9\\n\"", "\"\\ud83d\\ude00\"", "\"\\ud83d\"", "\"\\u00g0\"", "\"\\x\"", "\"\u{1}\"", "\"\u{1F600}é日本語\"",
      "\"123456789012345\"", "\"1234567890123456\"", "\"12345678901234567é\"",
      String(repeating: "[", count: 70) + String(repeating: "]", count: 70),
    ]
    var documents =
      (values + values.flatMap { ["{\"x\":\($0),\"name\":\($0)}", "{\"name\": [\($0) , 1], \"x\":[\($0)]}"] })
      .map { Array($0.utf8) }
    for bad: [UInt8] in [
      [0x80], [0xc0, 0x80], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe6, 0x97],
    ] {
      documents.append(Array(#"{"name":"0123456789"#.utf8) + bad + Array(#"0123456789012345"}"#.utf8))
    }
    var random = RandomDocument(seed: 12)
    for _ in 0..<Rounds.count(500) { documents += [random.bytes()].compactMap(\.self) }
    for bytes in documents {
      let expected = read(bytes, step: 1)
      for step in [7, max(bytes.count, 1)] {
        #expect(read(bytes, step: step) == expected, "\(String(decoding: bytes, as: UTF8.self))")
      }
    }
  }

  @Test func `Keys of every length are told apart`() {
    let keys = (0...20).map { length in String("abcdefghijklmnopqrstuvwxyz".prefix(length)) } + ["title", "titles"]
    let numbers = KeyNumbers(keys + ["title"])
    func number(_ bytes: [UInt8]) -> Int? { bytes.withUnsafeBytes { numbers[$0] } }
    for (place, key) in keys.enumerated() {
      #expect(number(Array(key.utf8)) == place)
      for index in key.utf8.indices {
        var other = Array(key.utf8)
        other[key.utf8.distance(from: key.startIndex, to: index)] ^= 0x20
        #expect(number(other) == nil)
      }
    }
    #expect(number(Array("abcdefghijklmnopqrstu".utf8)) == nil)
  }

  @Test func `The reader has the same limits as the migration`() {
    let depth = 1_000_000
    for count in [depth, depth + 1] {
      let bytes =
        [UInt8](repeating: UInt8(ascii: "["), count: count) + [UInt8](repeating: UInt8(ascii: "]"), count: count)
      #expect(Self.read(bytes).outcome == (count > depth ? .unreadable : .readable))
    }
    for count in [1 << 20, 1 << 20 + 1] {
      let text = String(repeating: "1", count: count)
      #expect(Self.read(Array(text.utf8)).outcome == Self.judgement(Array(text.utf8)))
      var document = DocumentReader(keys: Self.presets.keys)
      document.begin()
      let json = "{\"artists\":[{\"id\":\"\(text)\",\"name\":\"A\"},{\"imageURL\":\"\(text)\"}]}"
      Array(json.utf8).withUnsafeBytes { document.read($0) }
      #expect(document.finish() == .readable)
      // Elements without a name are ignored.
      #expect(Self.presets.evaluate(document.tree).mentions.longCount == (count > 1 << 20 ? 1 : 0))
      let names = Self.read(Array("{\"artists\":[\"\(text)\",{\"name\":\"A\",\"id\":\"\(text)\"}]}".utf8)).names
      #expect(Self.read(Array("{\"\(text)\":[], \"artists\":[\"A\"]}".utf8)).names == ["A|-|-"])
      #expect(names == (count > 1 << 20 ? ["A|-|-", "?"] : ["\(text)|-|-", "A|\(text)|-"]))
    }
  }
}

extension RandomDocument {
  /// Returns the bytes of the next document.
  mutating func bytes() -> [UInt8]? {
    switch document() {
    case .text(let text): Array(text.utf8)
    case .blob(let bytes): bytes
    default: nil
    }
  }
}
