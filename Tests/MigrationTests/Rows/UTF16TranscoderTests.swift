import TestSupport
import Testing

@testable import Migration

struct UTF16TranscoderTests {
  private static func bytes(_ units: [UInt16], _ encoding: String) -> [UInt8] {
    units.flatMap { unit in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return encoding == "UTF-16be" ? [high, low] : [low, high]
    }
  }

  private func transcode(_ pieces: [ArraySlice<UInt8>], _ encoding: String) throws -> [UInt8] {
    var transcoder = try #require(UTF16Transcoder(encoding: encoding))
    var result: [UInt8] = []
    for (index, piece) in pieces.enumerated() {
      result += transcoder.transcode(piece, isLast: index == pieces.count - 1)
    }
    return result
  }

  @Test(arguments: ["UTF-16le", "UTF-16be"])
  func `Text is transcoded the same wherever it is split`(encoding: String) throws {
    let text = "aé東🎵\0\u{FEFF}\u{FFFF}\u{10FFFF}z"
    let bytes = Self.bytes(Array(text.utf16), encoding)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let result = try transcode([bytes[..<first], bytes[first..<second], bytes[second...]], encoding)
        #expect(result == Array(text.utf8), "cut at \(first) and \(second)")
      }
    }
    #expect(try transcode(bytes.map { [$0] }, encoding) == Array(text.utf8))
  }

  @Test(
    arguments: ["UTF-16le", "UTF-16be"],
    [
      ([0xD800], "\u{FFFD}"), ([0xDC00], "\u{FFFD}"), ([0xD800, 0x61], "\u{FFFD}a"), ([0x61, 0xD800], "a\u{FFFD}"),
      ([0xD800, 0xD83C, 0xDFB5], "\u{FFFD}🎵"), ([0xDFB5, 0xD83C], "\u{FFFD}\u{FFFD}"), ([], ""),
    ] as [([UInt16], String)])
  func `An unpaired surrogate is replaced wherever the text is split`(encoding: String, sample: ([UInt16], String))
    throws
  {
    let bytes = Self.bytes(sample.0, encoding)
    for cut in 0...bytes.count {
      #expect(try transcode([bytes[..<cut], bytes[cut...]], encoding) == Array(sample.1.utf8), "cut at \(cut)")
    }
  }

  @Test func `A leftover byte is replaced`() throws {
    #expect(try transcode([[0x61, 0x00, 0x62]], "UTF-16le") == Array("a\u{FFFD}".utf8))
  }

  @Test(arguments: [("UTF-8", false), ("utf-16LE", true), ("UTF-16be", true), ("", false)])
  func `Only UTF-16 needs a transcoder`(encoding: String, isNeeded: Bool) {
    #expect((UTF16Transcoder(encoding: encoding) != nil) == isNeeded)
  }
}
