import Foundation
import TestSupport
import Testing

@testable import SwiftSchemas

/// An installed command has no checkout, so it carries the sources that it compiles.
@Suite("The sources that the command carries")
struct EmbeddedSourcesTests {
  private let folder = Checkout.root.appending(path: "Sources/Engine/SwiftSchemas").path(percentEncoded: false)

  private static let head = """
    // swift-format-ignore-file
    // The sources in the folder 'Program', as 'make record' writes them down: an installed command has no checkout.

    /// The sources of the module `SwiftData` and of its macros, which the toolchain of the machine compiles.
    enum EmbeddedSources {

    """

  /// A constant with the files of a folder.
  private func constant(_ name: String, _ module: String, _ description: String) throws -> String {
    let folder = "\(folder)/Program/\(module)"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { file in
      "(\"\(file)\", ###\"\"\"\n\(try Files.text("\(folder)/\(file)"))\"\"\"###),\n"
    }
    return "  /// \(description)\n  static let \(name): [(name: String, text: String)] = [\n\(files.joined())  ]\n"
  }

  @Test func `The embedded sources are those of the folder`() throws {
    let expected =
      Self.head + (try constant("swiftData", "SwiftData", "The module `SwiftData`."))
      + (try constant("macros", "SwiftDataMacros", "The macros of that module."))
      + (try constant("pruner", "SourcePruner", "The program that takes out what does not compile.")) + "}\n"
    let file = "\(folder)/EmbeddedSources.swift"
    if ProcessInfo.processInfo.environment["RECORD_TRANSCRIPTS"] != nil { try Files.write(expected, to: file) }
    #expect(try Files.text(file) == expected, "Run 'make record' after a change in 'Program'.")
    let embedded = EmbeddedSources.swiftData + EmbeddedSources.macros + EmbeddedSources.pruner
    #expect(embedded.map(\.name).contains("ModelMacro.swift"))
    #expect(embedded.allSatisfy { expected.contains($0.text) })
  }
}
