import Foundation
import TestSupport

/// A library that is made once for many tests, each of which copies it.
struct TemplateLibrary: Sendable {
  private let folder: TemporaryFolder
  private let path: String
  /// All of its rows.
  let rows: [String]

  init(trackCount: Int) throws {
    folder = try TemporaryFolder()
    path = try folder.library("Library.sqlite", .many(trackCount))
    rows = try Rows.original(path)
  }

  /// Copies the library into a folder and returns the copy's path.
  func copy(to folder: TemporaryFolder) throws -> String {
    try FileManager.default.copyItem(atPath: path, toPath: folder.file("Library.sqlite"))
    return folder.file("Library.sqlite")
  }
}
