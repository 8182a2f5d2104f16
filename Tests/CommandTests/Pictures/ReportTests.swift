import Foundation
import TestSupport
import Testing

@Suite("Reports")
struct ReportTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func migrated() throws -> String {
    let library = try folder.library("L.sqlite", .many(50))
    try successfully(library, "-q")
    return library
  }

  private func refuse(_ status: Int32, _ words: String...) throws -> String {
    let result = try CommandRunner(["report"] + words, folder: folder.path).run()
    #expect(result.status == status)
    return result.stderr
  }

  @Test func `A page appears beside the library, and again when it is asked for again`() throws {
    let library = try migrated()
    let before = try Files.bytes(library)
    for _ in 0..<2 {
      let result = try successfully("report", library)
      #expect(result.stderr == "Made '\(library).report.html'. Open it in a browser.\n")
    }
    let page = try Files.text("\(library).report.html")
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
    #expect(try successfully("report", library, "--output", "-").stdout == page)
    #expect(try Files.bytes(library) == before)
  }

  @Test func `Options for JSON are refused where there is none to read`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    let page = folder.file("page.html")
    try successfully("report", library, "--json", "deezer", "--output", page)
    try successfully(library, "-q")
    for (path, word) in [(library, "has been"), (Readme.root + "/SampleData/Notes/library-v1.sqlite", "is not one")] {
      for option in [["--json", "deezer"], ["--artists-path", "$.a[*]"], ["--roles", "main"]] {
        let result = try CommandRunner(["report", path, "--output", page] + option).run()
        #expect(result.status == 64 && result.stderr.contains("'\(option[0])' "), "\(result)")
        #expect(result.stderr.contains(word), "\(result)")
      }
    }
  }

  @Test func `Commands on a page are for a shell, whatever the library is called`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.library("-x.sqlite")
    let words = ["report", "--output", "-", "-q", "--", "-x.sqlite"]
    let commands = [
      try CommandRunner(words, folder: folder.path).run().stdout,
      try {
        try CommandRunner(["-q", "--", "-x.sqlite"], folder: folder.path).run().expectSuccess()
        return try CommandRunner(words, folder: folder.path).run().stdout
      }(),
    ].flatMap { page in
      page.matches(of: /(?:<code[^>]*>|data-command=")(tracks-migrate.*?)(?:<\/code>|")/).map { "\($0.1)" }
        + page.matches(of: /<code class="command">(.*?)<\/code>/).map { "\($0.1)" }
    }
    #expect(commands.count > 1)
    for command in commands where command.contains("x.sqlite") {
      #expect(command.contains("./-x.sqlite"), "\(command)")
    }
  }

  @Test func `A page replaces nothing that is no page`() throws {
    let library = try migrated()
    try folder.write(Array("{}".utf8), to: "other.json")
    for (name, reason) in [
      ("L.sqlite.migration.json", "'--output' would replace the statistics of '\(library)'"),
      ("L.sqlite.v1-backup", "'--output' would replace a backup of '\(library)'"),
      ("other.json", "It is not a page, so it is not replaced. Name another file."),
    ] {
      let before = try Files.bytes(folder.file(name))
      #expect(try refuse(73, library, "--output", folder.file(name)).contains(reason))
      #expect(try Files.bytes(folder.file(name)) == before)
    }
    for name in ["L.sqlite", "L.sqlite-wal", "L.sqlite-shm", "L.sqlite-journal"] {
      _ = try refuse(73, library, "--output", folder.file(name))
    }
    #expect(try successfully("artists", library, "--format", "csv").stdout.count > 100)
  }

  @Test func `Damaged statistics and no store are said`() throws {
    let done = try migrated()
    try Files.write("{", to: folder.file("stats.json"))
    #expect(try refuse(66, done, "--stats", folder.file("stats.json")).contains("cannot be read"))
    #expect(try refuse(66, folder.file("none.sqlite")).contains("there is no file"))
  }

  @Test func `A library without statistics says so`() throws {
    let library = try migrated()
    try FileManager.default.removeItem(atPath: "\(library).migration.json")
    #expect(
      try successfully("report", library, "--output", "-").stdout.contains("There are no statistics of its migration."))
  }

  @Test func `A library that has not been migrated has a page of what a migration would make of it`() throws {
    let library = folder.file("V1.sqlite")
    try Files.write(try Files.bytes("\(Readme.root)/SampleData/Tracks/library-v1.sqlite"), to: library)
    let before = try folder.listing()
    let page = try successfully("report", library, "--output", "-").stdout
    #expect(page.contains("A v1 library that has not been migrated."))
    #expect(page.contains("<p class=\"verdict\">A migration would give <data value=\"300\">300</data> tracks by <data"))
    // What its JSON says, what could not be read, and the next step.
    #expect(page.contains("Documents by preset") && page.contains("Track 45"))
    #expect(page.contains("To migrate it: <code class=\"command\"><span>tracks-migrate</span> "))
    #expect(try folder.listing() == before)
    let other = try successfully("report", library, "--json", "deezer", "--output", "-").stdout
    let text = other.replacing(/<[^>]*>/, with: "")
    #expect(text.contains("tracks-migrate &#39;\(library)&#39; --json=&#39;deezer&#39;"), "\(text.prefix(4000))")
  }

  @Test func `A reject may name any place`() throws {
    let library = folder.file("L.sqlite")
    try Files.write(try Files.bytes("\(Readme.root)/SampleData/Tracks/library-v1.sqlite"), to: library)
    try successfully(library, "-q")
    for place in ["\(Int.min)", "\(Int.max)", "-1"] {
      let line = "{\"primaryKey\":7,\"reason\":\"json_truncated\",\"byteOffset\":\(place),\"json\":\"{[\"}\n"
      try Files.write(line, to: "\(library).rejects.ndjson")
      let page = try successfully("report", library, "--output", "-").stdout
      #expect(page.contains("<pre>{[</pre>"))
    }
  }

  @Test func `Options for JSON are refused with a model`() throws {
    let store = try SampleStore("Books")
    let result = try CommandRunner(["report", store.path, "--model", store.model, "--json", "deezer"]).run()
    #expect(result.status == 64)
    #expect(result.stderr.contains("'--json' and '--model' cannot be used together."), "\(result)")
  }

  @Test func `An empty library is one sentence`() throws {
    let feed = folder.file("f.ndjson")
    try Files.write("", to: feed)
    try successfully("import", feed, folder.file("E.sqlite"), "-q")
    let page = try successfully("report", folder.file("E.sqlite"), "--output", "-").stdout
    #expect(page.contains("This library is empty: it has no tracks and no artists."))
    #expect(!page.contains("<section") && !page.contains("None."))
  }

  @Test func `A page has a verdict, findings with their commands, and the tracks of an artist`() throws {
    let library = folder.file("L.sqlite")
    try Files.write(try Files.bytes("\(Readme.root)/SampleData/Tracks/library-v1.sqlite"), to: library)
    try successfully(library, "-q")
    let page = try successfully("report", library, "--output", "-").stdout
    #expect(page.contains("</data> with artists from JSON, <data value=\"18\">18</data> by their artist’s name"))
    #expect(page.contains("<a href=\"#rejects\"><data value=\"9\">9</data> documents kept as rejects</a>"))
    #expect(page.contains("tracks-migrate artists review &#39;\(library)&#39; --output decisions.tsv"))
    #expect(page.contains("<li data-kind=\"list\">Titles</li>") && page.contains("\"Wandering Desert\""))
    // Every artist is there to be found, one without tracks too.
    #expect(page.contains("data-total=\"67\""))
  }

  @Test func `An app's page has the plan before its migration, and the rows of each hop after it`() throws {
    let store = try SampleStore("Books")
    let before = try successfully("report", store.path, "--model", store.model, "--output", "-").stdout
    #expect(before.contains("The way to the current version") && !before.contains("Rows by hop"))
    try store.migrate("--stats", store.folder.file("s.json"))
    let after = try successfully(
      "report", store.path, "--model", store.model, "--stats", store.folder.file("s.json"), "--output", "-"
    ).stdout
    #expect(after.contains("Rows by hop") && after.contains("Books → Books 2") && after.contains("What changed"))
    #expect(try successfully("report", store.path, "--output", "-").stdout.contains("Instances by entity"))
  }

  @Test func `A batch's page names what failed`() throws {
    let library = try folder.library("L.sqlite", .many(3))
    try Files.write("garbage", to: folder.file("G.sqlite"))
    let results = try CommandRunner(["batch", library, folder.file("G.sqlite"), "-q"], folder: folder.path).run()
    var runner = CommandRunner(["batch", "summarize", "-", "--format", "html"], folder: folder.path)
    runner.input = Array(results.stdout.utf8)
    let page = try runner.run()
    #expect(page.status == 0 && page.stdout.contains("not-a-database") && page.stdout.contains("L.sqlite"))
    // The reason stands beside the path, and does not repeat it.
    #expect(page.stdout.contains("<span class=\"fault-text\">is not a SQLite database</span>"))
    #expect(page.stdout.contains("1</data> of <data value=\"2\">2</data> libraries failed</a>; the other has the"))
  }

  @Test func `A batch of one library is one, and one of failures only says that`() throws {
    func page(_ libraries: [String]) throws -> String {
      let results = try CommandRunner(["batch"] + libraries + ["-q"], folder: folder.path).run()
      var runner = CommandRunner(["batch", "summarize", "-", "--format", "html"], folder: folder.path)
      runner.input = Array(results.stdout.utf8)
      return try runner.run().stdout.replacing(/<[^>]*>/, with: "")
    }
    let library = try folder.library("L.sqlite", .many(3))
    for name in ["F", "G"] { try Files.write("garbage", to: folder.file(name)) }
    let one = try page([library])
    #expect(one.contains("1 library in ") && one.contains("The library has the current version."))
    #expect(try page(["F"]).contains("The library failed."))
    #expect(try page(["F", "G"]).contains("All 2 libraries failed."))
  }

  @Test func `Plans are drawn for apps' stores in a dry run only`() throws {
    let store = try SampleStore("Books")
    let drawn = try successfully(store.path, "--model", store.model, "--dry-run", "--as", "mermaid").stdout
    #expect(drawn.hasPrefix("flowchart TD\n") && drawn.contains("v1 -->|"))
    let result = try tracksMigrate(store.path, "--model", store.model, "--as", "svg")
    #expect(result.status == 64 && result.stderr.contains("'--as' requires '--dry-run' and '--model'."))
  }

  @Test func `Differences of models are written as Markdown that cannot be anything else`() throws {
    let books = SampleStore.data("Books/Books.xcdatamodeld")
    let result = try tracksMigrate("models", "diff", "\(books):Books", books, "--as", "markdown")
    #expect(result.status == 3)
    #expect(result.stdout.contains("- 'Book.authorName': the attribute is removed with all its values\n"))
    #expect(result.stdout.contains("| Book | attribute | authorName | removed | String |  | changes |\n"))
    #expect(result.stdout.contains("```mermaid\nerDiagram\n"))
  }
}
