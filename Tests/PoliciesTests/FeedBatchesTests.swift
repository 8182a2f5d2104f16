import MigrationDiagnostics
import Testing

@testable import Policies

/// The lines of a feed, as several threads read them.
struct FeedBatchesTests {
  /// A feed in memory, of blocks with some lines each.
  private final class Feed: TrackFeed {
    let name = "feed"
    let lineNumber = 0
    private let blocks: [[String]]
    private let failure: MigrationError?
    private(set) var takenCount = 0
    private var lineCount = 0

    init(_ blocks: [[String]], failure: MigrationError? = nil) { (self.blocks, self.failure) = (blocks, failure) }

    func nextLine() throws(MigrationError) -> UnsafeRawBufferPointer? { nil }

    func nextBlock() throws(MigrationError) -> FeedBlock? {
      guard takenCount < blocks.count else {
        if let failure { throw failure }
        return nil
      }
      let lines = blocks[takenCount]
      let bytes = Array(lines.joined(separator: "\n").utf8)
      let buffer = FeedBuffer(byteCount: bytes.count)
      buffer.bytes.copyBytes(from: bytes)
      var ends: [Int] = []
      for line in lines { ends.append((ends.last.map { $0 + 1 } ?? 0) + line.utf8.count) }
      defer {
        takenCount += 1
        lineCount += lines.count
      }
      return FeedBlock(buffer, from: 0, lineEnds: ends, firstLine: lineCount + 1)
    }
  }

  /// Blocks of different lengths, with blank lines and such as are no tracks.
  private static let blocks = (0..<60).map { block in
    (0...(block % 7)).map { line in
      switch (block + line) % 5 {
      case 0: " "
      case 1: "{\"title\":\"\(block).\(line)\""
      case 2: "{\"title\":\"\(block).\(line)\",\"artists\":[\"A\(block)\",{\"name\":\"B\",\"id\":\(line)}]}"
      case 3:
        """
        {"title":"\(block).\(line)","json":"{\\"artists\\":[{\\"name\\":\\"\(String(repeating: "é", count: block * 100))\\"}]}"}
        """
      default: "{\"key\":\(block * 10 + line + 1),\"title\":\"\(block).\(line)\",\"artistName\":\"C\"}"
      }
    }
  }

  private func batches(_ feed: Feed, threadCount: Int) -> FeedBatches {
    let options = TrackMigrationOptions()
    let trie = FeedLineReader.makeTrie(options, titlePath: nil, playedPath: nil)
    return FeedBatches(feed, threadCount: threadCount) { FeedLineReader(options, trie) }
  }

  /// What is read, one text for each line that is not blank, and the error at the end.
  private func read(_ feed: Feed, threadCount: Int) -> (lines: [String], error: MigrationError?) {
    let batches = batches(feed, threadCount: threadCount)
    defer { batches.stop() }
    var lines: [String] = []
    do throws(MigrationError) {
      while let batch = try batches.next() {
        var start = 0
        for line in batch.lines {
          let names = batch.content.mentions[start..<line.mentionsEnd].map { batch.content.string($0.name) }
          start = line.mentionsEnd
          switch line.outcome {
          case .track(let track):
            let key = track.key.map { "\($0)" } ?? "-"
            lines.append("\(batch.number(of: line)) \(key) \(batch.content.string(track.title)) \(names)")
          case .rejected(let rejection):
            lines.append("\(batch.number(of: line)) \(rejection.reason) \(rejection.byteOffset ?? -1)")
          }
        }
      }
    } catch {
      return (lines, error)
    }
    return (lines, nil)
  }

  @Test(arguments: [2, 3, 8]) func `Lines come in order, with any number of threads`(threadCount: Int) {
    let expected = read(Feed(Self.blocks), threadCount: 1)
    #expect(expected.lines.count > 150 && expected.error == nil)
    #expect(expected.lines.contains { $0.contains(" json_truncated ") })
    for _ in 0..<5 {
      let found = read(Feed(Self.blocks), threadCount: threadCount)
      #expect(found.lines == expected.lines && found.error == nil)
    }
  }

  @Test(arguments: [1, 2, 8]) func `An error of the feed comes after the lines before it`(threadCount: Int) {
    let all = read(Feed(Self.blocks), threadCount: 1).lines
    let failure = MigrationError(.unreadable, path: "feed")
    let found = read(Feed(Self.blocks, failure: failure), threadCount: threadCount)
    #expect(found.lines == all && found.error?.code == .unreadable)
    #expect(read(Feed([], failure: failure), threadCount: threadCount).error?.code == .unreadable)
  }

  @Test(arguments: [1, 2, 8]) func `Feeds with few blocks, or none, are read`(threadCount: Int) {
    #expect(read(Feed([]), threadCount: threadCount).lines == [])
    #expect(read(Feed([[" "]]), threadCount: threadCount).lines == [])
    let line = "{\"title\":\"T\"}"
    #expect(read(Feed([[line], [" ", line]]), threadCount: threadCount).lines == ["1 - T []", "3 - T []"])
  }

  @Test func `Long lines do not pile up`() throws {
    let long = "{\"title\":\"\(String(repeating: "x", count: 9 << 20))\"}"
    let feed = Feed(Array(repeating: [long], count: 12))
    let batches = batches(feed, threadCount: 4)
    defer { batches.stop() }
    _ = try batches.next()
    _ = try batches.next()
    #expect(feed.takenCount == 3, "the first one, and two of which the second exceeds the limit")
  }

  @Test func `Reading can stop at any time`() throws {
    for count in 0..<20 {
      let batches = batches(Feed(Self.blocks), threadCount: 3)
      for _ in 0..<count { _ = try batches.next() }
      batches.stop()
    }
  }
}
