public import Diagnostics
public import Migration

/// A made-up library of version 1, of any size, to try a migration on.
///
/// The same number of tracks, seed and options always give the same bytes. The shape is that of real libraries: some
/// 920 bytes of JSON a track, 1.4 artists a track of whom few are heard often and most hardly ever, names in many
/// scripts. Memory does not depend on the size, and no artist is kept: each follows from its number.
///
/// ```swift
/// var library = SampleLibrary(trackCount: 1_000)
/// library.includesOddities = true
/// let counts = try library.write(to: "Sample.sqlite")
/// ```
public struct SampleLibrary {
  /// The number of tracks, oddities included.
  public let trackCount: Int
  /// What all that looks random follows from.
  public var seed: UInt64
  /// Whether the library begins with tracks that are odd or broken in one way each; their titles say in which.
  ///
  /// A library of fewer tracks than there are oddities holds the first of them.
  public var includesOddities = false
  /// Whether the two large oddities have 200,000 levels of nesting and 2 MiB, rather than 2,000 and 128 KiB.
  public var includesGiants = false
  /// Whether the last quarter of the tracks is in a write-ahead log beside the library, as a program leaves it that has
  /// not been closed.
  ///
  /// The library's own file lacks these tracks.
  public var leavesWriteAheadLog = false
  /// A request to stop, after which nothing is left.
  public var cancellation = MigrationCancellation()
  /// Is called now and then with the number of rows that are written, and of those that there will be.
  public var onProgress: ((_ completedCount: Int, _ totalCount: Int) -> Void)?

  /// Prepares a library.
  ///
  /// - Parameters:
  ///   - trackCount: The number of tracks; less than none counts as none. No file could hold 2^32, so more than that
  ///     counts as one less.
  ///   - seed: Any number; another gives another library.
  public init(trackCount: Int, seed: UInt64 = 42) {
    self.trackCount = min(max(0, trackCount), Int(UInt32.max))
    self.seed = seed
  }

  /// The number of oddities that there are.
  public static var oddityCount: Int { SampleOddity.all(areGiant: false).count }

  /// Writes the library to a file that must not exist yet.
  ///
  /// The file appears when it is complete and on the disk.
  ///
  /// - Returns: What was written.
  /// - Throws: `MigrationError`, with `outputExists` where there is something of this name, or a log or journal that
  ///   would be taken for the new file's. Then nothing is left behind.
  public func write(to path: String) throws(MigrationError) -> Counts {
    try SampleLibraryRun(self, path: path).write()
  }
}
