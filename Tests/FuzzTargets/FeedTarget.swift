internal import FeedFiles
internal import MigrationDiagnostics
internal import TestSupport

/// Files of feeds: whatever they are, they give lines or say what is wrong, and the same for every size of a read.
enum FeedTarget {
  /// A list around tracks, a table, and two tracks in lines.
  static let seeds: [[UInt8]] = [
    #"{"a":{"b":[1]},"items":[{"title":"x","n":[{}]}, 7 ,"s\"]"],"z":null}"#, "\u{FEFF}[ {\"title\":\"x\"},\n{} ]",
    "title;artist;date\r\n\"a;\"\"b\"\"\";c;1 Apr 2021\r\n\"d\ne\";f;\r\n", "{\"title\":\"x\"}\n{\"title\":\"y\"}\n",
  ].map { Array($0.utf8) }

  /// What is packed can be a thousand times as long as its file.
  private static let limit = 1 << 14

  static func read(_ bytes: [UInt8]) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let path = try folder.write(bytes, to: "feed")
    for format in FeedFormat.allCases {
      let whole = lines(FeedSource(path: path, format: format), 1 << 16)
      try promise(whole == lines(FeedSource(path: path, format: format), 7), "\(format) depends on the size of reads")
      try promise(whole == lines(FeedSource(path: path, format: format), 1), "\(format) depends on single bytes")
    }
  }

  /// The lines, and the error that ends them.
  private static func lines(_ source: FeedSource, _ size: Int) -> [UInt8] {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { room.deallocate() }
    var found: [UInt8] = []
    do throws(MigrationError) {
      let file = try FeedFile(source, advice: "Name a feed.") { false }
      while found.count < limit {
        let count = try file.read(into: room)
        if count == 0 { return found }
        found += room.prefix(count)
      }
      return Array(found.prefix(limit))
    } catch {
      return found + Array("\n\(error.detail ?? "")".utf8)
    }
  }
}
