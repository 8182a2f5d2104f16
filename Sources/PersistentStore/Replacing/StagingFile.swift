package import MigrationDiagnostics
internal import SystemC

/// The hidden file beside a library in which its successor is built.
///
/// Its name follows from the library's, and it is locked with a kernel lock that ends with the process. So two runs
/// exclude each other, and a file that is there without a lock is what a run that died has left: the next run removes it
/// and begins again. No step by hand is ever needed, unless that run was another user's.
///
/// In a folder where others may put files, one of them could make the file first, to own the new library or to read it. So
/// a file that is there is never used, and the new one is nobody else's to read until it is the library.
package final class StagingFile {
  /// Where the new store is built.
  package let path: String
  /// What the library has besides its bytes and the new store cannot have, for people; known once that is in place.
  package private(set) var lostAttributes: [String] = []
  private let descriptor: Int32

  /// Makes the file, and removes what a dead run has left.
  ///
  /// - Parameters:
  ///   - target: The resolved path of the file that the result will replace or become.
  ///   - name: The target as the user named it, for messages.
  /// - Throws: `MigrationError` when another run is at work or the folder cannot be written to.
  package init(for target: String, named name: String) throws(MigrationError) {
    path = Self.path(for: target)
    descriptor = try Self.lock(path, named: name)
    // Throwing from here on runs `deinit`, which closes the file.
    do throws(MigrationError) {
      // SQLite would take them for the new store's.
      for file in leftovers { try FileSystem.removeLeftover(file) }
    } catch {
      FileSystem.remove(path)
      throw error.about(name)
    }
  }

  deinit {
    close(descriptor)
  }

  static func path(for target: String) -> String {
    FileSystem.sibling(of: target, named: ".\(FileSystem.split(target).name).tracks-migrate")
  }

  /// Removes the staging file where it is but a second name of the result: what a run has left that died just after it
  /// had published that.
  package static func removeSecondName(ofResultAt target: String) {
    let path = path(for: target)
    guard let result = FileStatus(target), let staged = FileStatus(unresolved: path), result.isSameFile(as: staged)
    else { return }
    FileSystem.remove(path)
  }

  /// A file beside this one for something that is published together with the store.
  package func companion(_ suffix: String) -> String { "\(path).\(suffix)" }

  /// Makes an empty file beside this one, in which SQLite can build a store that nobody else can read.
  package func makeCompanion(_ suffix: String) throws(MigrationError) -> String {
    close(try FileSystem.createFile(companion(suffix)))
    return companion(suffix)
  }

  /// Gives the complete new store what the old one has besides its bytes, and makes sure that it is on the disk.
  func takeAttributes(of store: StoreFile) throws(MigrationError) {
    guard let locked = FileStatus(descriptor: descriptor) else { throw FileSystem.failure(.inputOutput, path) }
    guard try FileSystem.leads(path, to: locked, followingLinks: false) else {
      throw MigrationError(.changedMeanwhile, path: path)
    }
    lostAttributes = try FileAttributes(of: store.resolvedPath).give(to: descriptor, named: path)
    guard fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, path) }
  }

  /// Removes all that was built.
  package func discard() {
    for file in leftovers { FileSystem.remove(file) }
    FileSystem.remove(path)
  }

  package static let companionSuffixes = ["rejects", "backup", "complete"] + stepSuffixes

  /// The companions that hold the results of hops before the last, in turn.
  package static let stepSuffixes = ["step-1", "step-2"]

  private var leftovers: [String] {
    ([path] + Self.stepSuffixes.map { companion($0) }).flatMap { store in
      ["-journal", "-wal", "-shm"].map { store + $0 }
    } + Self.companionSuffixes.map { companion($0) }
  }

  private static func lock(_ path: String, named name: String) throws(MigrationError) -> Int32 {
    // Each turn but the last means that another run has just ended, or has left something: more than a few cannot be.
    for _ in 1...100 {
      let (descriptor, isNew) = try open(path, named: name)
      guard descriptor >= 0 else { continue }
      do throws(MigrationError) {
        if try lock(descriptor, path, isNew: isNew, named: name) { return descriptor }
      } catch {
        close(descriptor)
        throw error
      }
      close(descriptor)
    }
    throw MigrationError(.alreadyRunning, path: name)
  }

  /// Makes the file, or opens the one that is there; neither when it has just gone.
  private static func open(
    _ path: String, named name: String
  ) throws(MigrationError) -> (descriptor: Int32, isNew: Bool) {
    let made = SystemC.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if made >= 0 { return (made, true) }
    guard errno == EEXIST else { throw FileSystem.failure(.cannotCreate, name) }
    let found = openRegularFile(path, O_RDWR)
    guard found < 0, errno != ENOENT else { return (found, false) }
    guard [EACCES, EPERM, EISDIR, ELOOP, notARegularFile].contains(errno) else {
      throw FileSystem.failure(.cannotCreate, name)
    }
    throw FileSystem.obstacle(path, to: name)
  }

  /// Locks a file that was made or found.
  ///
  /// - Returns: Whether it is this run's now; otherwise it has gone, or was what a dead run has left and is gone now.
  private static func lock(
    _ descriptor: Int32, _ path: String, isNew: Bool, named name: String
  ) throws(MigrationError) -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      if errno == EWOULDBLOCK { throw MigrationError(.alreadyRunning, path: name) }
      let error = FileSystem.failure(.cannotCreate, name)
      // Where nobody can have a lock, an empty file is this run's, or that of one that died as soon as it had made it.
      if isNew || FileStatus(descriptor: descriptor)?.size == 0 { FileSystem.remove(path) }
      throw error
    }
    // Another run may have renamed or removed the file between opening and locking; then this lock is on nothing.
    guard let locked = FileStatus(descriptor: descriptor) else { throw FileSystem.failure(.cannotCreate, name) }
    guard let named = FileStatus(unresolved: path) else {
      guard errno == ENOENT else { throw FileSystem.failure(.cannotCreate, name) }
      return false
    }
    guard locked.isSameFile(as: named) else { return false }
    if !isNew {
      do throws(MigrationError) {
        try FileSystem.removeLeftover(path)
      } catch {
        throw error.about(name)
      }
    }
    return isNew
  }
}
