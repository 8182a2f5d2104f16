extension StoreFile {
  /// How many other names the file has: hard links, which stay what they are when another file takes its place.
  ///
  /// - Parameter path: A name that does not count: that of the backup, which a run that was stopped may have made already.
  package func otherNamesCount(besides path: String? = nil) -> Int {
    let status = FileStatus(resolvedPath) ?? status
    let isBackupThere = path.flatMap { FileStatus(unresolved: $0) }?.isSameFile(as: status) == true
    return max(0, Int(clamping: status.linkCount) - (isBackupThere ? 2 : 1))
  }
}
