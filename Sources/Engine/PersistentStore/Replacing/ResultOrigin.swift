internal import CoreDataExpressions
internal import DataModel
internal import Foundation
package import MigrationDiagnostics
internal import SystemC

/// What the statistics beside a result say of the run that made it, be it of tracks or of any app's store.
package struct ResultOrigin: Decodable, Sendable {
  /// The files that it was made from; `nil` if the result replaced them.
  package let sourceFiles: [SourceFile]?
  /// The result, as it was made; `nil` if it replaced its source.
  package let resultFile: SourceFile?
  /// The digest of the choices that it was made with; `nil` if it replaced its source.
  package let choices: String?
  /// The options of that run.
  package let options: [String]?
  /// The UUID of the store.
  package let libraryUUID: String?
  /// The name of the backup.
  package let backupFile: String?
  /// The name of the rejects.
  private let rejectsFile: String?

  /// The name of the file with the rejects, as the file system has it.
  package var rejectsName: String? { rejectsFile.map(String.init(spellingOfPathBytes:)) }

  private enum CodingKeys: String, CodingKey {
    case sourceFiles = "source_files"
    case resultFile = "result_file"
    case choices = "choices_sha256"
    case options
    case libraryUUID = "library_uuid"
    case backupFile = "backup_file"
    case rejectsFile = "rejects_file"
  }

  /// Reads statistics; `nil` if there are none, or none that say such things.
  package static func recorded(inStatisticsAt path: String) throws(MigrationError) -> ResultOrigin? {
    guard try FileSystem.isThere(path) else { return nil }
    return try? JSONDecoder().decode(ResultOrigin.self, from: Data(try FileSystem.contents(of: path)))
  }
}

/// Collects what decides, besides the store, what a migration makes of it: options, and the contents of the files that they
/// name.
package struct MigrationChoices: Sendable {
  private var sha256 = Digest.SHA256()

  /// Begins with options that are not the names of files.
  package init(_ options: [String]) { for option in options { sha256.add(counted: Array(option.utf8)) } }

  /// Adds the contents of a file, or of the files in a folder; hidden ones are an editor's, except for the one that says
  /// which version of a model is the current one.
  package mutating func add(contentsOf path: String) throws(MigrationError) {
    guard FileStatus(path)?.kind == .directory else {
      return sha256.add(counted: try FileSystem.contents(ofInput: path))
    }
    guard let names = FileSystem.names(in: path) else { throw FileSystem.failure(.unreadable, path) }
    for name in names.map(\.pathBytes).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard name.first != UInt8(ascii: ".") || name.elementsEqual(".xccurrentversion".utf8) else { continue }
      sha256.add(counted: name)
      try add(contentsOf: "\(path)/\(String(pathBytes: name))")
    }
  }

  /// The digest of all, in hexadecimal.
  package var digest: String { HexadecimalText.encode(sha256.digest) }
}
