// What is measured besides the migration of an ordinary library.
extension Suite {
  /// One track with a document of 300 MB, half of it one string, against a library without tracks.
  func document() throws(BenchmarkError) -> Group {
    let size = 300_000_000
    let empty = try workspace.library(0)
    let single = try workspace.library(1)
    let library = try workspace.file("document.sqlite") { (path) throws(BenchmarkError) in
      let element =
        #"{"country": "AD", "available": true, "since": "2019-05-17", "price": 1.29, "views": [1, 2, 3]}, "#
      try workspace.require(["cp", single, path])
      try workspace.require([
        "sqlite3", path,
        """
        UPDATE ZTRACK SET ZJSON = '{"lyrics": "' || replace(hex(zeroblob(\(size / 4))), '0', 'x') || '", "markets": ['
          || replace(hex(zeroblob(\(size / 4 / element.utf8.count))), '0', '\(element)')
          || 'null], "artists": [{"id": "1", "name": "Somebody", "imageURL": "https://i.example.com"}]}'
        """,
      ])
    }
    let contenders = [("document", library), ("empty", empty)].map { name, library in
      Contender(
        name: name, words: [options.tool, "migrate", library, "--output", workspace.result],
        check: Contender.Check(
          subject: name,
          words: ["sqlite3", "-readonly", workspace.result, "SELECT ZNAME FROM ZARTIST"],
          expected: name == "document" ? "Somebody\n" : ""))
    }
    let row = Row(
      name: "document",
      title: "1 track with 300 MB of JSON, peak memory above that of an empty library",
      metric: .memory, ours: "document", peer: "empty", comparison: .difference, bar: 32 * 1_048_576
    )
    return Group(contenders: contenders, rows: [row], rounds: options.rounds)
  }

  /// The artists with most tracks.
  func artists() throws(BenchmarkError) -> Group {
    let row = Row(
      name: "artists",
      title:
        "the 20 artists with most tracks, of \(grouped(options.trackCount)) tracks, wall, against SQL",
      metric: .wall, ours: "ours", peer: "sqlite3", bar: 1.2)
    return try artists(
      row, ["--min-tracks", "50"],
      """
      FROM (SELECT Z_1ARTISTS AS artist, count(*) AS tracks FROM Z_1TRACKS GROUP BY 1 HAVING tracks >= 50)
      JOIN ZARTIST ON Z_PK = artist
      """, rounds: manyRounds)
  }

  /// Artists with a track that was played lately.
  func predicate() throws(BenchmarkError) -> Group {
    let row = Row(
      name: "where",
      title:
        "the artists of \(grouped(options.trackCount)) tracks with one played lately, wall, against SQL",
      metric: .wall, ours: "ours", peer: "sqlite3", bar: 1.1)
    return try artists(
      row, ["--where", "ANY tracks.lastPlayedAt > CAST(500000000, 'NSDate')"],
      """
      FROM ZARTIST JOIN (SELECT Z_1ARTISTS AS artist, count(*) AS tracks FROM Z_1TRACKS GROUP BY 1) ON Z_PK = artist
      WHERE EXISTS (SELECT 1 FROM Z_1TRACKS JOIN ZTRACK track ON track.Z_PK = Z_2TRACKS
        WHERE Z_1ARTISTS = ZARTIST.Z_PK AND ZLASTPLAYEDAT > 500000000)
      """, rounds: options.rounds)
  }

