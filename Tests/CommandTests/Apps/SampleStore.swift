import Foundation
import TestSupport
import Testing

/// A store of `SampleData`, copied to a private folder, with the model and the mapping models beside it.
struct SampleStore {
  let folder: TemporaryFolder
  let path: String
  let model: String

  /// - Parameter version: The version in the file's name.
  init(_ example: String, version: Int = 1, as name: String = "App.sqlite") throws {
    folder = try TemporaryFolder()
    path = folder.file(name)
    model = Self.data("\(example)/\(example).xcdatamodeld")
    try folder.write(try Files.bytes(Self.data("\(example)/library-v\(version).sqlite")), to: name)
  }

  /// A path in `SampleData`.
  static func data(_ path: String) -> String {
    Checkout.root.appending(path: "SampleData/\(path)").path(percentEncoded: false)
  }

  /// Runs the command on the store with its model.
  func run(_ arguments: String...) throws -> CommandResult {
    try CommandRunner([path, "--model", model] + arguments).run()
  }

  /// Migrates the store and requires success.
  @discardableResult
  func migrate(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> CommandResult {
    let result = try CommandRunner([path, "--model", model] + arguments).run()
    try #require(result.status == 0, "\(result)", sourceLocation: sourceLocation)
    return result
  }

  /// Requires that the command fails and changes nothing.
  func refuse(_ status: Int32, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws
    -> String
  {
    let before = try folder.snapshot()
    let result = try CommandRunner([path, "--model", model] + arguments).run()
    #expect(result.status == status, "\(result)", sourceLocation: sourceLocation)
    #expect(result.stdout == "", sourceLocation: sourceLocation)
    #expect(try folder.snapshot() == before, sourceLocation: sourceLocation)
    return result.stderr
  }

  func rows(_ sql: String) throws -> [String] { try Database.rows(sql, in: path) }
}
