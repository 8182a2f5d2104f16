package import Migration
package import MigrationDiagnostics
internal import PersistentStore
internal import TrackLibrary

/// A generated library of version 1, of any size, for trying out a migration.
///
/// The same number of tracks, seed and options always produce the same bytes. It is shaped like real libraries: about
/// 920 bytes of JSON per track, 1.4 artists per track, a few of them heard often and most hardly ever, and names in
/// many scripts. Memory does not depend on the size, because artists are not kept: each is derived from its number.
///
/// ```swift
/// var library = SampleLibrary(trackCount: 1_000)
/// library.includesOddities = true
/// let counts = try library.write(to: "Sample.sqlite")
/// ```
package struct SampleLibrary {
  /// The number of tracks, oddities included.
  package let trackCount: Int
  /// The seed of all random contents.
  package var seed: UInt64
  /// Whether the library begins with tracks that are odd or broken in one way each; their titles say in which.
  ///
  /// A library of fewer tracks than there are oddities holds the first of them.
  package var includesOddities = false
  /// Whether the two large oddities have 200,000 levels of nesting and 2 MiB, rather than 2,000 and 128 KiB.
  package var includesGiants = false
  /// Whether the last quarter of the tracks is in a write-ahead log beside the library, as a program leaves it that has
  /// not been closed.
  ///
  /// The library's own file lacks these tracks.
  package var leavesWriteAheadLog = false
  /// A request to stop, after which nothing is left.
  package var cancellation = MigrationCancellation()
  /// Is called now and then with the number of rows that are written, and of those that there will be.
  package var onProgress: ((_ completedCount: Int, _ totalCount: Int) -> Void)?

  /// Creates a library to be written.
  ///
  /// - Parameters:
  ///   - trackCount: The number of tracks; less than none counts as none. No file could hold 2^32, so more than that
  ///     counts as one less.
  ///   - seed: Any number; another gives another library.
  package init(trackCount: Int, seed: UInt64 = 42) {
    self.trackCount = min(max(0, trackCount), Int(UInt32.max))
    self.seed = seed
  }

  /// The number of oddities that there are.
  package static var oddityCount: Int { SampleOddity.all(areGiant: false).count }

  /// Writes the library to a file that must not exist yet.
  ///
  /// The file appears once it is complete and on disk.
  ///
  /// - Returns: What was written.
  /// - Throws: `MigrationError`, with `outputExists` where there is something of this name, or a log or journal that
  ///   would be taken for the new file's. Then nothing is left behind.
  package func write(to path: String) throws(MigrationError) -> Counts {
    try SampleLibraryRun(self, path: path).write()
  }
}

extension SampleLibrary {
  /// The numbers of written rows.
  package struct Counts: Sendable, Hashable {
    /// The number of tracks.
    package var trackCount = 0
    /// The number of tracks among them that are odd.
    package var oddityCount = 0
    /// The number of tracks that only the write-ahead log holds.
    package var trackCountInWriteAheadLog = 0
    /// The number of artists that the tracks were drawn from, apart from oddities.
    ///
    /// Not all of them need occur.
    package var possibleArtistCount = 0
    /// The size of the library's file in bytes.
    package var size: Int64 = 0
    /// The size of its write-ahead log in bytes.
    package var writeAheadLogSize: Int64 = 0
  }
}

/// One attempt to write a sample, which cleans up if it fails.
private struct SampleLibraryRun {
  private let library: SampleLibrary
  private let file: NewStoreFile

  init(_ library: SampleLibrary, path: String) throws(MigrationError) {
    self.library = library
    file = try NewStoreFile(path: path)
  }

  func write() throws(MigrationError) -> SampleLibrary.Counts {
    do throws(MigrationError) {
      let counts = try build()
      try publish()
      return counts
    } catch {
      FileSystem.remove(completePath)
      throw file.discard(after: error)
    }
  }

  private var stagedLogPath: String { file.stagedPath + "-wal" }
  /// The library with all its tracks, from which the log is created.
  private var completePath: String { file.staging.companion("complete") }

