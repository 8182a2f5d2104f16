import Foundation
import TestSupport
import Testing

/// The blocks of commands in `docs`, run in a folder that has what they name.
@Suite("The commands of the documentation")
struct DocumentationBlockTests {
  /// The first words of commands that are not run, and why.
  static let reasonsNotToRun = [
    "datasette": "It is a server, which `Tests/Browser/test_datasette.py` starts and looks at.",
    "docker": "It needs a daemon and a registry.",
    "kubectl": "It needs a cluster; `Cluster/tests/test_files.py` validates the manifest.",
    "pip": "It would install packages; `Tests/Browser/requirements.txt` has them.",
    "sbatch": "It needs a cluster; `Cluster/tests/test_slurm.py` starts one.",
    "spark-submit": "It needs Spark; `Cluster/tests/test_spark.py` runs the script.",
    "squeue": "It needs a cluster.",
    "swift": "It builds a package, as `make swiftdata-app-test` does.",
    "until": "It waits for a job of a cluster.",
  ]

  /// Programs that a machine may lack, whose lines are left out there.
  private static let programs = ["jq", "unzip", "zip", "python3"]

  /// Pages that other suites run.
  private static let elsewhere = ["damaged": "DamagedPageTests"]

  /// A page, and the commands that make what it names.
  struct Page: Sendable, CustomTestStringConvertible {
    let name: String
    let setUp: String
    /// The number of lines that are run, so that none is left out unnoticed.
    let lineCount: Int
    /// Folders of the page, and those of the test.
    var folders: [String: String] = [:]

    var testDescription: String { name }
  }

  private static let samples = """
    cp SampleData/Tracks/library-v1.sqlite Library.sqlite; cp SampleData/Notes/library-v2.sqlite App.sqlite
    cp -r SampleData/Notes/Notes.xcdatamodeld App.xcdatamodeld
    """

  /// A folder with a file in it, packed.
  private static func packed(_ archive: String, _ path: String, _ sample: String) -> String {
    """
    python3 - <<'END'
    import zipfile
    sample = open("SampleData/Services/\(sample).json").read()
    with zipfile.ZipFile("\(archive)", "a") as archive:
        archive.writestr("\(path)", "[" + sample + "," + sample + "]")
    END
    """
  }

  static let pages = [
    Page(name: "artists", setUp: samples, lineCount: 5),
    Page(
      name: "batch", setUp: "mkdir -p users/1; cp SampleData/Tracks/library-v1.sqlite users/1/Library.sqlite",
      lineCount: 4, folders: ["/srv": "users"]),
    Page(
      name: "cluster",
      setUp: """
        for part in 1 2; do
          echo '{"title":"T","artists":["Mira Sol"],"key":'$part'}' | gzip > Part-$part.ndjson.gz
        done
        mkdir -p shared/dump; cp Part-1.ndjson.gz shared/dump
        """, lineCount: 8, folders: ["/shared/import-1/": "", "/shared": "shared"]),
    Page(
      name: "exports",
      setUp: """
        printf 'artist,album,title,date\\nMira Sol,Harbour,Low Tide,01 Feb 2024 18:20\\n' > FILE
        \(packed("EXPORT.zip", "FOLDER/FILE", "spotify-account"))
        \(packed("EXPORT.zip", "FOLDER/FILE_1.json", "spotify-account"))
        \(packed("my_spotify_data.zip", "A/StreamingHistory_music_0.json", "spotify-account"))
        \(packed("my_spotify_data.zip", "B/Streaming_History_Audio_2024_0.json", "spotify-history"))
        echo '{"playlists":[{"items":[{"track":{"trackName":"Low Tide","artistName":"Mira Sol"}}]}]}' > Playlist1.json
        cp SampleData/Services/youtube-takeout.json watch-history.json
        python3 - <<'END'
        import zipfile
        sample = open("SampleData/Services/listenbrainz.json").read().replace("\\n", " ")
        with zipfile.ZipFile("listenbrainz_NAME.zip", "w") as archive:
            archive.writestr("listens/2024/3.jsonl", sample + "\\n")
        END
        """, lineCount: 12),
    Page(
      name: "kubernetes",
      setUp: """
        mkdir -p .build/release results; cp SampleData/Tracks/library-v1.sqlite L.sqlite; : > .build/release/tracks-migrate
        tracks-migrate batch L.sqlite -q --results results/part-0.ndjson
        """, lineCount: 2, folders: ["/mnt/data/": ""]),
    Page(name: "presets", setUp: "true", lineCount: 1),
    Page(
      name: "reports",
      setUp: """
        \(samples); tracks-migrate Library.sqlite -q
        cp SampleData/Tracks/library-v1.sqlite V.sqlite; tracks-migrate batch V.sqlite -q --results results.ndjson
        """, lineCount: 8),
    Page(
      name: "slurm",
      setUp: """
        mkdir -p shared/users shared/results; cp SampleData/Tracks/library-v1.sqlite shared/users/Library.sqlite
        tracks-migrate batch shared/users/Library.sqlite -q --results shared/results/part-0.ndjson
        """, lineCount: 5, folders: ["/shared": "shared"]),
  ]

