package import MigrationDiagnostics
internal import SystemC

/// The hidden file next to a library in which its successor is built.
///
/// Its name is derived from the library's, and it is locked with a kernel lock that ends with the process. Two runs
/// therefore exclude each other, and a file without a lock was left by an interrupted run: the next run removes it and
/// starts again. Nothing has to be cleaned up by hand, unless that run was another user's.
///
/// In a world-writable folder, another user could create the file first in order to own or read the new library. An
/// existing file is therefore never used, and no other user can read the new one until it is the library.
package final class StagingFile {
  /// The path at which the new store is built.
  package let path: String
  /// The metadata of the library that the new store could not get, as text for people; known after the publication.
  package private(set) var lostAttributes: [String] = []
  private let descriptor: Int32

  /// Creates the file, and removes what an interrupted run has left.
  ///
  /// - Parameters:
  ///   - target: The resolved path of the file that the result will replace or become.
  ///   - name: The target as the user named it, for messages.
  ///   - isStore: Whether SQLite opens it, which limits the length of its path.
  /// - Throws: `MigrationError` if another run is active, or the folder cannot be written to.
  package init(for target: String, named name: String, isStore: Bool = true) throws(MigrationError) {
    path = Self.path(for: target)
    if isStore { try StoreFileNames.requireUsableLength(path, named: name, orThrow: .cannotCreate) }
    descriptor = try Self.lock(path, named: name)
    // Throwing from here on runs `deinit`, which closes the file.
    do throws(MigrationError) {
      // SQLite would use them for the new store.
      for file in leftovers { try FileSystem.removeLeftover(file) }
    } catch {
      FileSystem.remove(path)
      throw error.about(name)
    }
  }

  /// Creates the file for work on a file that is not a store, and waits for other runs that do the same.
  ///
  /// - Throws: `MigrationError`, with `interrupted` if a signal ends the wait.
  package static func waiting(for path: String) throws(MigrationError) -> StagingFile {
    let folder = try FileSystem.resolvedFolder(of: path, else: .cannotCreate)
    let target = FileSystem.sibling(of: folder + "/x", named: FileSystem.split(path).name)
    while true {
      do throws(MigrationError) {
        return try StagingFile(for: target, named: path, isStore: false)
      } catch {
        guard error.code == .alreadyRunning else { throw error }
      }
      if EndRequest.isMade { throw MigrationError(.interrupted, path: path) }
      usleep(20_000)
    }
  }

  deinit {
    close(descriptor)
  }

  /// Removes an empty file that a killed run has left beside a file, unless another run is active.
  ///
  /// One with contents, or with a list of what to take back, is that of a migration, which the next one has to see.
  static func discardLock(besideFileAt target: String) {
    let path = path(for: target)
    guard let found = FileStatus(unresolved: path), found.kind == .regular, found.size == 0,
      !FileSystem.exists(path + ".undo"), let staging = try? StagingFile(for: target, named: target, isStore: false)
    else { return }
    staging.discard()
  }

  static func path(for target: String) -> String {
    FileSystem.sibling(of: target, named: ".\(FileSystem.split(target).name).tracks-migrate")
  }

  /// Removes the staging file if it is only a hard link to the result, left by a run that was interrupted just after
  /// publishing it.
  package static func removeSecondName(ofResultAt target: String) {
    let path = path(for: target)
    guard let result = FileStatus(target), let staged = FileStatus(unresolved: path), result.isSameFile(as: staged)
    else { return }
    FileSystem.remove(path)
  }

  /// The path of a file next to this one that is published together with the store.
  package func companion(_ suffix: String) -> String { "\(path).\(suffix)" }

  /// Creates an empty file next to this one, in which SQLite can build a store that no other user can read.
  package func makeCompanion(_ suffix: String) throws(MigrationError) -> String {
    try StoreFileNames.requireUsableLength(companion(suffix), named: path, orThrow: .cannotCreate)
    close(try FileSystem.createFile(companion(suffix)))
    return companion(suffix)
  }

  /// Applies the metadata of the old store to the complete new one, and writes it to the disk.
  func takeAttributes(of store: StoreFile) throws(MigrationError) {
    guard let locked = FileStatus(descriptor: descriptor) else { throw FileSystem.failure(.inputOutput, path) }
    guard try FileSystem.leads(path, to: locked, followingLinks: false) else {
      throw MigrationError(.changedMeanwhile, path: path)
    }
    lostAttributes = try FileAttributes(of: store.resolvedPath).give(to: descriptor, named: path)
    guard fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, path) }
  }

  /// Removes everything that was built.
  package func discard() {
    for file in leftovers { FileSystem.remove(file) }
    FileSystem.remove(path)
  }

  /// A name beside a store for the rejects that is free, or that the same rejects of an interrupted run already have.
  ///
  /// - Parameters:
  ///   - contents: The file with the rejects.
  ///   - isOwn: Whether a file may be that of an earlier run.
  /// - Returns: The name, and whether the file already exists.
  package static func rejectsPath(
    ofStoreAt target: String, contents: String, isOwn: (String) -> Bool
  ) throws(MigrationError) -> (path: String, isThere: Bool) {
    let base = "\(target).rejects"
    var (path, number) = ("\(base).ndjson", 2)
    while try FileSystem.isThere(path) {
      if isOwn(path), FileContents.areEqual(contents, path) { return (path, true) }
      path = "\(base)-\(number).ndjson"
      number += 1
    }
    return (path, false)
  }

  package static let companionSuffixes =
    ["rejects", "report", "backup", "complete", "export", "document"] + stepSuffixes

  /// The companions that hold, in turn, the results of all hops but the last.
  package static let stepSuffixes = ["step-1", "step-2"]

  private var leftovers: [String] {
    ([path] + Self.stepSuffixes.map { companion($0) }).flatMap { store in
      ["-journal", "-wal", "-shm", SortedRuns.suffix].map { store + $0 }
    } + Self.companionSuffixes.map { companion($0) }
  }

  private static func lock(_ path: String, named name: String) throws(MigrationError) -> Int32 {
    // Each attempt but the last means that another run has just ended or left something, which cannot happen often.
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

  /// Creates the file, or opens an existing one; the descriptor is negative if that has just been removed.
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

  /// Locks a file that was created or opened.
  ///
  /// - Returns: Whether it belongs to this run; otherwise it was left by an interrupted run, and has been removed.
  private static func lock(
    _ descriptor: Int32, _ path: String, isNew: Bool, named name: String
  ) throws(MigrationError) -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      if errno == EWOULDBLOCK { throw MigrationError(.alreadyRunning, path: name) }
      let error = FileSystem.failure(.cannotCreate, name)
      // Without locks, an empty file belongs to this run, or to one that was interrupted right after creating it.
      if isNew || FileStatus(descriptor: descriptor)?.size == 0 { FileSystem.remove(path) }
      throw error
    }
    // Another run may have renamed or removed the file between opening and locking; then the lock is worthless.
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
