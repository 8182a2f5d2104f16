internal import FeedFiles
internal import Foundation
internal import MigrationDiagnostics
internal import PersistentStore
internal import Pictures
internal import SystemC

/// The text around the place at which a document could not be read.
struct RejectExcerpt {
  /// Such as "Track 7", or "Line 7" of a feed.
  let place: String
  let title: String?
  let reason: String
  /// The text, with the place marked.
  let excerpt: HTML

  private struct Line: Decodable {
    let primaryKey: Int64?
    let line: Int64?
    let title: String?
    let reason: String
    let byteOffset: Int?
    let json: String?
    let jsonBase64: String?
  }

  /// The first lines of a file of rejects.
  static func first(_ count: Int, ofFileAt path: String) throws -> [RejectExcerpt] {
    // A link could lead to anybody's file.
    let kind = FileStatus(unresolved: path)?.kind
    guard kind != .link else { throw MigrationError(.unreadable, path: path, detail: "it is a symbolic link") }
    let lines = try FeedReader(FeedSource(path: path, format: .ndjson), isFile: true) { EndRequest.isMade }
    var found: [RejectExcerpt] = []
    while found.count < count, let line = try lines.nextLine() {
      guard let content = try? JSONDecoder().decode(Line.self, from: Data(line)) else { continue }
      let bytes =
        content.json.map { Array($0.utf8) } ?? content.jsonBase64.flatMap { Data(base64Encoded: $0) }.map(Array.init)
        ?? []
      found.append(
        RejectExcerpt(
          place: content.primaryKey.map { "Track \($0)" } ?? "Line \(content.line ?? 0)", title: content.title,
          reason: content.reason,
          excerpt: excerpt(bytes, content.byteOffset)))
    }
    return found
  }

  /// Up to 160 bytes before the place and 80 after it.
  static func excerpt(_ bytes: [UInt8], _ offset: Int?) -> HTML {
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    // Not in the middle of a character.
    func boundary(_ place: Int) -> Int {
      var place = min(max(0, place), bytes.count)
      while place > 0, place < bytes.count, bytes[place] & 0xC0 == 0x80 { place -= 1 }
      return place
    }
    guard let offset, (0...bytes.count).contains(offset) else {
      let end = boundary(240)
      return "\(text(0..<end))\(end < bytes.count ? "…" : "")"
    }
    let start = boundary(offset - 160)
    let place = max(start, boundary(offset))
    var next = min(place + 1, bytes.count)
    while next < bytes.count, bytes[next] & 0xC0 == 0x80 { next += 1 }
    let end = max(next, boundary(offset + 80))
    let fault: HTML =
      place == bytes.count ? "<mark>end</mark>" : "<mark>\(text(place..<next))</mark>"
    return """
      \(start > 0 ? "…" : "")\(text(start..<place))\(fault)\(text(next..<end))\(end < bytes.count ? "…" : "")
      """
  }
}
