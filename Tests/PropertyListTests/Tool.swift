import Foundation

/// Programs of others that tests compare with.
enum Tool {
  static let plutil = find("plutil")
  static let python = find("python3")

  private static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/bin", "/opt/swift/usr/bin"]
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

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
