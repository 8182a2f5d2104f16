import Foundation
import JSONStream
import TestSupport
import Testing

@Suite struct UnicodeTests {
  /// Every scalar value, literal and escaped.
  @Test func `Every Unicode scalar is passed through`() throws {
    final class Collector: JSONVisitor {
      var bytes: [UInt8] = []
      override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) { bytes += utf8 }
    }
    for plane in UInt32(0)...16 {
      let scalars = (plane << 16..<(plane + 1) << 16).compactMap(Unicode.Scalar.init).filter {
        $0.value >= 0x20 && $0 != "\"" && $0 != "\\"
      }
      let text = String(String.UnicodeScalarView(scalars))
      let escapes = text.utf16.map { "\\u" + String(UInt32($0) + 0x10000, radix: 16).dropFirst() }.joined()
      for string in [text, escapes] {
        let collector = Collector()
        try JSONStreamParser(visitor: collector).parse("\"\(string)\"")
        #expect(collector.bytes == Array(text.utf8), "plane \(plane)")
      }
    }
  }

  /// Plain bytes are copied in blocks, and escapes one by one.
  @Test(arguments: ["\\/", "\\n", "\\u00e9", "\\ud83c\\udfb5", "é\\\"é", "\\\\\\\\"])
  func `Escapes are resolved wherever they stand among other bytes`(escape: String) throws {
    final class Collector: JSONVisitor {
      var bytes: [UInt8] = []
      override var canStartOver: Bool { true }
      override func startOver() { Issue.record("there is nothing doubtful") }
      override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) { bytes = Array(utf8) }
    }
    let collector = Collector()
    let parser = JSONStreamParser(visitor: collector)
    let character = try #require(try JSONSerialization.jsonObject(with: Data("[\"\(escape)\"]".utf8)) as? [String])[0]
    for before in 0...40 {
      for after in 0...40 {
        let (start, end) = (String(repeating: "a", count: before), String(repeating: "b", count: after))
        try parser.parse("\"\(start)\(escape)\(end)\(escape)\"")
        #expect(collector.bytes == Array("\(start)\(character)\(end)\(character)".utf8))
      }
    }
  }

  /// All pairs of a lead byte and a second byte, complete or not, compared with the standard library's decoder.
  @Test func `UTF-8 is accepted exactly where the standard library accepts it`() {
    for lead in UInt8(0x80)...0xff {
      for second in UInt8(0x20)...0xff where second != 0x22 && second != 0x5c {
        // What may follow changes at multiples of 16.
        guard Rounds.areMany || [0, 15].contains(second % 16) else { continue }
        for tail in [[], [0x80], [0xbf, 0x80], [0x80, 0x41], [0xbf, 0xbf, 0xbf]] as [[UInt8]] {
          let text = [lead, second] + tail
          let error = Outcome.whole([0x22] + text + [0x22]).error
          let isValid = String(validating: text, as: UTF8.self) != nil
          #expect(error == nil ? isValid : !isValid && error?.code == .invalidUTF8, "\(text)")
        }
      }
    }
  }

  /// All pairs of escaped code units at the boundaries of the surrogates.
  @Test func `Escaped surrogates must form pairs`() {
    let units: [UInt16] = [0x0041, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000]
    for first in units {
      for second in units {
        let text = [first, second].map { "\\u" + String($0, radix: 16, uppercase: true).leftPadded }.joined()
        let isValid = String(validating: [first, second], as: UTF16.self) != nil
        let error = Outcome.whole(Array("[\"\(text)\"]".utf8)).error
        #expect(error?.code == (isValid ? nil : .loneSurrogate), "\(text)")
      }
    }
  }
}

extension String {
  fileprivate var leftPadded: String { String(repeating: "0", count: 4 - count) + self }
}
