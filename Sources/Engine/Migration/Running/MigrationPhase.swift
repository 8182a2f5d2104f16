internal import PersistentStore

/// A part of a migration, for its statistics.
///
/// What comes after the statistics are written (their way to the disk, and the new store taking the old one's place) is
/// in none.
package struct MigrationPhase: Codable, Sendable, Hashable {
  /// `prepare`, `migrate` (of several hops `migrate_1`, `migrate_2` and so on), `verify`.
  package var name: String
  /// The elapsed time.
  package var seconds: Double
  /// The most memory that the process had used by its end.
  package var bytes: Int64
}

/// Measures the phases of a migration, one after the other.
final class PhaseClock {
  private(set) var phases: [MigrationPhase] = []
  private var began: ContinuousClock.Instant

  init(began: ContinuousClock.Instant) {
    self.began = began
  }

  /// Ends a phase; the next one begins.
  func end(_ name: String) {
    let now = ContinuousClock.now
    phases.append(
      MigrationPhase(
        name: name, seconds: (now - began).seconds, bytes: ProcessUsage.peakMemory))
    began = now
  }
}

extension Duration {
  /// The duration in seconds.
  package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
