package import JSONPresets
package import Migration
package import TerminalOutput

extension MigrationStatistics {
  /// The number of a fact, as policies have counted it.
  package subscript(fact: Fact) -> Int { self[fact.name] }

  /// The first examples of a fact.
  package func examples(of fact: Fact) -> [String] { examples[fact.name] ?? [] }

  /// The number of times that are not dates, and the first line with one.
  package var unreadTimes: (count: Int, example: String)? {
    examples(of: .unreadTimes).first.map { (self[.unreadTimes], $0) }
  }

  /// Adds to the number of a fact.
  mutating func count(_ fact: Fact, by amount: Int = 1) { count(fact.name, by: amount) }

  /// Counts one more, of which the text is an example.
  mutating func count(_ fact: Fact, example: @autoclosure () -> String) {
    count(fact)
    addExample(example(), to: fact.name)
  }

  /// Counts what is odd about a track, whether it is a row or a line of a feed.
  ///
  /// - Returns: The counters that want an example.
  mutating func count(
    _ oddities: TrackBatch.Oddities, after fallback: FallbackReason?, hasArtists: Bool
  ) -> [String] {
    let odd = oddities.count(in: &self)
    guard fallback != nil || !hasArtists else { return odd }
    var counters = fallback.map { [$0.counter] } ?? []
    if !hasArtists { counters.append(Fact.tracksWithoutArtist.name) }
    for counter in counters { count(counter) }
    return counters + odd
  }
}

extension Facts {
  /// Takes what policies have counted.
  ///
  /// - Parameter isShard: Whether it is only a part of the tracks: it says nothing about artists with other mentions.
  package init(_ statistics: MigrationStatistics, _ options: TrackMigrationOptions, isShard: Bool = false) {
    self.init()
    for fact in isShard ? Fact.all(of: .document) : Fact.all(of: .document, .detail, .conflict, .place) {
      let count = statistics[fact]
      guard fact.traits.isAlwaysLookedFor || count > 0 || fact == .splitNames && options.json.splitsByIDs else {
        continue
      }
      set(fact, count, statistics.examples(of: fact))
    }
    for group in Group.allCases {
      let prefix = group.counter("")
      let found = statistics.counters.filter { $0.key.hasPrefix(prefix) }
      self[group] = Dictionary(found.map { (String($0.key.dropFirst(prefix.count)), $0.value) }) { first, _ in first }
    }
    self[.fallbackTracks] = self[.fallbacks].values.reduce(0, +)
  }

  /// The reasons for fallbacks, the most frequent first.
  package var fallbackReasons: [(reason: FallbackReason, count: Int)] {
    FallbackReason.allCases.compactMap { reason in self[.fallbacks][reason.rawValue].map { (reason, $0) } }
      .sorted { $0.count > $1.count }
  }

  /// The findings of these numbers that `--strict` refuses, in words with the counts and an example; `nil` if there are none.
  package static func strictFindings(_ statistics: MigrationStatistics) -> String? {
    let reasons =
      FallbackReason.allCases.map { (counter: $0.counter, words: $0.summary) }
      + Fact.allCases.compactMap { fact in fact.traits.loss.map { (counter: fact.name, words: $0) } }
    let found = reasons.filter { statistics[$0.counter] > 0 }
    // Artists without ids are artists, which no other counter counts.
    guard let first = found.first else { return pathFindings(statistics) }
    let counts = found.map { "\(statistics[$0.counter]) × \($0.words)" }.joined(separator: ", ")
    return counts + (statistics.examples[first.counter]?.first.map { "; for example \($0)" } ?? "")
  }

  /// Returns the details that artists lose because of paths that a person has chosen, and the values in their places;
  /// `nil` if they lose nothing.
  static func pathFindings(_ statistics: MigrationStatistics) -> String? {
    let losses = statistics.examples(of: .missedArtists)
    return losses.isEmpty ? nil : (losses + statistics.examples(of: .unfoundPaths)).joined(separator: "; ")
  }
}

extension JSONObject {
  /// Adds facts as members.
  package mutating func add(_ facts: Facts) {
    for (key, value) in facts.members {
      switch value {
      case .count(let count): add(key, .integer(Int64(count)))
      case .examples(let examples): add(key, .strings(examples))
      case .group(let counts): add(key, object: .counts(counts))
      }
    }
  }

  /// Numbers by name, in the order of the names.
  package static func counts(_ counts: [String: some BinaryInteger]) -> JSONObject {
    JSONObject { object in
      for (name, count) in counts.sorted(by: { $0.key < $1.key }) { object.add(name, FieldValue(count)) }
    }
  }
}