  private func build() throws(MigrationError) -> SampleLibrary.Counts {
    let loggedCount = library.leavesWriteAheadLog ? (library.trackCount + 3) / 4 : 0
    let ownCount = library.trackCount - loggedCount
    var writer = SampleLibraryWriter(library)
    writer.totalCount = ownCount + (library.leavesWriteAheadLog ? library.trackCount : 0)
    try writer.write(rows: ownCount, to: file.stagedPath)
    try file.settleHeader(usesWriteAheadLog: library.leavesWriteAheadLog)
    if library.leavesWriteAheadLog { try buildLog(&writer) }
    return SampleLibrary.Counts(
      trackCount: library.trackCount, oddityCount: writer.oddityCount, trackCountInWriteAheadLog: loggedCount,
      possibleArtistCount: writer.possibleArtistCount, size: FileStatus(file.stagedPath)?.size ?? 0,
      writeAheadLogSize: FileStatus(stagedLogPath)?.size ?? 0)
  }

  /// Writes the whole library too, and logs the pages that differ.
  private func buildLog(_ writer: inout SampleLibraryWriter) throws(MigrationError) {
    try writer.write(rows: library.trackCount, to: file.staging.makeCompanion("complete"))
    try SampleFile(updating: completePath).settleHeader(usesWriteAheadLog: true)
    var random = SplitMix64(seed: library.seed, purpose: .store, index: 1)
    try SampleWriteAheadLog(salt: random.next()).write(
      to: stagedLogPath, from: SampleFile(reading: file.stagedPath), to: SampleFile(reading: completePath))
    FileSystem.remove(completePath)
  }

  /// Gives the files their final names, the log first.
  ///
  /// A log without its library is harmless, while a library without its log would lack tracks.
  private func publish() throws(MigrationError) {
    try file.prepare()
    if library.leavesWriteAheadLog {
      try NewFileAccess(from: []).give(toFileAt: stagedLogPath)
      guard try FileSystem.moveWithoutReplacing(stagedLogPath, to: file.target + "-wal") else {
        throw MigrationError(.outputExists, path: file.path + "-wal")
      }
    }
    do throws(MigrationError) {
      if library.leavesWriteAheadLog { try FileSystem.synchronizeFolder(of: file.target) }
      try file.move()
    } catch {
      if library.leavesWriteAheadLog { FileSystem.remove(file.target + "-wal") }
      throw error
    }
    try file.confirm()
  }
}

/// Writes the rows of a sample, starting with the first.
private struct SampleLibraryWriter {
  /// The number of rows between progress reports.
  private static let progressStep = 4096

  let library: SampleLibrary
  let possibleArtistCount: Int
  private let oddities: [SampleOddity]
  /// The counts for progress reports besides the rows of this store: the rows before it, and the total.
  var completedCount = 0
  var totalCount = 0

  init(_ library: SampleLibrary) {
    self.library = library
    // One artist for every eight tracks, if there are enough tracks.
    possibleArtistCount = max(10, library.trackCount / 8)
    oddities = library.includesOddities ? SampleOddity.all(areGiant: library.includesGiants) : []
  }

  var oddityCount: Int { min(oddities.count, library.trackCount) }

  /// Writes a store with the first rows.
  mutating func write(rows: Int, to path: String) throws(MigrationError) {
    let model = TrackModelVersion.v1.model
    let writer = try StoreWriter(path: path, schema: StoreSchema(model), layout: .coreData)
    try insert(rows, into: writer)
    var random = SplitMix64(seed: library.seed, purpose: .store)
    try writer.finish(metadata: .new(for: model, uuid: random.nextUUID()))
  }

  /// A separate function, so that its statement is released before the store is closed.
  private mutating func insert(_ rows: Int, into writer: StoreWriter) throws(MigrationError) {
    let inserter = try writer.inserter(forEntityNamed: "Track", properties: SampleRow.properties)
    var tracks = SampleTracks(seed: library.seed, possibleArtistCount: possibleArtistCount)
    var row = SampleRow()
    for index in 0..<rows {
      if index.isMultiple(of: Self.progressStep) { try report(index) }
      row.clear()
      if index < oddities.count {
        oddities[index].compose(into: &row)
      } else {
        tracks.compose(index + 1, into: &row)
      }
      try row.insert(into: inserter, primaryKey: Int64(index + 1))
    }
    completedCount += rows
    try report(0)
  }

  private func report(_ rows: Int) throws(MigrationError) {
    if library.cancellation.isCancelled { throw MigrationError(.interrupted) }
    library.onProgress?(completedCount + rows, totalCount)
  }
}
