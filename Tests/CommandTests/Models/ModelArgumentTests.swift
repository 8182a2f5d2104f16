import TestSupport
import Testing

/// A model is named alike everywhere: as an argument or with `--model`, with or without a version after a colon.
@Suite("How models are named")
struct ModelArgumentTests {
  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    let text = { (name: String) in "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"/>" }
    _ = try folder.writeAppModel(
      entity: "E", versions: [text("x"), text("x") + text("y"), text("x") + text("y") + text("z")])
    store = folder.file("App.sqlite")
    try run("fixture", "new", "--model", "App.xcdatamodeld:App", "--rows", "3", "App.sqlite").expectSuccess()
  }

  private func run(_ words: String...) throws -> CommandResult { try run(words) }

  private func run(_ words: [String]) throws -> CommandResult { try CommandRunner(words, folder: folder.path).run() }

  @Test(arguments: [["rehearse", "--rows", "2"], ["models", "guard"], ["models", "lint"]])
  func `A command about all versions takes the model as an argument and with --model`(command: [String]) throws {
    let named = try run(command + ["App.xcdatamodeld"])
    #expect(named.status == 0 && !named.stdout.isEmpty, "\(named)")
    let chosen = try run(command + ["--model", "App.xcdatamodeld"])
    #expect(chosen.stdout == named.stdout && chosen.status == 0, "\(chosen)")
    let missing = try run(command)
    #expect(missing.status == 64 && missing.stderr.contains("the argument '<"), "\(missing)")
    let two = try run(command + ["App.xcdatamodeld", "--model", "Other.xcdatamodeld"])
    #expect(two.status == 64 && two.stderr.contains("two models"), "\(two)")
  }

