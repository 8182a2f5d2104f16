internal import Diagnostics
internal import SystemC

extension FileSystem {
  /// Makes a folder that nobody else can look into; one that is there already is no failure.
  ///
  /// - Parameter owner: Whose folder it may be besides this user's: what is in anybody else's could be anything.
  /// - Returns: Whether it is new.
  static func makeFolder(_ path: String, orOneOf owner: UInt32) throws(MigrationError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST, let status = FileStatus(unresolved: path) else { throw failure(.cannotCreate, path) }
    guard status.kind == .directory, [geteuid(), owner].contains(status.userID) else { throw obstacle(path) }
    return false
  }

  /// Removes a folder if it is empty.
  ///
  /// - Returns: Whether it is gone.
  static func removeFolder(_ path: String) -> Bool { rmdir(path) == 0 }

  /// The names in a folder; `nil` with `errno` set when it cannot be listed.
  package static func names(in path: String) -> [String]? {
    SystemC.names(inFolder: path)
  }
}
