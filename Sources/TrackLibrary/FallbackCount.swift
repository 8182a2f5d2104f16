internal import Policies

/// How many tracks use their `artistName` for one reason.
public struct FallbackCount: Sendable, Hashable {
  /// The number of tracks.
  public let count: Int
  /// The reason in a few words.
  public let summary: String
}

extension MigrationReport {
  /// The reasons for fallbacks, the most frequent first.
  public var fallbacks: [FallbackCount] {
    FallbackReason.allCases.compactMap { reason in
      fallbackTracksCountByReason[reason.rawValue].map { FallbackCount(count: $0, summary: reason.summary) }
    }
    .sorted { $0.count > $1.count }
  }
}
