internal import Diagnostics
internal import PersistentStore

/// One attempt to write a sample, which cleans up if it fails.
struct SampleLibraryRun {
  private let library: SampleLibrary
  /// The path as the user named it.
  private let path: String
  private let target: String
  private let staging: StagingFile

  init(_ library: SampleLibrary, path: String) throws(MigrationError) {
    self.library = library
    self.path = path
    let (folder, name) = FileSystem.split(path)
    guard let resolved = FileSystem.resolved(folder), !name.isEmpty else {
      throw MigrationError(.cannotCreate, path: path, detail: "there is no folder '\(folder)'")
    }
    target = FileSystem.sibling(of: resolved + "/x", named: name)
    // A log or journal of an earlier file of this name would be taken for the new one's.
    for suffix in ["", "-wal", "-shm", "-journal"] where FileSystem.exists(target + suffix) {
      throw MigrationError(.outputExists, path: path + suffix)
    }
    staging = try StagingFile(for: target, named: path)
  }

  func write() throws(MigrationError) -> SampleLibrary.Counts {
    do throws(MigrationError) {
      let counts = try build()
      try publish()
      return counts
    } catch {
      FileSystem.remove(completePath)
      staging.discard()
      if error.code == .outputExists { throw error }
      // Errors about the staged files are about the library that they were to become.
      throw MigrationError(error.code, path: path, detail: error.detail)
    }
  }

  private var stagedLogPath: String { staging.path + "-wal" }
  /// The library with all its tracks, from which the log is made.
  private var completePath: String { staging.companion("complete") }

  private func build() throws(MigrationError) -> SampleLibrary.Counts {
    let loggedCount = library.leavesWriteAheadLog ? (library.trackCount + 3) / 4 : 0
    let ownCount = library.trackCount - loggedCount
    var writer = SampleLibraryWriter(library)
    writer.totalCount = ownCount + (library.leavesWriteAheadLog ? library.trackCount : 0)
    try writer.write(rows: ownCount, to: staging.path)
    try SampleFile(updating: staging.path).settleHeader(usesWriteAheadLog: library.leavesWriteAheadLog)
    if library.leavesWriteAheadLog { try buildLog(&writer) }
    return SampleLibrary.Counts(
      trackCount: library.trackCount, oddityCount: writer.oddityCount, trackCountInWriteAheadLog: loggedCount,
      possibleArtistCount: writer.possibleArtistCount, size: FileStatus(staging.path)?.size ?? 0,
      writeAheadLogSize: FileStatus(stagedLogPath)?.size ?? 0)
  }

  /// Writes the whole library too, and logs the pages in which it differs.
  private func buildLog(_ writer: inout SampleLibraryWriter) throws(MigrationError) {
    FileSystem.remove(completePath)
    try writer.write(rows: library.trackCount, to: completePath)
    try SampleFile(updating: completePath).settleHeader(usesWriteAheadLog: true)
    var random = SplitMix64(seed: library.seed, purpose: .store, index: 1)
    try SampleWriteAheadLog(salt: random.next()).write(
      to: stagedLogPath, from: SampleFile(reading: staging.path), to: SampleFile(reading: completePath))
    FileSystem.remove(completePath)
  }

  /// Gives the files their names, the log first: without its library it is nothing, while a library without its log
  /// would lack tracks.
  private func publish() throws(MigrationError) {
    try SampleFile(updating: staging.path).becomeReadableByOthers()
    try FileSystem.synchronize(staging.path)
    if library.leavesWriteAheadLog {
      try FileSystem.synchronize(stagedLogPath)
      guard try FileSystem.moveWithoutReplacing(stagedLogPath, to: target + "-wal") else {
        throw MigrationError(.outputExists, path: path + "-wal")
      }
    }
    do throws(MigrationError) {
      if library.leavesWriteAheadLog { try FileSystem.synchronizeFolder(of: target) }
      guard try FileSystem.moveWithoutReplacing(staging.path, to: target) else {
        throw MigrationError(.outputExists, path: path)
      }
    } catch {
      if library.leavesWriteAheadLog { FileSystem.remove(target + "-wal") }
      throw error
    }
    try FileSystem.synchronizeFolder(of: target)
  }
}
