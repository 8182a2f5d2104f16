import Foundation
import TestSupport
import Testing

/// The built command, which is in the folder of the test executable.
enum Tool {
  static let path = folder + "/tracks-migrate"

  private static let folder: String = {
    let executable =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: executable).deletingLastPathComponent().path
  }()
}

/// Runs the command with some arguments and waits for it.
func tracksMigrate(
  _ arguments: String..., in folder: String? = nil, environment: [String: String] = [:]
) throws -> CommandResult {
  try CommandRunner(arguments, folder: folder, environment: environment).run()
}

/// Runs the command with some arguments and requires success.
@discardableResult
func successfully(
  _ arguments: String..., in folder: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws -> CommandResult {
  try successfully(arguments, in: folder, sourceLocation: sourceLocation)
}

/// Runs the command with some arguments and requires success.
@discardableResult
func successfully(
  _ arguments: [String], in folder: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws -> CommandResult {
  let result = try CommandRunner(arguments, folder: folder).run()
  try #require(result.status == 0, "\(result)", sourceLocation: sourceLocation)
  return result
}

extension TemporaryFolder {
  /// Makes a library of the program's own samples and migrates it.
  func migratedSample(trackCount: Int = 20) throws -> String {
    let library = file("Library.sqlite")
    try successfully("sample", "\(trackCount)", library)
    try successfully(library, "--quiet", "--no-backup")
    return library
  }
}
