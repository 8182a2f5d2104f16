import Foundation

/// Runs programs.
enum Command {
  /// Runs the built command, which is in the folder of the test executable.
  static func run(_ arguments: String...) throws -> (status: Int32, errors: String) {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    let tool = URL(filePath: own).deletingLastPathComponent().appending(path: "tracks-migrate")
    return try run(tool.path(percentEncoded: false), arguments)
  }

  /// Runs a program and waits until it ends.
  static func run(_ path: String, _ arguments: [String]) throws -> (status: Int32, errors: String) {
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}
