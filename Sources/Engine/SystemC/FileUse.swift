/// The use that a run makes of a file that it is given.
///
/// An argument that is a path declares it, and `RunFiles` decides from it which files must not be the same.
package enum FileUse: Sendable, Hashable {
  /// Reads a file or a folder.
  case reads
  /// Reads a file whose contents what the run writes takes over, so that both may be the same.
  case continues
  /// Reads a store, and leaves it as it is.
  case readsStore
  /// Replaces a store, next to which backups, statistics and rejects appear.
  case replacesStore
  /// Creates a store, next to which statistics and rejects may appear.
  case createsStore
  /// Writes a file, replacing one that is there.
  case writes
  /// Writes the statistics of the run's store, replacing those that are there.
  case writesStatistics
  /// Adds to a file, or creates it.
  case appends
  /// Creates a file or folder that must not exist, or replaces what an earlier call has made.
  case creates
  /// Creates files below a folder.
  case fills

  /// Whether anything is created, changed or replaced.
  package var isWriting: Bool {
    switch self {
    case .reads, .continues, .readsStore: false
    case .replacesStore, .createsStore, .writes, .writesStatistics, .appends, .creates, .fills: true
    }
  }

  /// Whether the file is a store, with the files that SQLite, Core Data and this program keep next to it.
  package var isOfStore: Bool { [.readsStore, .replacesStore, .createsStore].contains(self) }

  /// Whether the file is a document: something that may replace what is there.
  package var isOfDocument: Bool { [.writes, .writesStatistics, .appends].contains(self) }
}
