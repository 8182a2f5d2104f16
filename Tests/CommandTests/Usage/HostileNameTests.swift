import Foundation
import TestSupport
import Testing

/// One name that means something to every reader of output goes through every command and format.
@Suite("A hostile name")
struct HostileNameTests {
  @Test(arguments: Rounds.some(1, of: HostileName.all)) func `A hostile name of a model stays text in all formats`(
    name: String
  ) throws {
    let scene = try HostileName(name)
    let (model, old, new) = ("M.xcdatamodeld", "M.xcdatamodeld:0", "M.xcdatamodeld:1")
    for words in [["models", "show", model], ["models", "diff", old, new]] {
      try scene.check(words)
      for format in ["mermaid", "dot", "svg", "markdown"] {
        try scene.check(
          words + ["--as", format], format == "markdown" ? .markdown : format == "mermaid" ? .terminal : .markup)
      }
    }
    for words in [["models", "lint", model], ["models", "guard", model]] {
      for format in ["lines", "table", "json", "ndjson"] { try scene.check(words + ["--format", format]) }
      try scene.check(words + ["--format", "github"], .gitHub)
    }
    try scene.check(["models", "guard", model, "--format", "markdown"], .markdown)
    for words in [
      ["models", "hash", model], ["models", "explain", model, "A.sqlite"], ["info", "A.sqlite"],
      ["query", "A.sqlite", name], ["query", "A.sqlite", "Zz"], ["export", "A.sqlite", "--entity", "Zz"],
      ["diff", "A.sqlite", "A.sqlite", "--entity", "Zz"], ["A.sqlite", "--model", model, "--dry-run", "--verbose"],
      ["A.sqlite", "--model", model],
      ["A.sqlite", "--model", model, "--allow-loss", "--verify", "--output", "B.sqlite"],
    ] { try scene.check(words) }
    for format in ["mermaid", "dot", "svg"] {
      try scene.check(
        ["A.sqlite", "--model", model, "--dry-run", "--as", format], format == "svg" ? .markup : .terminal)
    }
  }

  @Test(arguments: Rounds.some(2, of: HostileName.all)) func `A hostile name stays text in the reports of a rehearsal`(
    name: String
  ) throws {
    let scene = try HostileName(name)
    for options in [[], ["--allow-loss"]] {
      try scene.check(
        ["rehearse", "--model", "M.xcdatamodeld", "--rows", "2", "--junit", "j.xml", "--markdown", "m.md"] + options)
      #expect(scene.problems(try Files.text(scene.folder.file("m.md")), .markdown) == [])
      #expect(scene.problems(try Files.text(scene.folder.file("j.xml")), .markup) == [])
    }
  }

  @Test func `A hostile name does not steer a terminal on which a document is shown`() throws {
    let folder = try HostileName("x").folder
    let library = folder.file("a\u{1B}[31m\u{9B}\u{202E}.sqlite")
    try Files.copy(folder.file("T.sqlite"), to: library)
    try Files.write(
      #"{"artists":["a\u001b[31m\u009b\u202e\u007f","A\u001b[31m\u009b\u202e\u007f"]}"# + "\n",
      to: folder.file("two"))
    try successfully("import", folder.file("two"), library, "-q")
    for words in [
      ["stats", library, "--format", "prometheus"], ["artists", "review", library], ["extract", folder.file("two")],
    ] {
      var runner = CommandRunner(words)
      runner.terminalStreams = [.output]
      let result = try runner.run()
      #expect(result.status == 0 && result.terminal.contains("31m"), "\(result)")
      let steering = result.terminal.unicodeScalars.filter { "\u{1B}\u{9B}\u{202E}\u{7F}".unicodeScalars.contains($0) }
      #expect(steering.isEmpty, "\(words) \(result)")
    }
  }

