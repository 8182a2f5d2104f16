internal import JSONPresets
internal import Verification

/// The artists that a document mentions, in order.
///
/// Text is kept as ranges of one buffer, because most of it is only compared.
struct ArtistMentions {
  /// One artist.
  struct Mention {
    var name: Range<Int>?
    var id: Range<Int>?
    var imageURL: Range<Int>?
    /// The primary key of the artist in the library that the document was exported from.
    var key: Range<Int>?
    /// Whose ids these are.
    var namespace = 0
    /// The number of its ids and images that are too long.
    var longCount = 0

    /// A hash of what it says that the author of a document cannot predict; never 0.
    func fingerprint(in text: [UInt8]) -> UInt64 {
      var hash = KeyedHash()
      hash.combine(UInt64(truncatingIfNeeded: namespace))
      text.withUnsafeBytes { text in
        func combine(_ part: Range<Int>?) {
          if let part { hash.combine(UnsafeRawBufferPointer(rebasing: text[part])) } else { hash.combine(.max) }
        }
        combine(name)
        combine(id)
        combine(imageURL)
      }
      return max(hash.value, 1)
    }
  }

  /// The mentions with a name.
  private(set) var named: [Mention] = []
  /// The number of mentions without a name.
  private(set) var namelessCount = 0
  /// The number of ids and images of mentions with a name that are too long.
  private(set) var longCount = 0
  /// The bytes of all text.
  var bytes: [UInt8] = []
  /// The number of joined names that were split.
  var splitNameCount = 0

  /// Replaces the mentions with what decisions make of them.
  mutating func decide(_ decisions: inout DecisionReplay) {
    named = decisions.replay(named, &bytes)
    // Without artists, their long details are not missed.
    if named.isEmpty { longCount = 0 }
  }

  /// Adds a mention with a name.
  mutating func add(_ mention: Mention) {
    named.append(mention)
    longCount += mention.longCount
  }

  /// Counts an element without a name.
  mutating func addNameless() { namelessCount += 1 }

  /// Adds text.
  mutating func append(_ text: String) -> Range<Int> { append(Array(text.utf8)) }

  mutating func append(_ text: [UInt8]) -> Range<Int> {
    bytes += text
    return bytes.count - text.count..<bytes.count
  }
}

/// Applies a person's decisions to mentions, one line after the other.
struct DecisionReplay {
  /// The lines by the names and the ids that they are about.
  private var lines: [[UInt8]: [[UInt8]?: ArtistDecisions.Decision]] = [:]
  /// The number of uses of decisions, by their kind.
  private var counts: [String: Int] = [:]

  /// Returns what was counted since the last call.
  mutating func takeCounts() -> [String: Int] {
    defer { counts = [:] }
    return counts
  }

  init(_ decisions: ArtistDecisions?) {
    for line in decisions?.all ?? [] {
      lines[Array(line.artist.utf8), default: [:]][line.id.map { Array($0.utf8) }] = line
    }
  }

  /// The line about a mention: one about its id, or else one about all ids.
  private func line(for mention: ArtistMentions.Mention, _ bytes: [UInt8]) -> ArtistDecisions.Decision? {
    guard let name = mention.name, let lines = lines[Array(bytes[name])] else { return nil }
    let id = mention.id.flatMap { $0.isEmpty ? nil : Array(bytes[$0]) }
    return lines[id] ?? lines[nil]
  }

  /// Returns the mentions that come of others.
  mutating func replay(
    _ mentions: [ArtistMentions.Mention], _ bytes: inout [UInt8], hasIDs: Bool = true
  ) -> [ArtistMentions.Mention] {
    guard !lines.isEmpty else { return mentions }
    var open = Array(mentions.reversed())
    var done: [ArtistMentions.Mention] = []
    while var mention = open.popLast() {
      guard let line = line(for: mention, bytes) else {
        done.append(mention)
        continue
      }
      counts[line.kind.rawValue, default: 0] += 1
      func append(_ text: String) -> Range<Int> {
        bytes += Array(text.utf8)
        return bytes.count - text.utf8.count..<bytes.count
      }
      switch line.kind {
      case .keep: done.append(mention)
      case .ignore: break
      case .rename:
        mention.name = append(line.targets[0].name)
        open.append(mention)
      case .merge, .split:
        mention.key = nil
        for target in line.targets.reversed() {
          (mention.name, mention.imageURL) = (append(target.name), nil)
          mention.id = hasIDs ? target.id.map(append) : nil
          open.append(mention)
        }
      }
    }
    return done
  }

  /// Returns the names that come of one in `artistName`, where ids do not count.
  mutating func names(insteadOf name: [UInt8]) -> [ArraySlice<UInt8>] {
    var bytes = name
    return replay([ArtistMentions.Mention(name: 0..<name.count)], &bytes, hasIDs: false)
      .compactMap { $0.name.map { bytes[$0] } }
  }
}
