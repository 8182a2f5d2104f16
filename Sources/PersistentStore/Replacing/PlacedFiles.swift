internal import Diagnostics

/// The files that a run has given names to so far, which are taken back if it fails.
///
/// A name does not say whose file has it by then. So each is compared with what was put there: what somebody else has put
/// there since stays. Only between that look and the removal that follows it nobody can be kept from the name.
struct PlacedFiles {
  private struct Placement {
    let path: String
    let file: FileStatus
    /// Where the file is that had the name before.
    let earlierPath: String?
  }

  private var placements: [Placement] = []

  /// Notes that a file has a name now.
  ///
  /// - Parameter earlierPath: Another name of the file that it has replaced.
  mutating func add(_ file: FileStatus, at path: String, replacing earlierPath: String? = nil) {
    placements.append(Placement(path: path, file: file, earlierPath: earlierPath))
  }

  /// Takes all of them back, the last one first.
  ///
  /// - Returns: The error because of which that is done, with what could not be taken back.
  func takeBack(after error: MigrationError) -> MigrationError {
    var error = error
    for placement in placements.reversed() {
      do throws(MigrationError) {
        if let remark = try Self.takeBack(placement) { error.remarks.append(remark) }
      } catch let failure {
        let reason = failure.detail ?? ErrorMessage(failure).problem
        error.remarks.append(
          placement.earlierPath.map { "what '\(placement.path)' was before is '\($0)' now (\(reason))" }
            ?? "'\(placement.path)' could not be removed (\(reason))")
      }
    }
    return error
  }

  private static func takeBack(_ placement: Placement) throws(MigrationError) -> String? {
    let path = placement.path
    let isGone = try !FileSystem.isThere(path)
    let isOurs = try FileSystem.leads(path, to: placement.file, followingLinks: false)
    guard isGone || isOurs else {
      if let earlierPath = placement.earlierPath { FileSystem.remove(earlierPath) }
      return "'\(path)' is another program's file by now and was left alone"
    }
    guard let earlierPath = placement.earlierPath else {
      try FileSystem.remove(path, orThrow: .inputOutput)
      return nil
    }
    try FileSystem.move(earlierPath, replacing: path)
    try FileSystem.synchronizeFolder(of: path)
    return nil
  }

  /// Lets go of what was replaced, once nothing will be taken back.
  func discardEarlierFiles() {
    for path in placements.compactMap(\.earlierPath) { FileSystem.remove(path) }
  }
}