  @Test(arguments: Rounds.some(1, of: HostileName.all)) func `A hostile name of a file or a track stays text`(
    name: String
  ) throws {
    let scene = try HostileName(name)
    let file = name.replacing("/", with: "") + ".sqlite"
    try successfully("sample", "30", scene.folder.file(file), "--odd")
    for words in [
      ["info", file], [file, "--dry-run"], [file], ["artists", file], ["tracks", file], ["stats", file],
      ["verify", file],
      ["report", file, "--output", "r.html"], ["batch", "no\(file)"], ["restore", file], ["info", "no\(file)"],
      ["artists", "T.sqlite"], ["tracks", "T.sqlite"], ["artist", "T.sqlite", name], ["stats", "T.sqlite"],
      ["query", "T.sqlite", "Track"], ["verify", "T.sqlite", "--feed", "F.ndjson"],
      ["report", "T.sqlite", "--output", "t.html"], ["presets", "show", name], [name], ["--\(name)"],
      ["tracks", "T.sqlite", "--format", name], ["T.sqlite", "--json", name],
    ] { try scene.check(words) }
    for page in ["r.html", "t.html"] { #expect(!(try Files.text(scene.folder.file(page))).contains("<img")) }
  }
}

/// A name, and a model, a store, a library and a feed with it.
private struct HostileName {
  static let all = [
    "n\n::error::x\u{1B}[31m<img src=x onerror=alert(1)>|`c`\u{202E}\u{2066} \"q\" 's' & #{}%;]",
    // Commands to services that run jobs and read their logs.
    "::error::x", " ::add-mask::x", "##[error]x", "##vso[task.complete]",
  ]

  let name: String
  /// The name in XML, which has no escape characters.
  private var xml: String {
    name.unicodeScalars.filter { $0 != "\u{1B}" }
      .map { $0.properties.isAlphabetic ? String($0) : "&#\($0.value);" }.joined()
  }
  let folder: TemporaryFolder

  init(_ name: String) throws {
    self.name = name
    folder = try TemporaryFolder()
    func entity(_ name: String, _ attributes: String) -> String {
      "<entity name=\"\(name)\" representedClassName=\"C\">\(attributes)</entity>"
    }
    func attribute(_ name: String, _ type: String, isOptional: Bool = true) -> String {
      "<attribute name=\"\(name)\" \(isOptional ? "optional=\"YES\" " : "")attributeType=\"\(type)\"/>"
    }
    let first = attribute("a\(xml)", "String")
    let versions = [
      entity(xml, first + attribute("b", "String")) + entity("Keep", attribute("x", "String")),
      entity(xml, first + attribute("c", "Integer 64"))
        + entity("New\(xml)", attribute("y", "String", isOptional: false)),
    ]
    _ = try folder.makeFolder("M.xcdatamodeld")
    for (number, entities) in versions.enumerated() {
      _ = try folder.makeFolder("M.xcdatamodeld/\(number).xcdatamodel")
      let text = "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\">\(entities)</model>"
      try Files.write(text, to: folder.file("M.xcdatamodeld/\(number).xcdatamodel/contents"))
    }
    try Files.write(
      "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>1.xcdatamodel</string></dict></plist>",
      to: folder.file("M.xcdatamodeld/.xccurrentversion"))
    try successfully(
      "fixture", "new", "--model", folder.file("M.xcdatamodeld:0"), folder.file("A.sqlite"), "--rows", "3")
    let value = String(decoding: try JSONSerialization.data(withJSONObject: [name]), as: UTF8.self).dropFirst()
      .dropLast()
    let line = #"{"title": \#(value), "json": {"artists": [{"id": \#(value), "name": \#(value)}]}}"#
    try Files.write("\(line)\n{\"title\": 5}\n", to: folder.file("F.ndjson"))
    try successfully("import", folder.file("F.ndjson"), folder.file("T.sqlite"))
  }

  /// What would read a text.
  enum Sink { case terminal, markdown, gitHub, markup }

  /// What the sink would take for something else than text.
  func problems(_ text: String, _ sink: Sink) -> [String] {
    let lines = text.split(separator: "\n")
    let steers = text.unicodeScalars.filter { scalar in
      switch scalar.value {
      case 0x0A: false
      case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
    var problems = steers.map { "a character U+\(String($0.value, radix: 16))" }
    let isCommand = { (line: Substring) in
      let text = line.drop { $0.isWhitespace }
      return ["::error::", "::add-mask::", "##[error]", "##vso["].contains(where: text.hasPrefix)
    }
    // A page or a drawing is no log.
    if sink != .markup { problems += lines.filter(isCommand).map { "a command: \($0)" } }
    switch sink {
    case .terminal: break
    case .markup, .markdown: if text.contains("<img") { problems.append("an element") }
    case .gitHub:
      let commands = ["::error file=", "::warning file=", "::notice file="]
      problems += lines.filter { line in !commands.contains { line.hasPrefix($0) } }.map { "no command: \($0)" }
    }
    return problems
  }

  func check(_ words: [String], _ sink: Sink = .terminal) throws {
    let result = try CommandRunner(words, folder: folder.path).run()
    guard case .exited = result.end else { return #expect(Bool(false), "\(result)") }
    #expect(problems(result.stdout, sink) == [], "\(words)")
    #expect(problems(result.stderr, .terminal) == [], "\(words)")
  }
}
