public import Diagnostics
internal import SystemC

/// The hidden file beside a library in which its successor is built.
///
/// Its name follows from the library's, and it is locked with a kernel lock that ends with the process. So two runs
/// exclude each other, and a file that is there without a lock is what a run that died has left: the next run takes it
/// over, empties it and begins again. No step by hand is ever needed.
public final class StagingFile {
  /// Where the new store is built.
  public let path: String
  private let descriptor: Int32

  /// Takes the file, and empties what a dead run has left.
  ///
  /// - Parameters:
  ///   - target: The resolved path of the file that the result will replace or become.
  ///   - name: The target as the user named it, for messages.
  /// - Throws: `MigrationError` when another run is at work or the folder cannot be written to.
  public init(for target: String, named name: String) throws(MigrationError) {
    path = Self.path(for: target)
    descriptor = try Self.lock(path, named: name)
    for file in leftovers { FileSystem.remove(file) }
    // Throwing from here on runs `deinit`, which closes the file.
    guard ftruncate(descriptor, 0) == 0 else {
      let failure = FileSystem.failure(.cannotCreate, name)
      FileSystem.remove(path)
      throw failure
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
    guard let result = FileStatus(target), let staged = FileStatus(path), result.isSameFile(as: staged) else { return }
    FileSystem.remove(path)
  }

  /// A file beside this one for something that is published together with the store.
  package func companion(_ suffix: String) -> String { "\(path).\(suffix)" }

  /// Removes all that was built.
  public func discard() {
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
    // Each turn but the last means that another run has just ended: more than a few cannot be.
    for _ in 1...100 {
      let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw FileSystem.failure(.cannotCreate, name) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let isTaken = errno == EWOULDBLOCK
        let error = isTaken ? MigrationError(.alreadyRunning, path: name) : FileSystem.failure(.cannotCreate, name)
        // Where nobody can have a lock, an empty file is this run's, or that of one that died as soon as it had made it.
        if !isTaken, FileStatus(descriptor: descriptor)?.size == 0 { FileSystem.remove(path) }
        close(descriptor)
        throw error
      }
      // Another run may have renamed or removed the file between opening and locking; then this lock is on nothing.
      if let locked = FileStatus(descriptor: descriptor), let named = FileStatus(path), locked.isSameFile(as: named) {
        if locked.linkCount <= 1 { return descriptor }
        // A run that died while it published its result: this is the result's second name, and not to be emptied.
        FileSystem.remove(path)
      }
      close(descriptor)
    }
    throw MigrationError(.alreadyRunning, path: name)
  }
}
