internal import Foundation

/// Programs of others, as the other side of a lock.
///
/// Tests that need one skip without it.
public enum Program {
  /// SQLite's shell.
  public static let sqlite = find("sqlite3")
  /// The program that holds a kernel lock.
  public static let flock = find("flock")

  /// The path of a program, if it is installed.
  public static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return (path.split(separator: ":").map(String.init) + ["/usr/bin"]).map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

/// A process that runs until it is told to end, and answers line by line.
public final class Companion {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts a program.
  public init(_ program: String, _ arguments: [String]) throws {
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
  }

  deinit {
    end()
  }

  /// Sends a line, and waits for the next line of output.
  public func ask(_ line: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    return readLine()
  }

  /// Waits for the next line of output.
  public func readLine() -> String {
    var line: [UInt8] = []
    while let byte = try? output.fileHandleForReading.read(upToCount: 1), let first = byte.first, first != 0x0A {
      line.append(first)
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// Ends the program, and waits until it is gone.
  public func end() {
    try? input.fileHandleForWriting.close()
    process.terminate()
    process.waitUntilExit()
  }
}
