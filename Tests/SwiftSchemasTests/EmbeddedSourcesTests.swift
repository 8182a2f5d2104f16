import Foundation
import TestSupport
import Testing

@testable import SwiftSchemas

@Suite("The sources that the command carries")
struct EmbeddedSourcesTests {
  @Test func `Every file of the folder is compiled on the user's machine`() throws {
    let folder = Checkout.root.appending(path: "Sources/Engine/SwiftSchemas/Program").path(percentEncoded: false)
    for (module, files) in [
      ("SwiftData", EmbeddedSources.swiftData), ("SwiftDataMacros", EmbeddedSources.macros),
      ("SourcePruner", EmbeddedSources.pruner),
    ] {
      #expect(
        files.map(\.name) == (try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(module)").sorted()))
      for file in files { #expect(try Files.bytes("\(folder)/\(module)/\(file.name)") == file.text, "\(file.name)") }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 3)
  }
}
