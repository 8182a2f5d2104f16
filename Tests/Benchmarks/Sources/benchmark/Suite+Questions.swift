// Questions to a migrated library, and its exports.
extension Suite {
  /// Whole lists of artists and tracks.
  func lists() throws(BenchmarkError) -> Group {
    let library = try workspace.migratedLibrary(options.trackCount)
    let count = grouped(options.trackCount)
    let contenders = [
      Contender(name: "artists", words: [options.tool, "artists", library]),
      sqlite(
        "sqlite3", library,
        """
        SELECT ZNAME, ZID, (SELECT count(*) FROM Z_1TRACKS WHERE Z_1ARTISTS = Z_PK), ZIMAGEURL, Z_PK FROM ZARTIST
        ORDER BY ZNAME
        """),
      Contender(
        name: "name", words: [options.tool, "artists", library, "--name", "Nobody of this name"]),
      Contender(name: "sorted", words: [options.tool, "tracks", library, "--limit", "10"]),
      Contender(name: "csv", words: [options.tool, "tracks", library, "--format", "csv"]),
      Contender(name: "stats", words: [options.tool, "stats", library]),
    ]
    let rows = [
      Row(
        name: "list",
        title: "all artists of \(count) tracks with their numbers of tracks, wall, against SQL",
        metric: .wall, ours: "artists", peer: "sqlite3", bar: 1.5),
      alone("name", "`artists --name` of \(count) tracks, wall", 0.1),
      alone("sorted", "`tracks --limit 10` of \(count) tracks, in the order of titles, wall", 0.3),
      alone("csv", "`tracks --format csv` of \(count) tracks, wall", 2.5),
      alone("stats", "`stats` of \(count) tracks, wall", 0.3),
    ]
    return Group(contenders: contenders, rows: rows, rounds: options.rounds)
  }

