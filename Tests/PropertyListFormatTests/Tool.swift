import Foundation
import TestSupport

/// Programs that tests compare with.
enum Tool {
  static let plutil = Program.find("plutil")
  static let python = Program.find("python3")

  /// Runs a program and gives what it prints.
  static func run(_ program: String, _ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let inputFile = FileManager.default.temporaryDirectory.appending(path: "input-\(UUID())")
    try Data(input).write(to: inputFile)
    defer { try? FileManager.default.removeItem(at: inputFile) }
    process.standardInput = try FileHandle(forReadingFrom: inputFile)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Array(bytes)
  }
}
