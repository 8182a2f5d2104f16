import Foundation

/// An installed shell that runs completion scripts.
struct Shell {
  var path: String

  /// Finds a shell, or returns nil if it is not installed.
  init?(_ name: String) {
    let candidates = ["/bin/\(name)", "/usr/bin/\(name)", "/usr/local/bin/\(name)", "/opt/homebrew/bin/\(name)"]
    guard let path = candidates.first(where: FileManager.default.isExecutableFile) else { return nil }
    self.path = path
  }

  /// Runs the shell and returns the lines that it printed, on both streams, and its exit code.
  func run(_ arguments: [String], input: String = "") throws -> (lines: [String], code: Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let (standardInput, output) = (Pipe(), Pipe())
    process.standardInput = standardInput
    process.standardOutput = output
    process.standardError = output
    try process.run()
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (text.split(separator: "\n").map(String.init), process.terminationStatus)
  }
}
