import Foundation
import TestSupport
import Testing

/// The action that other repositories use, run step by step as a runner does.
@Suite("The action for GitHub", .enabled(if: Program.find("bash") != nil))
struct ActionTests {
  /// The scripts of the action, by the names of their steps.
  private let steps: [String: String]
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let text = try String(contentsOf: Checkout.root.appending(path: "action.yml"), encoding: .utf8)
    var steps: [String: String] = [:]
    for part in text.split(separator: "    - name: ").dropFirst() {
      let lines = part.split(separator: "\n", omittingEmptySubsequences: false)
      guard let run = lines.firstIndex(where: { $0.hasPrefix("      run: ") }) else { continue }
      let rest = lines[run].dropFirst("      run: ".count)
      steps[String(lines[0])] =
        rest == "|" ? lines[(run + 1)...].map { String($0.dropFirst(8)) }.joined(separator: "\n") : String(rest)
    }
    self.steps = steps
  }

  private func run(
    _ step: String, _ environment: [String: String] = [:], in place: String? = nil
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: try #require(Program.find("bash")))
    // As GitHub's runners do.
    process.arguments = ["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", try #require(steps[step])]
    process.currentDirectoryURL = URL(filePath: place ?? folder.path)
    process.environment = [
      "PATH": "\((Tool.path as NSString).deletingLastPathComponent):/usr/bin:/bin",
      "GITHUB_STEP_SUMMARY": folder.file("summary.md"), "GITHUB_PATH": folder.file("path"), "RUNNER_TEMP": folder.path,
      "GITHUB_ACTION_PATH": Checkout.root.path(percentEncoded: false),
    ].merging(environment) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }

  @Test func `A command that is there already is not downloaded`() throws {
    #expect(try run("Install tracks-migrate", ["REPOSITORY": "none/none", "VERSION": "0"]).status == 0)
    #expect(!Files.exists(folder.file("path")))
  }

  @Test func `Mapping models are checked wherever their folder is`() throws {
    let model = try folder.makeFolder("M.xcdatamodeld") + "/1.xcdatamodel"
    try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
    try Files.write(
      "<model><entity name=\"E\" representedClassName=\"E\"><attribute name=\"a\" optional=\"YES\" attributeType=\"String\"/></entity></model>",
      to: model + "/contents")
    let mappings = try folder.makeFolder("mappings/bad.xcmappingmodel")
    try Files.write("<no", to: mappings + "/xcmapping.xml")
    for path in ["mappings", folder.file("mappings")] {
      let result = try run("Check the models", ["MODEL": "M.xcdatamodeld", "OPTIONS": "--mapping \(path)"])
      #expect(result.status == 3 && result.output.contains("bad.xcmappingmodel"), "\(result)")
    }
    let missing = try run("Check the models", ["MODEL": "M.xcdatamodeld", "OPTIONS": "--mapping none"])
    #expect(
      missing.status == 1 && missing.output.contains("'./none' is not a folder. Name a folder of mapping models"),
      "\(missing)")
  }

  @Test func `The release is downloaded and checked`() throws {
    let release = folder.file("none/none/releases/download/1.0")
    try FileManager.default.createDirectory(atPath: release, withIntermediateDirectories: true)
    let machine = try CommandRunner.shell("uname -m", in: folder.path).run().lines[0]
    let name = "tracks-migrate-\(machine)-linux"
    try Files.write("#!/bin/sh\n", to: "\(release)/\(name)")
    let sum = "5d1d2a0a0a2f1bb8d8ee2ed2ff4a0f2fcf9fd1ea9f9e1c8e6f2f7b3a0c7d9e10  \(name)\n"
    let environment = [
      "PATH": "/usr/bin:/bin", "GITHUB_SERVER_URL": "file://\(folder.path)", "REPOSITORY": "none/none",
      "VERSION": "1.0",
    ]
    try Files.write(sum, to: release + "/SHA256SUMS")
    #expect(try run("Install tracks-migrate", environment).status != 0)
    let shell = try #require(Program.find("bash"))
    let process = try Process.run(
      URL(filePath: shell), arguments: ["-c", "cd \"$0\" && sha256sum tracks-migrate-* > SHA256SUMS", release])
    process.waitUntilExit()
    let result = try run("Install tracks-migrate", environment)
    #expect(result.status == 0, "\(result.output)")
    #expect(try String(contentsOfFile: folder.file("path"), encoding: .utf8) == "\(folder.path)/tracks-migrate\n")
  }

  @Test func `Models are checked, and each store is migrated without a trace`() throws {
    let model = SampleStore.data("Notes/Notes.xcdatamodeld")
    #expect(try run("Check the models", ["MODEL": model]).status == 0)
    for name in ["library-v1.sqlite", "library-v2.sqlite"] {
      try FileManager.default.copyItem(atPath: SampleStore.data("Notes/\(name)"), toPath: folder.file(name))
    }
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    var environment = ["MODEL": model, "STORES": "*.sqlite\n", "OPTIONS": "--verify"]
    let result = try run("Migrate the stores", environment)
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.components(separatedBy: "::group::").count == 3)
    let summary = try String(contentsOfFile: folder.file("summary.md"), encoding: .utf8)
    #expect(summary.contains("### library-v1.sqlite\n```mermaid\n") && summary.contains("Notes 4"))
    let after = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(after == (before + ["summary.md"]).sorted())

    try Files.write("garbage", to: folder.file("broken.sqlite"))
    let broken = try run("Migrate the stores", environment)
    #expect(broken.status == 1)
    #expect(
      broken.output.contains(
        "::error file=broken.sqlite::This store cannot be migrated to the current version: 'broken.sqlite' is not a SQLite"
      ))
    // A diagram of nothing would be an error in the summary.
    let failed = try String(contentsOfFile: folder.file("summary.md"), encoding: .utf8)
    #expect(failed.contains("### broken") && !failed.contains("```mermaid\n```") && !failed.contains("```mermaid\n\n"))
    environment["STORES"] = "none-*.sqlite"
    let none = try run("Migrate the stores", environment)
    #expect(none.status == 1 && none.output.contains("::error::No store matches 'none-*.sqlite'."))
  }

  @Test func `No name of a store is a command, an option or a heading`() throws {
    let stores = folder.file("stores")
    let names = [
      "a\n::error::x.sqlite", "b%0A::warning::y,z.sqlite", "--help.sqlite", "<img src=x> `c` [d](e).sqlite",
      "e\r::stop-commands::t.sqlite",
    ]
    try FileManager.default.createDirectory(atPath: stores, withIntermediateDirectories: true)
    for name in names { try Files.write("garbage", to: stores + "/" + name) }
    let result = try run(
      "Migrate the stores",
      ["MODEL": SampleStore.data("Notes/Notes.xcdatamodeld"), "STORES": "*.sqlite", "OPTIONS": "--strict"],
      in: stores)
    #expect(result.status == 1)
    // What the runner takes for commands.
    let commands = result.output.split(whereSeparator: { $0.isNewline }).filter { $0.hasPrefix("::") }
    let kinds = Dictionary(grouping: commands) { $0.dropFirst(2).prefix { $0.isLetter || $0 == "-" } }
    #expect(kinds.mapValues(\.count) == ["error": 5, "group": 5, "endgroup": 5], "\(result.output)")
    for text in [
      "::group::a%0A::error::x.sqlite", "::error file=a%0A%3A%3Aerror%3A%3Ax.sqlite::This store",
      "::error file=b%250A%3A%3Awarning%3A%3Ay%2Cz.sqlite::", "::error file=--help.sqlite::",
      "::group::e%0D::stop-commands::t.sqlite",
    ] {
      #expect(commands.contains { $0.hasPrefix(text) }, "\(text): \(commands)")
    }
    let summary = try String(contentsOfFile: folder.file("summary.md"), encoding: .utf8)
    #expect(summary.split(separator: "\n").count { $0.hasPrefix("### ") } == 5)
    #expect(summary.contains("### &#60;img src&#61;x&#62; &#96;c&#96; &#91;d&#93;&#40;e&#41;.sqlite\n"), "\(summary)")
  }

  @Test func `Each step gets the options that it knows`() throws {
    // Every call is written down.
    let tools = folder.file("tools")
    try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
    let calls = folder.file("calls")
    try Files.write(
      "#!/bin/sh\nprintf '<%s>' \"$@\" >> '\(calls)'; echo >> '\(calls)'\n", to: tools + "/tracks-migrate")
    chmod(tools + "/tracks-migrate", 0o755)
    _ = try folder.write([], to: "a.sqlite")
    _ = try folder.makeFolder("Mappings/One.xcmappingmodel")
    let environment = [
      "MODEL": "-m", "STORES": "a.sqlite", "PATH": "\(tools):/usr/bin:/bin",
      "OPTIONS": "--strict --mapping Mappings --to=V3 --verify",
    ]
    for step in ["Check the models", "Guard the shipped versions", "Rehearse the migrations", "Migrate the stores"] {
      #expect(try run(step, environment).status == 0)
    }
    #expect(
      try Files.text(calls).split(separator: "\n") == [
        "<models><lint><--format><github><--><-m><./Mappings/One.xcmappingmodel>",
        "<models><guard><--mapping=Mappings><--format><markdown><--><-m>",
        "<models><guard><--mapping=Mappings><--format><github><--><-m>",
        "<rehearse><--model=-m><--mapping><Mappings><--to=V3><--markdown><\(folder.path)/rehearsal.md>",
        "<migrate><--model=-m><--dry-run><--strict><--mapping><Mappings><--to=V3><--verify><--><a.sqlite>",
        "<migrate><--model=-m><--dry-run><--as><mermaid><--mapping><Mappings><--to=V3><--><a.sqlite>",
      ])
  }
}

@Suite("The image of the command")
struct ImageTests {
  @Test func `Each instruction is known, and what it copies is what is built`() throws {
    let text = try String(contentsOf: Checkout.root.appending(path: "Scripts/Packaging/Dockerfile"), encoding: .utf8)
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      $0.split(separator: " ").map(String.init)
    }
    let known: Set = ["FROM", "WORKDIR", "COPY", "RUN", "ENTRYPOINT"]
    #expect(lines.allSatisfy { known.contains($0[0]) })
    #expect(lines.filter { $0[0] == "FROM" }.map { $0[1] }.last == "scratch")
    #expect(lines.contains(["RUN", "make", "dist"]))
    let copied = try #require(lines.last { $0[0] == "COPY" })
    let dist = try String(contentsOf: Checkout.root.appending(path: "Scripts/dist.sh"), encoding: .utf8)
    #expect(copied[1] == "--from=build" && copied[2] == "/source/.build/dist/lib/tracks-migrate")
    #expect(dist.contains("dist=.build/dist\n") && dist.contains("tool=$dist/lib/tracks-migrate\n"))
    #expect(lines.contains(["ENTRYPOINT", "[\"\(copied[3])\"]"]))
  }
}
