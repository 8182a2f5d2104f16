import Foundation
import TestSupport
import Testing

@Suite("The public JSON parsing test suite")
struct ParsingSuiteTests {
  /// A document in a column and its expected result.
  private struct Case {
    let document: SuiteDocument
    let isInTrack: Bool
    let isBlob: Bool

    var bytes: [UInt8] { isInTrack ? document.inTrack : document.bytes }

    var track: TrackRow {
      TrackRow(title: .text(document.name), artistName: "Fallback", json: isBlob ? .blob(bytes) : .rawText(bytes))
    }

    /// A byte-order mark counts as one only at the very beginning.
    var namesArtist: Bool {
      isInTrack && document.fault == nil && !document.bytes.starts(with: [0xEF, 0xBB, 0xBF])
    }

    /// Whether the document is kept because it is unreadable.
    ///
    /// Blank documents are only counted.
    var isRejected: Bool {
      isInTrack ? !namesArtist : document.fault.map { !$0.hasPrefix("empty@") } ?? false
    }

    /// Reason and place of the reject, such as `syntax@3`; `nil` if they depend on the text around the document.
    var fault: String? { isInTrack ? nil : document.fault }
  }

  private static let cases = [false, true].flatMap { isInTrack in
    [false, true].flatMap { isBlob in
      SuiteDocument.all.map { Case(document: $0, isInTrack: isInTrack, isBlob: isBlob) }
    }
  }

  @Test func `Readable documents name their artists and the others are kept with a reason`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let library = try folder.library("Suite.sqlite", Self.cases.map(\.track))
    try FileManager.default.copyItem(atPath: library, toPath: folder.file("Old.sqlite"))
    try successfully(library)

    let artists = try Database.rows(
      "SELECT a.ZNAME FROM Z_1TRACKS l JOIN ZARTIST a ON a.Z_PK = l.Z_1ARTISTS ORDER BY l.Z_2TRACKS", in: library)
    let rejects = try rejects(library)
    #expect(artists.count == Self.cases.count)
    for (index, (item, artist)) in zip(Self.cases, artists).enumerated() {
      let comment = Comment(rawValue: "\(item.document) \(item.isInTrack ? "in a track" : "")")
      #expect(artist == (item.namesArtist ? "A" : "Fallback"), comment)
      #expect((rejects[index + 1] != nil) == item.isRejected, comment)
      guard let reject = rejects[index + 1] else { continue }
      #expect(reject.bytes == item.bytes, comment)
      if let fault = item.fault { #expect(reject.fault == fault, comment) }
    }
    // The verification, which shares no code with the migration, reaches the same result.
    try successfully("verify", library, "--source", folder.file("Old.sqlite"))
  }

  private struct Reject {
    let fault: String
    let bytes: [UInt8]?
  }

  /// The rejects by their tracks' keys.
  private func rejects(_ library: String) throws -> [Int: Reject] {
    var rejects: [Int: Reject] = [:]
    for line in try Files.text(library + ".rejects.ndjson").split(separator: "\n") {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      let fields = try #require(object as? [String: Any])
      let reason = try #require(fields["reason"] as? String)
      let raw = (fields["json"] as? String).map { Array($0.utf8) }
      let encoded = (fields["jsonBase64"] as? String).flatMap { Data(base64Encoded: $0) }.map { Array($0) }
      #expect(reason.hasPrefix("json_"))
      rejects[try #require(fields["primaryKey"] as? Int)] = Reject(
        fault: "\(Self.code(reason))@\(fields["byteOffset"] ?? "")", bytes: raw ?? encoded)
    }
    return rejects
  }

  /// The error's code: `json_trailing_bytes` stands for `trailingBytes`.
  private static func code(_ reason: String) -> String {
    let words = reason.dropFirst("json_".count).split(separator: "_")
    return words.dropFirst().reduce(String(words.first ?? "")) {
      $0 + ($1 == "utf8" ? "UTF8" : $1.capitalized)
    }
  }
}
