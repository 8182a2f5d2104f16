package import MigrationDiagnostics
internal import SystemC

/// A private folder for intermediate files, which is removed when it is no longer referenced.
///
/// It is locked with a kernel lock that ends with the process: a folder of this user without one was left by a run that was
/// killed, and the next run removes it.
package final class ScratchFolder {
  private let folder: String
  private let descriptor: Int32

  /// A name that no person and no other program gives: what has it is removed.
  private static let beginning = ".tracks-migrate.temporary-"

  /// Creates the folder in `TMPDIR`, or else in `/tmp`, and removes what killed runs have left there.
  package init() throws(MigrationError) {
    let place = getenv("TMPDIR").map { String(path: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    Self.removeLeftovers(in: place)
    // Another run takes a folder for left in the moment before it is locked.
    for _ in 1...100 {
      let folder = "\(place)/\(Self.beginning)\(String(UInt64.random(in: .min ... .max), radix: 36))"
      guard mkdir(folder, 0o700) == 0 else {
        if errno == EEXIST { continue }
        throw Self.failure(place)
      }
      guard let descriptor = Self.lock(folder) else { continue }
      (self.folder, self.descriptor) = (folder, descriptor)
      return
    }
    throw Self.failure(place)
  }

  deinit {
    FileSystem.removeTree(folder)
    close(descriptor)
  }

  /// The path of a file in the folder.
  package func path(_ name: String) -> String { "\(folder)/\(name)" }

  private static func failure(_ place: String) -> MigrationError {
    // The end of the name is another one at each attempt.
    var error = FileSystem.failure(.cannotCreate, "\(place)/\(beginning)XXXXXX")
    if error.code == .cannotCreate { error.advice = "Nothing was changed. Set TMPDIR to a folder where you may write." }
    return error
  }

  /// Locks a folder that has still its name; `nil` if another run uses it or has removed it.
  private static func lock(_ folder: String) -> Int32? {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0, let locked = FileStatus(descriptor: descriptor),
      FileStatus(unresolved: folder)?.isSameFile(as: locked) == true
    {
      return descriptor
    }
    close(descriptor)
    return nil
  }

  private static func removeLeftovers(in place: String) {
    for name in FileSystem.names(in: place) ?? [] where name.hasPrefix(beginning) {
      let folder = "\(place)/\(name)"
      guard FileStatus(unresolved: folder)?.userID == geteuid(), let descriptor = lock(folder) else { continue }
      FileSystem.removeTree(folder)
      close(descriptor)
    }
  }
}

extension FileSystem {
  /// Removes a folder with everything in it, as far as possible, without following links.
  package static func removeTree(_ path: String) {
    guard FileStatus(unresolved: path)?.kind == .directory else { return }
    for name in names(in: path) ?? [] {
      let file = "\(path)/\(name)"
      if FileStatus(unresolved: file)?.kind == .directory { removeTree(file) } else { remove(file) }
    }
    _ = removeFolder(path)
  }
}
