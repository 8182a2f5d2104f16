import TestSupport
import Testing

@testable import Policies

struct PictureSizeTests {
  /// Pictures of 300 by 7 pixels, cut after their headers.
  private static let headers: [(name: String, bytes: [UInt8])] = [
    ("PNG", Picture.png(300, 7)),
    ("PNG of Xcode", Picture.png(300, 7, before: [0, 0, 0, 4] + Array("CgBI".utf8) + [1, 2, 3, 4, 0, 0, 0, 0])),
    ("GIF 87a", Array("GIF87a".utf8) + [0x2C, 0x01, 7, 0]),
    ("GIF 89a", Array("GIF89a".utf8) + [0x2C, 0x01, 7, 0]),
    ("WebP, lossy", Picture.webP("VP8 ", [0x10, 0, 0, 0x9D, 0x01, 0x2A, 0x2C, 0x41, 7, 0xC0])),
    ("WebP, lossless", Picture.webP("VP8L", [0x2F] + Picture.littleEndian(299 | 6 << 14 | 1 << 28, 4))),
    ("WebP, extended", Picture.webP("VP8X", [0x10, 0, 0, 0] + [0x2B, 0x01, 0, 6, 0, 0])),
    ("JPEG", Picture.jpeg([], frame: 0xC0)),
    ("JPEG, progressive, with much before", Picture.jpeg(Picture.segmentsBefore, frame: 0xC2)),
  ]

  @Test(arguments: headers.map(\.name))
  func `A complete header gives the size, and no prefix of it does`(name: String) throws {
    let bytes = try #require(Self.headers.first { $0.name == name }).bytes
    let size = try PictureSize(of: bytes)
    #expect((size.width, size.height) == (300, 7))
    #expect(try PictureSize(of: bytes + [1, 2, 3]) == size)
    #expect((0..<bytes.count).filter { Self.problem(Array(bytes.prefix($0))) != .damaged } == [])
  }

  @Test(arguments: headers.map(\.name)) func `Any wrong byte in a header is handled`(name: String) throws {
    let bytes = try #require(Self.headers.first { $0.name == name }).bytes
    var isFound = false
    for index in bytes.indices {
      for value in [0, 1, 0x7F, 0x80, 0xC0, 0xDA, 0xFF] as [UInt8] {
        var changed = bytes
        changed[index] = value
        guard let size = try? PictureSize(of: changed) else { continue }
        if size.width <= 0 || size.height <= 0 { Issue.record("\(size) of \(changed)") }
        isFound = isFound || (size.width, size.height) == (300, 7)
      }
    }
    #expect(isFound)
  }

  @Test(arguments: (0xC0...0xCF).filter { ![0xC4, 0xC8, 0xCC].contains($0) })
  func `Every kind of JPEG frame header is read`(marker: Int) throws {
    let size = try PictureSize(of: Picture.jpeg([], frame: UInt8(marker)))
    #expect((size.width, size.height) == (300, 7))
  }

  @Test(arguments: [0xC4, 0xC8, 0xCC, 0xE1, 0xFE]) func `Other JPEG segments are skipped`(marker: UInt8) throws {
    // The contents of the segment look like a frame header.
    let decoy = Picture.segment(marker, [0xFF, 0xC0, 0, 17, 8, 0, 1, 0, 1, 3])
    let size = try PictureSize(of: Picture.jpeg(decoy, frame: 0xC1))
    #expect((size.width, size.height) == (300, 7))
  }

