import Foundation
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Each thing that `models guard` and `rehearse` are there for goes wrong in an app team's files, and is mended.
@Suite("Guards of an app team's models")
struct GuardTests {
  private let folder: TemporaryFolder
  private var bundle: String { folder.file("MyApp.xcdatamodeld") }

  init() throws {
    folder = try TemporaryFolder()
    let team = Checkout.root.appending(path: "Examples/AppTeam").path
    for name in ["MyApp.xcdatamodeld", "MyApp_v1_to_v2.xcmappingmodel"] {
      try Files.copy("\(team)/\(name)", to: folder.file(name))
    }
  }

  private func check(_ options: String...) throws -> CommandResult {
    try CommandRunner(["models", "guard", bundle] + options, folder: folder.path).run()
  }

  private func edit(_ version: String, _ old: String, _ new: String) throws {
    let path = "\(bundle)/\(version).xcdatamodel/contents"
    let text = try Files.text(path)
    #expect(text.contains(old))
    try Files.write(text.replacing(old, with: new), to: path)
  }

  private func mark(_ version: String) throws {
    try Files.write(
      "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>\(version).xcdatamodel</string></dict></plist>",
      to: "\(bundle)/.xccurrentversion")
  }

  @Test func `The example's own models are in order, and its lock file says what has shipped`() throws {
    let team = Checkout.root.appending(path: "Examples/AppTeam/MyApp.xcdatamodeld").path
    let result = try CommandRunner(["models", "guard", team], folder: folder.path).run()
    #expect(result.status == 0 && result.stdout.contains("3 shipped versions unchanged"), "\(result)")
  }

  @Test func `Several runs at once record all their models`() throws {
    for number in 1...8 { try Files.copy(bundle, to: folder.file("M\(number).xcdatamodeld")) }
    let script = #"for m in M[0-9]*.xcdatamodeld; do "$TOOL" models guard $m --update & done; wait"#
    let result = try CommandRunner.shell(script, in: folder.path).run()
    let lock = try Files.text(folder.file("models.lock"))
    for number in 1...8 {
      #expect(result.stderr.components(separatedBy: "'MyApp', 'MyApp 2', 'MyApp 3'").count == 9, "\(result)")
      #expect(lock.contains("\"M\(number).xcdatamodeld\""))
    }
    #expect(try folder.listing().allSatisfy { !$0.hasPrefix(".") })
  }

  @Test func `Versions are recorded although nobody reads the findings`() throws {
    let script = #"("$TOOL" models guard "$1" --update; echo $? >status) | true"#
    _ = try CommandRunner.shell(script, bundle, in: folder.path).run()
    // What cannot be written ends the command by SIGPIPE, after the record; the pipe may hold it until the reader is gone.
    #expect(["0\n", "141\n"].contains(try Files.text(folder.file("status"))))
    #expect(try Files.text(folder.file("models.lock")).contains("\"MyApp 3\""))
  }

  @Test(.enabled(if: FaultInjector.shared != nil, "needs a C compiler"))
  func `A version that cannot be read once is never left out of the record`() throws {
    let injector = try #require(FaultInjector.shared)
    var call = 1
    while true {
      Files.remove(folder.file("models.lock"))
      var runner = CommandRunner(["models", "guard", bundle, "--update"], folder: folder.path)
      runner.environment = injector.environment(
        root: folder.path, ["KINDS": "read,open", "CALL": "\(call)", "ACTION": "\(EIO)"])
      let result = try runner.run()
      guard result.stderr.contains("struck ") else { break }
      let lock = (try? Files.text(folder.file("models.lock"))) ?? ""
      let isWhole = ["\"MyApp\"", "\"MyApp 2\"", "\"MyApp 3\""].allSatisfy { lock.contains("\"name\" : \($0)") }
      #expect((result.status == 0) == isWhole, "call \(call): \(result)")
      #expect(lock.isEmpty || isWhole, "call \(call)")
      call += 1
    }
    #expect(call > 3)
  }

