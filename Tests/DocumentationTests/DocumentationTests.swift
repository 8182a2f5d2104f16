import Foundation
import TestSupport
import Testing

@Suite("The documentation", .enabled(if: Program.find("docc") != nil && Program.find("swift") != nil))
struct DocumentationTests {
  /// The folder of the modules of this build.
  private static let modules = URL(filePath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "Modules").path(percentEncoded: false)

  @Test(.enabled(if: Files.exists(modules + "/Migration.swiftmodule")))
  func `The documentation builds without a warning, links and parameters included`() throws {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = Checkout.root.appending(path: "Scripts/documentation.sh")
    process.arguments = [
      Self.modules, (Self.modules as NSString).deletingLastPathComponent + "/tracks-migrate", folder.file("site"),
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(output)")
    let pages = try FileManager.default.subpathsOfDirectory(atPath: folder.file("site/data"))
    for page in ["migration/tutorial", "migration/limits", "coredata"] {
      #expect(pages.contains("documentation/\(page).json"))
    }
    for file in ["index.html", "recording.svg", "report.png", "report.html"] {
      #expect(FileManager.default.fileExists(atPath: folder.file("site/\(file)")), "\(file) is missing")
    }
  }
}