  /// Conditions on what rows are linked with, which must select the same rows as SQL.
  func conditions() throws(BenchmarkError) -> Group {
    let library = try workspace.migratedLibrary(options.trackCount)
    let questions = [
      (
        "many", "Artist", "tracks.@count > 100",
        """
        SELECT Z_PK, ZNAME FROM ZARTIST
        JOIN (SELECT Z_1ARTISTS, count(*) AS n FROM Z_1TRACKS GROUP BY 1 HAVING n > 100) ON Z_1ARTISTS = Z_PK ORDER BY 1
        """
      ),
      (
        "any", "Track", "ANY artists.name BEGINSWITH 'Da'",
        """
        SELECT Z_PK, ZTITLE FROM ZTRACK WHERE EXISTS (SELECT 1 FROM Z_1TRACKS JOIN ZARTIST ON ZARTIST.Z_PK = Z_1ARTISTS
          WHERE Z_2TRACKS = ZTRACK.Z_PK AND ZNAME GLOB 'Da*') ORDER BY 1
        """
      ),
    ]
    var contenders: [Contender] = []
    var rows: [Row] = []
    for (name, entity, condition, query) in questions {
      let words = [
        options.tool, "query", library, entity, "--where", condition, "--fields",
        "key,\(entity == "Track" ? "title" : "name")", "--format", "csv",
      ]
      let keys = ["sh", "-c", #"set -e; "$@" | sed '1d; s/,.*//'"#, "sh"]
      contenders.append(
        Contender(
          name: name, words: words, check: Contender.Check(subject: name, words: keys + words)))
      var peer = sqlite("\(name) in SQL", library, query)
      peer.check = Contender.Check(subject: name, words: keys + peer.words)
      contenders.append(peer)
      rows.append(
        Row(
          name: name,
          title:
            "`query --where \"\(condition)\"` of \(grouped(options.trackCount)) tracks, wall, against SQL",
          metric: .wall, ours: name, peer: peer.name, bar: 2))
    }
    return Group(contenders: contenders, rows: rows, rounds: options.rounds)
  }

  /// The whole library as NDJSON.
  func export() throws(BenchmarkError) -> Group {
    let library = try workspace.migratedLibrary(options.trackCount)
    let check = Contender.Check(
      subject: "", words: ["sh", "-c", "grep -c '\"title\"' '\(workspace.result)'"])
    let contenders =
      [
        Contender(
          name: "export", words: [options.tool, "export", library, "--output", workspace.result],
          check: check)
      ]
      + [("duckdb", "DuckDB"), ("python", "Python")].map { name, _ in
        script(
          "export in \(name)", "export_\(name).py", [library, workspace.result], needs: name, check)
      }
    let title = "\(grouped(options.trackCount)) tracks exported"
    let rows = [
      Row(
        name: "export", title: "\(title), wall, against DuckDB", metric: .wall, ours: "export",
        peer: "export in duckdb", bar: 1),
      Row(
        name: "export-python", title: "\(title), wall, against Python", metric: .wall,
        ours: "export",
        peer: "export in python", bar: 0.3),
      Row(
        name: "export-memory", title: "\(title), peak memory", metric: .memory, ours: "export",
        comparison: .alone,
        bar: 32 * 1_048_576),
    ]
    return Group(contenders: contenders, rows: rows, rounds: options.rounds)
  }

  /// Small changes of a large library, and its comparison with a copy.
  func changes() throws(BenchmarkError) -> Group {
    let library = try workspace.migratedLibrary(options.trackCount)
    let copy = try workspace.file("copy.sqlite") { (path) throws(BenchmarkError) in
      try workspace.require(["cp", library, path])
    }
    let line = try workspace.file("line.ndjson") { (path) throws(BenchmarkError) in
      let track =
        #"{"title": "One more", "artists": [{"id": "one more", "name": "One more artist"}]}"#
      try workspace.require(["echo", track], outputPath: path)
    }
    let decisions = try workspace.file("decision.tsv") { (path) throws(BenchmarkError) in
      let query = "SELECT 'rename', ZNAME, '', 'Another name' FROM ZARTIST ORDER BY Z_PK LIMIT 1"
      try workspace.require(
        [
          "sh", "-c",
          "printf 'decision\\tartist\\tid\\tinto\\n'; exec sqlite3 -separator '\t' \"$1\" \"$2\"",
          "sh", library, query,
        ],
        outputPath: path)
    }
    // Each run changes a copy of its own, whose making is taken off.
    func changing(_ name: String, _ words: [String]) -> Contender {
      Contender(
        name: name,
        words: [
          "sh", "-c", #"set -e; cp "$1" "$2"; shift 2; exec "$@""#, "sh", library, workspace.result,
        ] + words)
    }
    let contenders = [
      changing("line", [options.tool, "import", line, workspace.result, "--no-backup"]),
      changing(
        "decision", [options.tool, "artists", "apply", workspace.result, decisions, "--no-backup"]),
      changing("copy", ["true"]),
      Contender(name: "diff", words: [options.tool, "diff", library, copy]),
    ]
    let title = grouped(options.trackCount)
    let rows = [
      Row(
        name: "line", title: "`import` of one line into \(title) tracks, wall", metric: .wall,
        ours: "line", peer: "copy",
        comparison: .difference, bar: 1.5),
      Row(
        name: "decision", title: "`artists apply` of one decision in \(title) tracks, wall",
        metric: .wall,
        ours: "decision", peer: "copy", comparison: .difference, bar: 1.5),
      alone("diff", "`diff` of two equal libraries of \(title) tracks, wall", 3),
      Row(
        name: "diff-memory", title: "its peak memory", metric: .memory, ours: "diff",
        comparison: .alone,
        bar: 128 * 1_048_576),
    ]
    return Group(contenders: contenders, rows: rows, rounds: options.rounds)
  }

  /// A row for the wall time of a contender of the same name.
  private func alone(_ name: String, _ title: String, _ bar: Double) -> Row {
    Row(name: name, title: title, metric: .wall, ours: name, comparison: .alone, bar: bar)
  }

  private func sqlite(_ name: String, _ library: String, _ query: String) -> Contender {
    Contender(name: name, words: ["sqlite3", "-readonly", "-csv", "-header", library, query])
  }

  /// A peer that is written in Python, with a package that may be missing.
  func script(
    _ name: String, _ file: String, _ arguments: [String], needs package: String,
    _ check: Contender.Check
  ) -> Contender {
    var contender = Contender(
      name: name,
      words: [options.python, options.checkout + "/Tests/Benchmarks/" + file] + arguments,
      check: check)
    let test = try? Command([
      options.python, "-c", "import \(package == "python" ? "orjson" : package)",
    ]).run()
    if test?.status != 0 { contender.absence = "its package is not installed" }
    return contender
  }
}
