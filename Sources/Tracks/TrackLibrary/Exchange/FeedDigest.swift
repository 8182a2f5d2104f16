internal import DataModel
internal import Foundation
package import Policies

/// A digest of a feed that is made as its bytes pass by, so that standard input has one too.
///
/// It tells feeds apart that were not made to be mistaken for each other, at the speed of reading them: SHA-256 of all
/// bytes would take half as long as the import.
final class FeedDigest {
  /// Two sums of all words, each of which every word changes in its own way.
  private var (first, second): (UInt64, UInt64) = (0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F)
  /// The bytes after the last whole word, which the pieces of a pipe may cut anywhere.
  private var rest: [UInt8] = []
  private var count = 0

  /// Adds a piece.
  func add(_ bytes: UnsafeRawBufferPointer) {
    count += bytes.count
    var start = 0
    if !rest.isEmpty {
      start = min(8 - rest.count, bytes.count)
      rest += bytes[..<start]
      guard rest.count == 8 else { return }
      rest.withUnsafeBytes { add(word: $0.loadUnaligned(as: UInt64.self)) }
      rest.removeAll(keepingCapacity: true)
    }
    let end = start + (bytes.count - start) / 8 * 8
    for place in stride(from: start, to: end, by: 8) {
      add(word: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
    rest += bytes[end...]
  }

  private func add(word: UInt64) {
    let word = UInt64(littleEndian: word)
    first = (first ^ word) &* 0xff51_afd7_ed55_8ccd
    first ^= first >> 32
    second = (second &+ word) &* 0xc4ce_b9fe_1a85_ec53
    second = second << 29 | second >> 35
  }

  /// The digest, for the statistics.
  var text: String { uuid([]) }

  /// A UUID that follows from the feed and from the options of its import.
  func uuid(_ options: [String]) -> String {
    var sha256 = Digest.SHA256()
    [first.littleEndian, second.littleEndian, UInt64(count).littleEndian].withUnsafeBytes { sha256.add($0) }
    for text in [rest] + options.map({ Array($0.utf8) }) { sha256.add(counted: text) }
    return Digest.uuid(sha256.digest)
  }
}

extension LibraryImport {
  /// The options that, besides the feed, decide the contents of the new library.
  var decidingOptions: [String] {
    trackOptions.deciding([
      titlePath.map { "\($0)" } ?? "", playedPath.map { "\($0)" } ?? "", "\(replaces)", "\(ignoresKeys)",
    ])
  }
}

extension TrackMigrationOptions {
  /// Returns the options that, besides the tracks, decide the contents of the new library, whatever files they came from.
  ///
  /// - Parameter others: Further ones of the work.
  package func deciding(_ others: [String] = []) -> [String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let presets = json.ownPresets.compactMap { try? encoder.encode($0) }.map { String(decoding: $0, as: UTF8.self) }
    return [
      identity.rawValue, json.name, presets.joined(separator: "\n"), "\(json.splitsByIDs)",
      roles.map { "\($0.map(\.rawValue).sorted())" } ?? "",
    ] + others + (decisions?.all.map(\.text) ?? [])
  }
}
