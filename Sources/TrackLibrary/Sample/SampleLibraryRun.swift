internal import Diagnostics
internal import PersistentStore

/// One attempt to write a sample, which cleans up if it fails.
struct SampleLibraryRun {
  private let library: SampleLibrary
  private let file: SampleTarget

  init(_ library: SampleLibrary, path: String) throws(MigrationError) {
    self.library = library
    file = try SampleTarget(path: path)
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
  /// The library with all its tracks, from which the log is made.
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

  /// Writes the whole library too, and logs the pages in which it differs.
  private func buildLog(_ writer: inout SampleLibraryWriter) throws(MigrationError) {
    try writer.write(rows: library.trackCount, to: file.staging.makeCompanion("complete"))
    try SampleFile(updating: completePath).settleHeader(usesWriteAheadLog: true)
    var random = SplitMix64(seed: library.seed, purpose: .store, index: 1)
    try SampleWriteAheadLog(salt: random.next()).write(
      to: stagedLogPath, from: SampleFile(reading: file.stagedPath), to: SampleFile(reading: completePath))
    FileSystem.remove(completePath)
  }

  /// Gives the files their names, the log first: without its library it is nothing, while a library without its log
  /// would lack tracks.
  private func publish() throws(MigrationError) {
    try file.prepare()
    if library.leavesWriteAheadLog {
      try FileSystem.synchronize(stagedLogPath)
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
    try FileSystem.synchronizeFolder(of: file.target)
  }
}
