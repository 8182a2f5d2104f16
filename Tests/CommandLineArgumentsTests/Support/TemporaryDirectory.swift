import Foundation

/// A directory with some files that is removed after the test.
final class TemporaryDirectory {
  let url: URL

  init(files: [String: String], directories: [String] = []) throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("CommandLineKit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (name, text) in files { try Data(text.utf8).write(to: url.appendingPathComponent(name)) }
    for name in directories {
      try FileManager.default.createDirectory(at: url.appendingPathComponent(name), withIntermediateDirectories: true)
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
