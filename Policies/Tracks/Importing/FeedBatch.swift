/// The lines of a block of a feed, as read.
struct FeedBatch: Sendable {
  /// The outcome for a line.
  enum Outcome: Sendable {
    case track(FeedLineReader.Track)
    case rejected(FeedLineReader.Rejection)
  }

  /// A line that is not blank.
  struct Line: Sendable {
    /// Its place in the block.
    let place: Int
    let outcome: Outcome
    /// The end of its mentions; they begin where those of the line before end.
    let mentionsEnd: Int
  }

  /// The lines as they stand in the feed, for those that are rejected.
  let block: FeedBlock
  fileprivate(set) var lines: [Line] = []
  /// The texts and mentions of all lines, and what is counted of them.
  fileprivate(set) var content = TrackBatch()

  /// Adds what the reader of a line has found; it is not changed, but to lend it would be to copy it.
  mutating func add(_ found: inout TrackBatch) {
    content.mentions += found.mentions
    content.hashes += found.hashes
    for (role, count) in found.roleCounts { content.roleCounts[role, default: 0] += count }
    content.splitNameCount += found.splitNameCount
    for (place, count) in found.decisionCounts.enumerated() where count > 0 {
      content.count(decision: place, by: count)
    }
  }

  /// The number of a line in the feed.
  func number(of line: Line) -> Int { block.firstLine + line.place }
}

extension FeedLineReader {
  /// Reads the lines of a block.
  func read(_ block: FeedBlock) -> FeedBatch {
    var batch = FeedBatch(block: block)
    batch.content.bytes = beginTexts()
    batch.lines.reserveCapacity(block.lineCount)
    for place in 0..<block.lineCount {
      guard let line = block.line(at: place) else { continue }
      let outcome = read(line, into: &batch)
      batch.lines.append(FeedBatch.Line(place: place, outcome: outcome, mentionsEnd: batch.content.mentions.count))
    }
    return batch
  }

  private func read(_ line: UnsafeRawBufferPointer, into batch: inout FeedBatch) -> FeedBatch.Outcome {
    do throws(Rejection) {
      let track = try read(line, keepsTexts: true)
      addMentions(to: &batch)
      if let preset { batch.content.count(preset) }
      return .track(track)
    } catch {
      return .rejected(error)
    }
  }
}