  @Test(arguments: [["rehearse"], ["models", "guard"]])
  func `A version by its own path leads to its bundle`(command: [String]) throws {
    let result = try run(command + ["App.xcdatamodeld/App 2.xcdatamodel"])
    #expect(result.status == 64, "\(result)")
    #expect(
      result.stderr.contains(
        "'App.xcdatamodeld/App 2.xcdatamodel' is one version of 'App.xcdatamodeld'. Name the bundle"), "\(result)")
  }

  @Test func `A store of a version that was not named leads to the bundle of all versions`() throws {
    // Its own copy of its model would do.
    try Database.run("DELETE FROM Z_MODELCACHE", in: store)
    let result = try run("App.sqlite", "--model", "App.xcdatamodeld/App 2.xcdatamodel")
    #expect(result.status == 69, "\(result)")
    #expect(
      result.stderr.contains(
        "'App.xcdatamodeld/App 2.xcdatamodel' is one version of 'App.xcdatamodeld': name the bundle"), "\(result)")
  }

  @Test func `A version after a colon is the one to migrate to, and the backup is what it is compared with`() throws {
    let result = try run("App.sqlite", "--model", "App.xcdatamodeld:App 2")
    #expect(result.status == 0 && result.stderr.hasPrefix("Migrated 'App.sqlite' from 'App' to 'App 2'"), "\(result)")
    let verified = try run("verify", "App.sqlite", "--model", "App.xcdatamodeld:App 2")
    #expect(verified.status == 0, "\(verified)")
    #expect(verified.stderr.hasPrefix("'App.sqlite' matches 'App.sqlite.App-backup': "), "\(verified)")
    // The same names are the same version, and others are none.
    #expect(try run("App.sqlite", "--model", "App.xcdatamodeld:App 2", "--to", "App 2").status == 0)
    let both = try run("App.sqlite", "--model", "App.xcdatamodeld:App 2", "--to", "App 3")
    #expect(both.status == 64 && both.stderr.contains("names the version 'App 2', and '--to' names 'App 3'"), "\(both)")
    let none = try run("App.sqlite", "--model", "App.xcdatamodeld:App 9")
    #expect(none.status == 69 && none.stderr.contains("it has 'App', 'App 2', 'App 3'"), "\(none)")
  }

  @Test(arguments: [
    ["query", "App.sqlite", "E", "--model", "M"], ["export", "App.sqlite", "--entity", "E", "--model", "M"],
    ["diff", "App.sqlite", "App.sqlite", "--model", "M"], ["info", "App.sqlite", "--model", "M"],
    ["report", "App.sqlite", "--output", "-", "--model", "M"], ["batch", "App.sqlite", "--model", "M"],
    ["App.sqlite", "--dry-run", "--model", "M"], ["models", "guard", "M"], ["models", "lint", "--model", "M"],
    ["models", "show", "M"], ["models", "hash", "M"], ["models", "explain", "App.sqlite", "M"],
    ["models", "compile", "M", "--output", "One.mom"], ["rehearse", "M", "--rows", "2", "--allow-loss"],
  ])
  func `A version after a colon is taken wherever a model is`(words: [String]) throws {
    let result = try run(words.map { $0 == "M" ? "App.xcdatamodeld:App" : $0 })
    // `rehearse` and `lint` may find fault with a version that is not the last.
    #expect(
      result.status == 0 || ["rehearse", "lint"].contains { words.contains($0) } && result.status == 3, "\(result)")
    #expect(!result.stderr.contains("error:"), "\(result)")
  }

  @Test func `A store that has another version than the one after the colon is told from it`() throws {
    let result = try run("query", "App.sqlite", "E", "--model", "App.xcdatamodeld:App 2")
    #expect(result.status == 69, "\(result)")
    #expect(
      result.stderr.contains(
        "See what differs from the nearest version with: tracks-migrate models explain 'App.sqlite' "
          + "'App.xcdatamodeld:App 2'"), "\(result)")
  }

  // MARK: - Marks and changed versions

  private func mark(_ version: String) throws {
    try Files.write(
      "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>\(version).xcdatamodel</string></dict></plist>",
      to: folder.file("App.xcdatamodeld/.xccurrentversion"))
  }

  @Test(arguments: [
    ("App", "'App' is marked as the current version, and 'App 2' and 'App 3' come after it."),
    ("App 2", "'App 2' is marked as the current version, and 'App 3' comes after it."), ("App 3", nil),
  ])
  func `A mark that was forgotten is said where it decides`(version: String, warning: String?) throws {
    try mark(version)
    for words in [
      ["App.sqlite", "--model", "App.xcdatamodeld", "--dry-run"], ["App.sqlite", "--model", "App.xcdatamodeld"],
      ["rehearse", "App.xcdatamodeld", "--rows", "2", "--allow-loss"],
    ] {
      let result = try run(words)
      #expect(result.stderr.contains(" is marked as the current version") == (warning != nil), "\(result)")
      if let warning {
        #expect(
          result.stderr.contains(
            "tracks-migrate: warning: \(warning) Mark another one in Xcode if this was forgotten, or name the version "
              + "with --to."), "\(result)")
      }
    }
    // Who names a version wants it.
    let named = try run("App.sqlite", "--model", "App.xcdatamodeld", "--to", version)
    #expect(!named.stderr.contains("is marked as"), "\(named)")
  }

  @Test func `A version that was changed after it had been released leads to what differs`() throws {
    for version in ["App", "App 2", "App 3"] {
      let path = folder.file("App.xcdatamodeld/\(version).xcdatamodel/contents")
      try Files.write(Files.text(path).replacing("\"String\"", with: "\"Integer 16\""), to: path)
    }
    let result = try run("App.sqlite", "--model", "App.xcdatamodeld", "--no-infer")
    #expect(result.status == 69, "\(result)")
    #expect(
      result.stderr.contains(
        "was written with an unknown model: the versions have 'E' too, but none of them as this store does"),
      "\(result)")
    let advised = try #require(result.stderr.firstMatch(of: /tracks-migrate (models explain .*)/)).1
    let explained = try CommandRunner.shell("$TOOL \(advised)", in: folder.path).run()
    #expect(explained.status == 3 && explained.stdout.contains("no, but nearest"), "\(explained)")
  }
}
