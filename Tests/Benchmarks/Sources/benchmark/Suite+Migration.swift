internal import ProcessControl

// The migration of a library, by us and by what a person would use instead.
extension Suite {
  func migration() throws(BenchmarkError) -> Group {
    let (count, tenth) = (options.trackCount, max(1, options.trackCount / 10))
    let library = try workspace.library(count)
    let contenders = [
      ours(library), sql(library), python(library), duckdb("migrate", library, check(library)),
      script("chdb", "peer_chdb.py", [library, workspace.result], needs: "chdb", check(library)),
      floor(library, threads: 2),
      ours(try workspace.library(tenth), name: "tenth"),
    ]
    let title = "\(grouped(count)) tracks"
    let rows = [
      Row(
        name: "sql", title: "\(title), wall, against pure SQL", metric: .wall, ours: "ours",
        peer: "sql", bar: 0.22),
      Row(
        name: "duckdb", title: "\(title), wall, against DuckDB", metric: .wall, ours: "ours",
        peer: "duckdb", bar: 0.42),
      Row(
        name: "python", title: "\(title), wall, against Python", metric: .wall, ours: "ours",
        peer: "python", bar: 0.33),
      Row(
        name: "chdb", title: "\(title), wall, against chDB", metric: .wall, ours: "ours",
        peer: "chdb", bar: 0.42),
      Row(
        name: "floor", title: "\(title), wall, against C with 2 threads", metric: .wall,
        ours: "ours", peer: "floor",
        bar: 0.60),
      Row(
        name: "growth", title: "\(title), wall, against \(grouped(tenth))", metric: .wall,
        ours: "ours", peer: "tenth",
        bar: 11),
      Row(
        name: "idleness", title: "\(title), wall × 2, divided by the processor time",
        metric: .idleness, ours: "ours",
        comparison: .alone, bar: 1.25),
      Row(
        name: "memory", title: "\(title), peak memory", metric: .memory, ours: "ours",
        comparison: .alone,
        bar: Double(count <= 1_000_000 ? 80 : 128) * 1_048_576),
    ]
    return Group(contenders: contenders, rows: rows, rounds: options.rounds)
  }

  func oneCore() throws(BenchmarkError) -> Group {
    let library = try workspace.library(options.trackCount)
    var contenders = [ours(library), floor(library, threads: 1), ours(library, name: "two")]
    for index in contenders.indices.dropLast() {
      contenders[index].cores = 1
      if core_count() == 0 {
        contenders[index].absence = "this system cannot keep a program to one core"
      }
    }
    let title = "\(grouped(options.trackCount)) tracks"
    let rows = [
      Row(
        name: "processor", title: "\(title) on one core, CPU, against C with 1 thread",
        metric: .processor,
        ours: "ours", peer: "floor", bar: 1.25),
      Row(
        name: "scaling", title: "\(title) on two cores, CPU, against one core", metric: .processor,
        ours: "two",
        peer: "ours", bar: 1.10),
    ]
    return Group(contenders: contenders, rows: rows, rounds: options.rounds)
  }

  func small() throws(BenchmarkError) -> Group {
    let library = try workspace.library(1000)
    var safe = floor(library, threads: 1)
    safe = Contender(name: "safe", words: safe.words + ["safe"], check: safe.check)
    let row = Row(
      name: "small", title: "1,000 tracks, wall, against C with the same checks and syncs",
      metric: .wall, ours: "ours",
      peer: "safe", bar: 1.6)
    return Group(contenders: [ours(library), safe], rows: [row], rounds: manyRounds)
  }

  /// As many artists as tracks, against a thousand of them.
  func uniqueArtists() throws(BenchmarkError) -> Group {
    let count = options.trackCount
    let libraries = try [("unique", count), ("few", 1000)].map {
      (name, artists) throws(BenchmarkError) in
      let source = try workspace.library(count)
      let library = try workspace.file("\(name).sqlite") { (path) throws(BenchmarkError) in
        try workspace.require(["cp", source, path])
        try workspace.require([
          "sqlite3", path,
          """
          PRAGMA journal_mode = OFF;
          UPDATE ZTRACK SET ZJSON = format('{"artists": [{"id": "%022d", "name": "Artist %07d", "imageURL": '
            || '"https://i.example.com/artist/%022d.jpg"}]}', Z_PK % \(artists), Z_PK % \(artists), Z_PK % \(artists));
          """,
        ])
      }
      return ours(library, name: name)
    }
    let row = Row(
      name: "unique",
      title:
        "\(grouped(count)) artists, peak memory above that of 1,000 of them: 110 bytes for each",
      metric: .memory, ours: "unique", peer: "few", comparison: .difference,
      bar: 110 * Double(count))
    return Group(contenders: libraries, rows: [row], rounds: options.rounds)
  }

  func ours(_ library: String, name: String = "ours") -> Contender {
    Contender(
      name: name, words: [options.tool, "migrate", library, "--output", workspace.result],
      check: check(library))
  }

  private func sql(_ library: String) -> Contender {
    Contender(
      name: "sql",
      words: ["sh", options.checkout + "/Tests/Benchmarks/peer_sql.sh", library, workspace.result],
      check: check(library))
  }

  func python(_ library: String) -> Contender {
    var contender = Contender(
      name: "python",
      words: [
        options.python, options.checkout + "/Tests/Benchmarks/peer_python.py", library,
        workspace.result,
      ],
      check: check(library))
    let test = try? Command([options.python, "-c", "import sqlite3"]).run()
    if test?.status != 0 { contender.absence = "Python is not installed" }
    return contender
  }

  func duckdb(_ work: String, _ source: String, _ check: Contender.Check) -> Contender {
    var contender = Contender(
      name: "duckdb",
      words: [
        options.python, options.checkout + "/Tests/Benchmarks/peer_duckdb.py", work, source,
        workspace.result,
      ],
      check: check)
    let test = try? Command([options.python, "-c", "import duckdb"]).run()
    if test?.status != 0 { contender.absence = "DuckDB is not installed" }
    return contender
  }

  private func floor(_ library: String, threads: Int) -> Contender {
    Contender(
      name: "floor", words: [options.program("floor"), library, workspace.result, String(threads)],
      check: check(library))
  }

  /// All rows of the three tables, in the order of their keys.
  func check(_ library: String) -> Contender.Check {
    let columns = [
      ("ZTRACK", "Z_PK, ZLASTPLAYEDAT + 0.0, ZIMAGEURL, ZTITLE"),
      ("ZARTIST", "Z_PK, ZID, ZIMAGEURL, ZNAME"),
      ("Z_1TRACKS", "Z_1ARTISTS, Z_2TRACKS"),
    ]
    let queries = columns.map { table, columns in
      "SELECT '\(table)', count(*), hex(sha3_query('SELECT \(columns) FROM \(table) ORDER BY 1, 2')) FROM \(table);"
    }
    return Contender.Check(
      subject: library,
      words: ["sqlite3", "-readonly", workspace.result, queries.joined(separator: "\n")])
  }
}
