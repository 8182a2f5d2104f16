import Foundation
import TestSupport
import Testing

/// A path may be wrong in other ways than by its permissions, and each is told with what to do about it.
@Suite("Reasons why a path cannot be used")
struct PathReasonTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try LibraryBuilder().write(to: folder.file("V1.sqlite"))
    try Files.copy(folder.file("V1.sqlite"), to: folder.file("V2.sqlite"))
    try successfully(folder.file("V2.sqlite"))
    _ = try folder.models("M.xcdatamodeld", ["1": #"<entity name="A" syncable="YES"/>"#], current: "1")
    _ = try folder.makeFolder("folder")
    try Files.link(folder.file("loop"), to: "loop")
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let descriptor = socket(AF_UNIX, numericCast(SOCK_STREAM.rawValue), 0)
    // The name has to be short, and so is that of the folder to be in.
    let name = Array((folder.path + "/s").utf8)
    try #require(name.count < 100)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    #expect(bound == 0)
    close(descriptor)
  }

  /// Command lines in which `@` is a file to be read.
  private static let inputs: [[String]] = [
    ["migrate", "V1.sqlite", "--dry-run", "--json", "@"], ["migrate", "V1.sqlite", "--dry-run", "--decisions", "@"],
    ["migrate", "V1.sqlite", "--dry-run", "--model", "M.xcdatamodeld", "--mapping", "@"], ["migrate", "@"],
    ["artists", "apply", "V2.sqlite", "@"], ["batch", "summarize", "@"], ["batch", "--retry-failed", "@"],
    ["batch", "--files-from", "@"], ["presets", "test", "@"], ["models", "guard", "M.xcdatamodeld", "--against", "@"],
    ["models", "lint", "@"], ["models", "show", "@"], ["report", "V2.sqlite", "--output", "-", "--stats", "@"],
    ["extract", "@"], ["import", "@", "New.sqlite"], ["verify", "V2.sqlite", "--feed", "@"],
    ["verify", "V2.sqlite", "--manifest", "@"], ["verify", "V2.sqlite", "--source", "@"], ["info", "@"],
    ["assemble", "--manifest", "@", "--output", "New.sqlite"], ["restore", "V2.sqlite", "--backup", "@"],
  ]

  private static let kinds = ["folder", "s", "loop", "loop/file", "V1.sqlite/file", String(repeating: "n", count: 300)]

  @Test(arguments: inputs) func `An input of the wrong kind is not a matter of permissions`(words: [String]) throws {
    for path in Self.kinds {
      let result = try CommandRunner(words.map { $0 == "@" ? path : $0 }, folder: folder.path).run()
      #expect(result.status.map { [64, 65, 66].contains($0) } == true, "\(result)")
      #expect(!result.stderr.contains("permissions"), "\(result)")
      #expect(!result.stderr.contains("are not followed"), "\(result)")
    }
  }

  @Test(arguments: [
    ("folder", "it is a folder. No data was changed. Name a file, not a folder."),
    ("s", "it is not a regular file. No data was changed. Name a regular file."),
    ("loop", "It is a symbolic link that leads back to itself: remove it, or name another file."),
    ("loop/file", "One of its folders is a symbolic link that leads back to itself"),
    ("V1.sqlite/file", "one of its folders is a file. No data was changed. Check the path."),
    (String(repeating: "n", count: 300), "Choose a shorter name: with what is added"),
  ])
  func `Each kind of a wrong path has its own advice`(path: String, text: String) throws {
    let result = try CommandRunner(["batch", "summarize", path], folder: folder.path).run()
    #expect(result.stderr.contains(text), "\(result)")
  }

  @Test(arguments: [
    ["batch", "V2.sqlite", "--results", "@"], ["export", "V2.sqlite", "--output", "@"],
    ["report", "V2.sqlite", "--output", "@"],
  ])
  func `An output of the wrong kind is not a matter of its folder`(words: [String]) throws {
    for path in ["folder", "s"] {
      let result = try CommandRunner(words.map { $0 == "@" ? path : $0 }, folder: folder.path).run()
      #expect(result.status == 73, "\(result)")
      #expect(!result.stderr.contains("where you may write"), "\(result)")
    }
  }
}
