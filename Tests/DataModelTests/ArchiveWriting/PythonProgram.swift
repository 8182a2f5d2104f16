import Foundation
import TestSupport

/// Python, whose `plistlib` knows keyed archives too.
enum PythonProgram {
  static let path = Program.find("python3")

  /// Runs a script and gives what it prints.
  static func run(_ script: String, input: [UInt8]) throws -> String {
    let folder = try TemporaryFolder()
    try Files.write(input, to: folder.file("input"))
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: path ?? "")
    process.arguments = ["-c", script]
    process.standardInput = try FileHandle(forReadingFrom: URL(filePath: folder.file("input")))
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self)
  }
}
