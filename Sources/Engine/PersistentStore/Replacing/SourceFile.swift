internal import CoreDataExpressions
internal import Foundation
package import MigrationDiagnostics
internal import SystemC

/// A file of the store that a result was made from, or of the result, as it was then.
///
/// Statistics of a batch's results hold it, so that a later run can tell whether the result is still that of the store. Times
/// alone do not tell: copies may have any.
package struct SourceFile: Codable, Sendable, Hashable {
  /// The file's name; bytes that are not UTF-8 are spelled out.
  private let name: String
  private let sizeBytes: Int64
  /// When the file was written, by its own account, in nanoseconds since 1970.
  private let modifiedAtNanoseconds: Int64
  /// When the file system last changed anything about the file; `nil` if that may be the present moment of its clock.
  private let changedAtNanoseconds: Int64?
  private let fileNumber: UInt64
  /// The hash of its bytes, in hexadecimal.
  private let sha256: String

  private enum CodingKeys: String, CodingKey {
    case name
    case sizeBytes = "size_bytes"
    case modifiedAtNanoseconds = "modified_at_nanoseconds"
    case changedAtNanoseconds = "changed_at_nanoseconds"
    case fileNumber = "file_number"
    case sha256
  }

  /// A change within the same tick of the file system's clock would not show in its times.
  private static let tick: Int64 = 2_000_000_000

  /// The time that it takes to give a result and its statistics their names.
  private static let publishing: Int64 = 250_000_000

  private init(_ path: String, _ status: FileStatus) throws(MigrationError) {
    name = Self.name(path)
    (sizeBytes, modifiedAtNanoseconds, fileNumber) = (status.size, status.modificationTime, status.fileNumber)
    let now = Int64(Date().timeIntervalSince1970 * 1e9)
    changedAtNanoseconds = (status.changeTime..<status.changeTime + Self.tick).contains(now) ? nil : status.changeTime
    sha256 = HexadecimalText.encode(try FileSystem.sha256(of: path))
  }

  private static func name(_ path: String) -> String { FileSystem.split(path).name.spellingPathBytes }

  /// Notes a result that is complete and has not its name yet.
  ///
  /// To give it that name will change the time of its last change.
  package init(ofResultAt path: String, named target: String) throws(MigrationError) {
    guard let status = FileStatus(unresolved: path) else { throw FileSystem.failure(.inputOutput, target) }
    name = Self.name(target)
    (sizeBytes, modifiedAtNanoseconds, fileNumber) = (status.size, status.modificationTime, status.fileNumber)
    changedAtNanoseconds = nil
    sha256 = HexadecimalText.encode(try FileSystem.sha256(of: path))
  }

  /// The files of a store whose bytes count: its database and, if it is not empty, its write-ahead log.
  ///
  /// The store must not be open in this process: to close a file would end the locks on it.
  package static func all(ofStoreAt path: String) throws(MigrationError) -> [SourceFile] {
    try present(path).map { file throws(MigrationError) in try SourceFile(file.path, file.status) }
  }

  private static func present(_ path: String) throws(MigrationError) -> [(path: String, status: FileStatus)] {
    let file = try StoreFile(path)
    let log = file.resolvedPath + "-wal"
    return [(file.resolvedPath, file.status)]
      + (FileStatus(log).map { $0.size > 0 ? [(log, $0)] : [] } ?? [])
  }

  /// Whether a store still has the bytes of these files.
  ///
  /// They are only read if a file's times or place do not show that it was not touched.
  ///
  /// - Parameter statistics: The statistics with which the store was published, if its files were noted before it got
  ///   its name: then the time of its last change is not known exactly.
  package static func areUnchanged(
    _ files: [SourceFile], ofStoreAt path: String, publishedWith statistics: String? = nil
  ) throws(MigrationError) -> Bool {
    let present = try present(path)
    guard present.count == files.count else { return false }
    let publishedAt = statistics.flatMap { FileStatus($0)?.changeTime }.map { $0 + publishing }
    for (file, (path, status)) in zip(files, present) {
      guard file.sizeBytes == status.size else { return false }
      let isUntouched =
        (publishedAt.map { status.changeTime <= $0 } ?? (file.changedAtNanoseconds == status.changeTime))
        && file.modifiedAtNanoseconds == status.modificationTime && file.fileNumber == status.fileNumber
        && file.name.utf8.elementsEqual(name(path).utf8)
      if isUntouched { continue }
      guard HexadecimalText.encode(try FileSystem.sha256(of: path)) == file.sha256 else { return false }
    }
    return true
  }
}