  @Test func `Versions are recorded once, and an edited one is refused and not recorded`() throws {
    let first = try check()
    #expect(first.status == 0 && first.stdout.contains("[not-locked]"), "\(first)")
    let recorded = try check("--update")
    #expect(recorded.status == 0 && recorded.stderr.contains("'MyApp', 'MyApp 2', 'MyApp 3'"), "\(recorded)")
    let lock = try Files.bytes(folder.file("models.lock"))
    #expect(try check("--update").stderr.contains("nothing new"))
    #expect(try Files.bytes(folder.file("models.lock")) == lock)

    try edit("MyApp 2", "name=\"rating\"", "name=\"points\"")
    for options in [[], ["--update"]] {
      let result = try CommandRunner(["models", "guard", bundle] + options, folder: folder.path).run()
      #expect(
        result.status == 3 && result.stdout.contains("[edited-version]") && result.stdout.contains("'Recipe' differs"),
        "\(result)")
    }
    #expect(try Files.bytes(folder.file("models.lock")) == lock)
    try edit("MyApp 2", "name=\"points\"", "name=\"rating\"")
    #expect(try check().status == 0)
  }

  @Test func `A version that is gone, a mark that went back, equal versions and a missing way are found`() throws {
    try successfully("models", "guard", bundle, "--update")
    try mark("MyApp 2")
    #expect(try check().stdout.contains("[current-went-back]"))
    try mark("MyApp 3")
    let third = "\(bundle)/MyApp 3.xcdatamodel"
    try Files.copy(third, to: "\(bundle)/MyApp 4.xcdatamodel")
    #expect(try check().stdout.contains("[same-hashes]"))
    try edit("MyApp 4", "name=\"stars\" attributeType=\"Integer 16\"", "name=\"stars\" attributeType=\"String\"")
    try mark("MyApp 4")
    let way = try check()
    #expect(way.status == 3 && way.stdout.contains("[no-way]") && way.stdout.contains("MyApp 4"), "\(way)")
    try FileManager.default.removeItem(atPath: "\(bundle)/MyApp 4.xcdatamodel")
    try mark("MyApp 3")
    #expect(try check().status == 0)
    try FileManager.default.removeItem(atPath: "\(bundle)/MyApp.xcdatamodel")
    #expect(try check().stdout.contains("[removed-version]"))
  }

  @Test func `What has shipped may be a revision, a copy or another lock file`() throws {
    func git(_ words: String...) throws {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["git", "-C", folder.path, "-c", "user.name=a", "-c", "user.email=a@example.com"] + words
      (process.standardOutput, process.standardError) = (Pipe(), Pipe())
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(words)")
    }
    try git("init", "--quiet")
    try git("add", "-A")
    try git("commit", "--quiet", "-m", "x")
    try Files.copy(bundle, to: folder.file("Copy.xcdatamodeld"))
    #expect(try check("--against", "HEAD").status == 0)
    try edit("MyApp", "name=\"title\"", "name=\"headline\"")
    for against in ["HEAD", folder.file("Copy.xcdatamodeld")] {
      let result = try check("--against", against, "--format", "github")
      #expect(result.status == 3 && result.stdout.contains("title=edited-version::"), "\(result)")
    }
    let unknown = try check("--against", "nosuch")
    #expect(unknown.status == 66 && unknown.stderr.contains("Name a revision"), "\(unknown)")
    let sarif = try check("--against", "HEAD", "--format", "sarif")
    #expect(try JSONSerialization.jsonObject(with: Data(sarif.stdout.utf8)) is [String: Any])
    #expect(try check("--against", "HEAD", "--format", "markdown").stdout.contains("| ❌ | MyApp |"))
  }

  @Test func `A rehearsal writes reports for people and for CI`() throws {
    let (junit, markdown) = (folder.file("r.xml"), folder.file("r.md"))
    let result = try CommandRunner(
      ["rehearse", "--model", bundle, "--rows", "10", "--junit", junit, "--markdown", markdown], folder: folder.path
    ).run()
    // The policy is the app's own, which only its own package has.
    #expect(result.status == 3 && result.stdout.contains("needs the policy 'MyApp.RecipeToRecipePolicy'"), "\(result)")
    #expect(result.stdout.contains("passed  MyApp 2 → MyApp 3"))
    let xml = try XMLDocument(contentsOf: URL(filePath: junit))
    #expect(try xml.nodes(forXPath: "//testcase").count == 4 && xml.nodes(forXPath: "//failure").count == 1)
    #expect(try Files.text(markdown).contains("1 of 2 fail"))
    let missing = try CommandRunner(["rehearse"], folder: folder.path).run()
    #expect(missing.status == 64 && missing.stderr.contains("the argument '<model>' is missing"))
  }
}