  @Test(
    arguments: [
      [0xFF, 0xD8, 0xFF, 0xDA, 0, 2], [0xFF, 0xD8, 0xFF, 0xD9], [0xFF, 0xD8, 0xFF, 0xD8], [0xFF, 0xD8, 0xFF, 0x00],
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 1], [0xFF, 0xD8, 0xFF, 0xE0, 0, 2, 0x11], [0xFF, 0xD8, 0xFF, 0xFF, 0xFF],
      [0xFF, 0xD8, 0xFF, 0xC0, 0, 7, 8, 0, 7, 0, 7, 1],
    ] as [[UInt8]])
  func `A JPEG without a frame header is damaged`(bytes: [UInt8]) {
    #expect(throws: PictureProblem.damaged) { try PictureSize(of: bytes) }
  }

  @Test func `A size of zero or out of range counts as damage`() {
    #expect(throws: PictureProblem.damaged) { try PictureSize(of: Picture.png(0, 7)) }
    #expect(throws: PictureProblem.damaged) { try PictureSize(of: Picture.png(7, 0)) }
    #expect(throws: PictureProblem.damaged) { try PictureSize(of: Picture.png(0x8000_0000, 7)) }
    #expect(throws: PictureProblem.damaged) { try PictureSize(of: Array("GIF89a".utf8) + [0, 0, 7, 0]) }
  }

  @Test func `The largest sizes are read`() throws {
    #expect(try PictureSize(of: Picture.png(0x7FFF_FFFF, 0x7FFF_FFFF)).height == 0x7FFF_FFFF)
    let canvas = Picture.webP("VP8X", [0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 6))
    #expect(try PictureSize(of: canvas).width == 1 << 24)
  }

  @Test func `Data that is not a picture is classified`() {
    #expect(throws: PictureProblem.archived) { try PictureSize(of: Array("bplist00\u{1}".utf8)) }
    #expect(throws: PictureProblem.unknownFormat) { try PictureSize(of: Array("BM\0\0\0\0\0\0".utf8)) }
    #expect(throws: PictureProblem.unknownFormat) { try PictureSize(of: Array("RIFF\0\0\0\0WAVEfmt ".utf8)) }
    #expect(throws: PictureProblem.unknownFormat) { try PictureSize(of: Array("\0\0\0\u{18}ftypheic".utf8)) }
    #expect(throws: PictureProblem.damaged) { try PictureSize(of: []) }
  }

  @Test func `An overlong chunk before a PNG header is not a trap`() {
    let chunk = [0xFF, 0xFF, 0xFF, 0xFF] + Array("CgBI".utf8)
    #expect(throws: PictureProblem.damaged) { try PictureSize(of: Picture.png(300, 7, before: chunk)) }
  }

  @Test func `Random bytes after a signature are not a trap`() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<300 {
      for (_, bytes) in Self.headers {
        let start = bytes.prefix(Int.random(in: 2...bytes.count, using: &random))
        let rest = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
        guard let size = try? PictureSize(of: start + rest) else { continue }
        if size.width <= 0 || size.height <= 0 { Issue.record("\(size) of \(start + rest)") }
      }
    }
  }

  private static func problem(_ bytes: [UInt8]) -> PictureProblem? {
    do throws(PictureProblem) {
      _ = try PictureSize(of: bytes)
      return nil
    } catch {
      return error
    }
  }
}

/// Makes the beginnings of pictures byte by byte.
private enum Picture {
  static func bigEndian(_ number: Int, _ count: Int) -> [UInt8] { littleEndian(number, count).reversed() }

  static func littleEndian(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  static func png(_ width: Int, _ height: Int, before chunks: [UInt8] = []) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunks + [0, 0, 0, 13] + Array("IHDR".utf8)
      + bigEndian(width, 4) + bigEndian(height, 4)
  }

  static func webP(_ chunk: String, _ data: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + [99, 0, 0, 0] + Array("WEBP\(chunk)".utf8) + littleEndian(data.count, 4) + data
  }

  static func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] {
    [0xFF, marker] + bigEndian(data.count + 2, 2) + data
  }

  /// Returns a frame header of 7 lines of 300 samples after other segments.
  ///
  /// It ends with the width.
  static func jpeg(_ segments: [UInt8], frame: UInt8) -> [UInt8] {
    [0xFF, 0xD8] + segments + [0xFF, frame, 0, 17, 8, 0, 7, 0x01, 0x2C]
  }

  /// A table, an empty segment, standalone markers, and fill bytes.
  static let segmentsBefore =
    segment(0xDB, [UInt8](repeating: 0xFF, count: 65)) + segment(0xE0, []) + [0xFF, 0x01, 0xFF, 0xD3, 0xFF, 0xFF, 0xFF]
}
