import Foundation
import TestSupport

/// Swift source as models for tests of the command.
enum SwiftSource {
  /// Whether the machine has a compiler with the libraries that macros are built with.
  static let hasToolchain: Bool = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let compiler = folders.map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    return compiler.map { path in
      let real = URL(fileURLWithPath: path).resolvingSymlinksInPath()
      let host = real.deletingLastPathComponent().deletingLastPathComponent().appending(path: "lib/swift/host")
      return Files.exists(host.appending(path: "SwiftSyntaxMacros.swiftmodule").path)
    } ?? false
  }()

  /// A cache of the tests' own, which stays for the next run: to compile the library takes half a minute.
  static let cache: String = {
    let path = FileManager.default.temporaryDirectory.appending(path: "tracks-migrate-tests-swift-\(getuid())").path
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    // Tests that run at once would compile it each for itself.
    if let folder = try? TemporaryFolder(),
      let model = try? folder.source("Models", ["A.swift": "import SwiftData\n@Model class A { init() {} }\n"])
    {
      let words = ["models", "hash", model]
      var runner = CommandRunner(words, folder: folder.path, environment: ["XDG_CACHE_HOME": path])
      // On a busy machine, the compiler needs minutes for the interfaces of swift-syntax.
      runner.timeout *= 4
      _ = try? runner.run()
    }
    return path
  }()

  /// Runs the command with that cache.
  static func run(
    _ words: [String], in folder: TemporaryFolder, environment: [String: String] = [:]
  ) throws -> CommandResult {
    try CommandRunner(
      words, folder: folder.path, environment: ["XDG_CACHE_HOME": cache].merging(environment) { $1 }
    ).run()
  }

  /// The version hashes of `models hash --format json`, by entity.
  static func hashes(of model: String, in folder: TemporaryFolder) throws -> [String: String] {
    let result = try run(["models", "hash", model, "--format", "ndjson"], in: folder)
    guard result.status == 0 else { throw Failure(result: result) }
    var hashes: [String: String] = [:]
    for line in result.lines {
      let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      if let entity = record?["entity"] as? String { hashes[entity] = record?["hash"] as? String }
    }
    return hashes
  }

  struct Failure: Error {
    let result: CommandResult
  }
}

extension TemporaryFolder {
  /// Writes Swift files below a folder, and gives its path within this one.
  func source(_ name: String, _ files: [String: String]) throws -> String {
    for (file, text) in files {
      let path = URL(fileURLWithPath: self.file("\(name)/\(file)"))
      try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: path)
    }
    return name
  }
}