  @Test(arguments: pages)
  func `run in their order`(page: Page) throws { try run(page) }

  @Test(.enabled(if: SwiftSource.hasToolchain, "needs a Swift compiler with its macro libraries"))
  func `The commands about SwiftData run in their order`() throws {
    try run(
      Page(
        name: "swiftdata",
        setUp: """
          mkdir -p Sources/Models
          cat > Sources/Models/Models.swift <<'END'
          import SwiftData

          enum AppSchemaV1: VersionedSchema {
            static let versionIdentifier = Schema.Version(1, 0, 0)
            static var models: [any PersistentModel.Type] { [Note.self] }
            @Model final class Note { var title: String = ""; init() {} }
          }

          enum AppSchemaV2: VersionedSchema {
            static let versionIdentifier = Schema.Version(2, 0, 0)
            static var models: [any PersistentModel.Type] { [Note.self, Tag.self] }
            @Model final class Note { var title: String = ""; var body: String = ""; init() {} }
            @Model final class Tag { var name: String = ""; init() {} }
          }

          enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [AppSchemaV1.self, AppSchemaV2.self] }
            static var stages: [MigrationStage] {
              [.lightweight(fromVersion: AppSchemaV1.self, toVersion: AppSchemaV2.self)]
            }
          }
          END
          """, lineCount: 15),
      environment: ["XDG_CACHE_HOME": SwiftSource.cache])
  }

  private func run(_ page: Page, environment: [String: String] = [:]) throws {
    let folder = try TemporaryFolder()
    for name in ["SampleData", "Cluster"] {
      try FileManager.default.copyItem(atPath: "\(Readme.root)/\(name)", toPath: folder.file(name))
    }
    let own = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path
    let path = "\(own):\(ProcessInfo.processInfo.environment["PATH"] ?? ""):/usr/bin:/bin"
    func run(_ command: String) throws -> CommandResult {
      var runner = CommandRunner.shell("exec 2>&1\n\(command)", in: folder.path)
      runner.environment["PATH"] = path
      runner.environment["EDITOR"] = "true"
      for (name, value) in environment { runner.environment[name] = value }
      runner.timeout *= 4
      return try runner.run()
    }
    let prepared = try run("set -e\n\(page.setUp)")
    guard prepared.status == 0 else {
      // Only archives need Python.
      #expect(try run("command -v python3").status != 0, "\(prepared)")
      return
    }
    let lines = try Self.lines(of: "\(Readme.root)/docs/\(page.name).md")
    #expect(lines.count == page.lineCount, "\(lines)")
    let missing = try Self.programs.filter { try run("command -v \($0)").status != 0 }
    for line in lines where !missing.contains(where: { line.contains("\($0) ") }) {
      var command = line
      // The longer ones first.
      for (name, other) in page.folders.sorted(by: { $0.key.count > $1.key.count }) {
        command = command.replacing(name, with: other)
      }
      let result = try run(command)
      // Differences and findings have a status of their own.
      #expect((result.status ?? 128) < 64, "$ \(command)\n\(result.stdout)")
    }
  }

  @Test func `Every page with commands is run, and nothing is left out that no page has`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(Readme.root)/docs").filter {
      $0.hasSuffix(".md")
    }
    let known = Set(Self.pages.map(\.name) + ["swiftdata"] + Self.elsewhere.keys)
    var left: Set<String> = []
    for name in names {
      let path = "\(Readme.root)/docs/\(name)"
      let all = try Self.lines(of: path, isComplete: true)
      left.formUnion(all.map(Self.program).filter { Self.reasonsNotToRun[$0] != nil })
      #expect(all.isEmpty || known.contains(String(name.dropLast(3))), "\(name) has commands that no test runs")
    }
    #expect(left == Set(Self.reasonsNotToRun.keys))
  }

  private static func program(_ line: String) -> String { String(line.prefix { $0 != " " }) }

  /// The commands of a page.
  ///
  /// - Parameter isComplete: Whether those are among them that are not run.
  private static func lines(of path: String, isComplete: Bool = false) throws -> [String] {
    // After a line with a prompt comes what it prints.
    var (isShell, isConsole, isContinued) = (false, false, false)
    var lines: [String] = []
    for line in try Files.text(path).split(separator: "\n") {
      if line.hasPrefix("```") {
        (isShell, isConsole, isContinued) = (line == "```sh", line == "```console", false)
      } else if isContinued {
        lines[lines.count - 1] += "\n\(line)"
        isContinued = line.hasSuffix("\\")
      } else if isShell || isConsole && line.hasPrefix("$ ") {
        lines.append(isConsole ? String(line.dropFirst(2)) : String(line))
        isContinued = line.hasSuffix("\\")
      }
    }
    return isComplete ? lines : lines.filter { reasonsNotToRun[program($0)] == nil }
  }
}
