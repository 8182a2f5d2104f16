import Foundation
import TestSupport
import Testing

@testable import StoreHealth

@Suite("Redaction of JSON")
struct JSONRedactionTests {
  private let redactor = Redactor(
    key: RedactionKey(3, 4), vocabulary: RedactionVocabulary(values: ["type": ["track"], "role": ["main"]]))

  private func json(_ text: String) -> String {
    String(decoding: redactor.text(Array(text.utf8), isJSON: true), as: UTF8.self)
  }

  @Test func `Keys and structure stay, and values change`() {
    let original = #"{ "title" : "Long Song", "n":[1, 23.45, -678, 1.5e10], "ok":true, "none":null, "o":{"k":"Value"}}"#
    let redacted = json(original)
    func skeleton(_ text: String) -> String {
      text.replacing(#/: ?"[^"]*"/#, with: ":S").replacing(#/\d/#, with: "0")
    }
    #expect(skeleton(redacted) == skeleton(original))
    for part in ["Long", "Song", "Value", "23.45", "678"] { #expect(!redacted.contains(part), "\(redacted)") }
    // One digit, an exponent and the words of JSON.
    for part in ["[1, ", "e10]", "true", "null"] { #expect(redacted.contains(part), "\(redacted)") }
  }

  @Test func `Values that are a format's words stay where the format has them`() {
    let redacted = json(#"{"type":"track","kind":"track","role":"MAIN","list":["track"]}"#)
    #expect(redacted.hasPrefix(#"{"type":"track","kind":""#))
    #expect(redacted.contains(#""role":"MAIN""#))
    #expect(redacted.matches(of: #/track/#).count == 1)
  }

  @Test func `A text is the same however its letters are spelled`() throws {
    let spelled = json(#"["Bj\u00f6rk","Björk","Bj\u00F6rk \ud83c\udfb8","\u0042jörk"]"#)
    let values = try #require(try JSONSerialization.jsonObject(with: Data(spelled.utf8)) as? [String])
    #expect(values[0] == values[1] && values[3] == values[1])
    #expect(values[2] == values[1] + " 🎸")
    #expect(values[1] == String(decoding: redactor.text(Array("Björk".utf8)), as: UTF8.self))
    #expect(spelled.matches(of: #/\\u00[0-9a-fA-F]{2}/#).count == 3)
  }

  @Test func `An id is the same as a number and as text`() {
    let redacted = json(#"[123456,"123456"]"#)
    let numbers = redacted.matches(of: #/\d+/#).map(\.0)
    #expect(numbers.count == 2 && numbers[0] == numbers[1] && numbers[0] != "123456")
  }

  @Test(arguments: [
    #"[09:15] "Miller, Ward": has cancer"#, #"{draft} she wrote "Blackbeards diary": ok"#,
    #"["Dearest Ophelia": I miss you]"#,
    #"{"Dearest Ophelia": I miss you}"#, #"{"a": 1} "Ophelia": "b""#, #"{"a": 1 "Ophelia": 2}"#,
    #"{"a": [1, "Ophelia": 2]}"#,
    #"{"a"; "Ophelia": 1}"#, #"{{"Ophelia": 1}}"#, #"[1, "Ophelia": 2]"#, #"{"a": {"b" 1, "Ophelia": 2}}"#,
  ])
  func `A phrase in quotes is no key where no parser reads one`(original: String) {
    let redacted = json(original)
    for word in ["Miller", "Ward", "cancer", "Blackbeards", "diary", "Dearest", "Ophelia"] {
      #expect(!redacted.contains(word), "\(redacted)")
    }
    #expect(redacted.utf8.count == original.utf8.count)
  }

  @Test(arguments: [
    #"{"long": {"inner": [1, {"deep": null}]}, "last": "x"}"#, #"{"long": [{}, [], {"inner": -1.5}], "last":"#,
  ])
  func `Keys of a document stay up to its end`(original: String) {
    let redacted = json(original)
    for key in ["long", "inner", "last"] { #expect(redacted.contains("\"\(key)\""), "\(redacted)") }
  }

  private static let documents = [
    #"{"a":"b\u00e9c\n\"q\"","n":[12,-3.25e-7,0,true,false,null,{}],"long key":{"x":["one","two"]}}"#,
    "\u{FEFF}{\"artists\": [{\"id\": 42, \"name\": \"Ann\\ud83c\\udfb8\"}]}", #"[["deep",[["deeper"]]], "1.5", 15]"#,
    #"{"url":"https:\/\/a.example\/b%C3%A9","t":"2024-02-29T01:02:03Z","u":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}"#,
  ]

  /// Ways to break a document at a place.
  private static func broken(_ document: [UInt8], _ place: Int) -> [[UInt8]] {
    let (start, rest) = (document[..<place], document[place...])
    let inserted: [[UInt8]] = [
      Array("nul".utf8), Array("true".utf8), Array("\"".utf8), Array("\\".utf8), Array("\\u00".utf8), Array("x".utf8),
      Array("}".utf8), [0xFF], [0xC3], Array("01".utf8), Array("\\ud800".utf8), Array("-".utf8),
    ]
    return [Array(start), Array(start + rest.dropFirst())] + inserted.map { Array(start + $0 + rest) }
  }

  private static func isValid(_ bytes: [UInt8]) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
  }

  @Test(arguments: documents) func `A broken document stays broken, and a whole one whole`(document: String) {
    let bytes = Array(document.utf8)
    for place in stride(from: 0, through: bytes.count, by: 3) {
      for original in Self.broken(bytes, place) {
        let redacted = redactor.text(original, isJSON: true)
        #expect(redacted.count == original.count)
        #expect(
          Self.isValid(redacted) == Self.isValid(original),
          "\(String(decoding: original, as: UTF8.self)) \(String(decoding: redacted, as: UTF8.self))")
        // Nothing but letters and digits has changed.
        for (byte, other) in zip(original, redacted) where byte < 0x80 || other < 0x80 {
          let isLetter = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
          #expect(isLetter || byte == other)
        }
      }
    }
  }

  @Test func `What is cut off at a word stays the beginning of that word`() {
    for end in ["t", "tru", "n", "nul", "f", "fals"] { #expect(json("{\"a\":\(end)").hasSuffix(":\(end)")) }
    // A parser stops at the same letter.
    #expect(json(#"{"a":nobody}"#).contains(#"":no"#))
    #expect(!json(#"{"a":nobody}"#).contains("nobody"))
  }

  @Test func `Data that are JSON are read as JSON, and others are not`() {
    let document = Array(#"{"name":"Somebody"}"#.utf8)
    #expect(String(decoding: redactor.data(document), as: UTF8.self).hasPrefix(#"{"name":""#))
    let noise: [UInt8] = [UInt8(ascii: "{"), 0, 1, 2] + Array("\"secret\": and more".utf8)
    #expect(!redactor.data(noise).contains(UInt8(ascii: "s")))
  }

  @Test func `Any bytes are handled, and keep their length`() {
    var random = SeededGenerator(seed: 11)
    let pieces: [[UInt8]] =
      [
        "\"", "\\", "\\u00e9", "\\ud83c", "%C3%B6", "%4", "{", "}", ":", "-1.5e9", "2024-02-29T10:11", "null",
        "https://", "é",
      ]
      .map { Array($0.utf8) } + [
        [0xFF], [0xC3], [0xF0, 0x9F], [0], Array("6ba7b810-9dad-11d1-80b4-00c04fd430c8".utf8),
      ]
    for _ in 0..<Rounds.count(100) {
      var bytes: [UInt8] = []
      for _ in 0..<random.number(0...20) {
        bytes += random.chance(70) ? random.pick(pieces) : [UInt8(random.number(0...255))]
      }
      for redacted in [redactor.text(bytes), redactor.text(bytes, isJSON: true), redactor.text(bytes, isURI: true)] {
        #expect(redacted.count == bytes.count, "\(bytes)")
      }
      #expect(redactor.data(bytes).count == bytes.count, "\(bytes)")
      #expect(redactor.externalValue(bytes).count == bytes.count, "\(bytes)")
    }
  }
}