  /// A list of artists against SQL that gives the same.
  private func artists(
    _ row: Row, _ conditions: [String], _ query: String, rounds: Int
  ) throws(BenchmarkError) -> Group {
    let library = try workspace.migratedLibrary(options.trackCount)
    let words =
      [options.tool, "artists", library] + conditions
      + ["--sort", "tracks", "--limit", "20", "--fields", "name,id,tracks,imageURL"]
    let sql = [
      "sqlite3", "-readonly", "-csv", "-header", library,
      "SELECT ZNAME AS name, ZID AS id, tracks, ZIMAGEURL AS imageURL \(query) ORDER BY tracks DESC, ZNAME LIMIT 20",
    ]
    let ending = ["sh", "-c", #"set -e; "$@" | tr -d '"\r'"#, "sh"]
    let contenders = [
      Contender(
        name: "ours", words: words,
        check: Contender.Check(subject: "", words: ending + words + ["--format", "csv"])),
      Contender(
        name: "sqlite3", words: sql, check: Contender.Check(subject: "", words: ending + sql)),
    ]
    return Group(contenders: contenders, rows: [row], rounds: rounds)
  }

  /// A feed as services give it, into a new library.
  func feed() throws(BenchmarkError) -> Group {
    let library = try workspace.library(options.trackCount)
    let feed = try workspace.file("feed.ndjson") { (path) throws(BenchmarkError) in
      let query = """
        SELECT json_object('key', Z_PK, 'title', ZTITLE, 'imageURL', ZIMAGEURL, 'lastPlayedAt',
          strftime('%Y-%m-%dT%H:%M:%SZ', ZLASTPLAYEDAT + 978307200, 'unixepoch'), 'json', json(ZJSON))
        FROM ZTRACK ORDER BY Z_PK
        """
      try workspace.require(["sqlite3", "-readonly", library, query], outputPath: path)
    }
    let contenders = [
      Contender(
        name: "ours", words: [options.tool, "import", feed, workspace.result], check: check(feed)),
      duckdb("import", feed, check(feed)),
    ]
    let row = Row(
      name: "import",
      title:
        "a feed of \(grouped(options.trackCount)) lines into a new library, wall, against DuckDB",
      metric: .wall, ours: "ours", peer: "duckdb", bar: 0.6)
    return Group(contenders: contenders, rows: [row], rounds: options.rounds)
  }

  /// A migrated library against the old one.
  func verification() throws(BenchmarkError) -> Group {
    let (library, migrated) = (
      try workspace.library(options.trackCount), try workspace.migratedLibrary(options.trackCount)
    )
    let contenders = [
      Contender(name: "verify", words: [options.tool, "verify", migrated, "--source", library]),
      ours(library),
    ]
    let title = "\(grouped(options.trackCount)) tracks verified"
    let rows = [
      Row(
        name: "verify", title: "\(title), wall, against their migration", metric: .wall,
        ours: "verify", peer: "ours",
        bar: 1.0),
      Row(
        name: "verify-memory", title: "\(title), peak memory", metric: .memory, ours: "verify",
        comparison: .alone,
        bar: 128 * 1_048_576),
    ]
    return Group(contenders: contenders, rows: rows, rounds: options.rounds)
  }

  /// The page about a migrated library.
  func report() throws(BenchmarkError) -> Group {
    let library = try workspace.migratedLibrary(options.trackCount)
    let page = Contender(
      name: "report", words: [options.tool, "report", library, "--output", workspace.result])
    let rows = [
      Row(
        name: "report", title: "the page about \(grouped(options.trackCount)) tracks, wall",
        metric: .wall,
        ours: "report", comparison: .alone, bar: 1.5),
      Row(
        name: "page", title: "its size", metric: .size, ours: "report", comparison: .alone,
        bar: 3_000_000),
    ]
    return Group(contenders: [page], rows: rows, rounds: options.rounds)
  }

  /// An added attribute, against a plain copy of the file.
  func lightweight() throws(BenchmarkError) -> Group {
    let library = try workspace.library(options.trackCount)
    let model = options.checkout + "/Tests/Benchmarks/Models/Tracks.xcdatamodeld"
    let query =
      "SELECT Z_PK, Z_OPT, ZLASTPLAYEDAT, ZARTISTNAME, ZIMAGEURL, length(ZJSON), ZTITLE FROM ZTRACK ORDER BY 1"
    let check = Contender.Check(
      subject: "",
      words: [
        "sqlite3", "-readonly", workspace.result,
        "SELECT count(*), hex(sha3_query('\(query)')) FROM ZTRACK",
      ])
    let contenders = [
      Contender(
        name: "ours",
        words: [options.tool, "migrate", library, "--model", model, "--output", workspace.result],
        check: check),
      Contender(
        name: "vacuum", words: ["sqlite3", library, "VACUUM INTO '\(workspace.result)'"],
        check: check),
    ]
    let row = Row(
      name: "lightweight",
      title: "an attribute added to \(grouped(options.trackCount)) rows, wall, against VACUUM INTO",
      metric: .wall, ours: "ours", peer: "vacuum", bar: 1.2)
    return Group(contenders: contenders, rows: [row], rounds: options.rounds)
  }

  func version() throws(BenchmarkError) -> Group {
    let contenders = [
      Contender(name: "ours", words: [options.tool, "--version"]),
      Contender(name: "sqlite3", words: ["sqlite3", "--version"]),
    ]
    let row = Row(
      name: "version", title: "`--version`, wall, against sqlite3", metric: .wall, ours: "ours",
      peer: "sqlite3",
      bar: 5)
    return Group(contenders: contenders, rows: [row], rounds: manyRounds)
  }
}
