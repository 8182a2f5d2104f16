// Libraries whose artists are spread unevenly, at two sizes: no command may slow down faster than its work grows.
extension Suite {
  /// A feed of a kind, and the number of lines of its larger size.
  private static let feeds: [(name: String, title: String, lines: Int, artists: String)] = [
    ("one", "one artist in all tracks", 300_000, #"[{"name": "Only", "id": "o"}]"#),
    (
      "once", "five artists in each track, all of them once", 100_000,
      "["
        + (0..<5).map { #"{"name": "Artist %1$d \#($0)", "id": "%1$d-\#($0)"}"# }.joined(
          separator: ", ") + "]"
    ),
    (
      "ids", "ten names with as many ids as tracks", 100_000,
      #"[{"name": "Name %2$d", "id": "%1$d"}]"#
    ),
    ("wide", "one track with all artists", 200_000, ""),
  ]

  /// The commands on each kind of library, against a tenth of it.
  func skewed() throws(BenchmarkError) -> Group {
    var contenders: [Contender] = []
    var rows: [Row] = []
    for kind in Self.feeds {
      let sizes = try [kind.lines, kind.lines / 10].map { (lines) throws(BenchmarkError) in
        let feed = try feed(kind.name, lines, kind.artists)
        let library = try workspace.file("\(kind.name)-\(lines).sqlite") {
          (path) throws(BenchmarkError) in
          try workspace.require([options.tool, "import", feed, path])
        }
        return (feed: feed, library: library)
      }
      let commands: [(name: String, words: (_ feed: String, _ library: String) -> [String])] = [
        ("import", { feed, _ in ["import", feed, workspace.result] }),
        ("verify --feed", { feed, library in ["verify", library, "--feed", feed] }),
        ("artists", { _, library in ["artists", library] }),
        ("tracks", { _, library in ["tracks", library] }),
        ("artists review", { _, library in ["artists", "review", library] }),
        ("export", { _, library in ["export", library] }),
        ("stats", { _, library in ["stats", library] }),
        ("report", { _, library in ["report", library, "--output", workspace.result] }),
        ("diff", { _, library in ["diff", library, library] }),
        ("query", { _, library in ["query", library, "Artist", "--where", "tracks.@count > 1"] }),
      ]
      for (command, words) in commands {
        let names = ["\(command), \(kind.name)", "\(command), \(kind.name), a tenth"]
        contenders += zip(names, sizes).map { name, size in
          Contender(name: name, words: [options.tool] + words(size.feed, size.library))
        }
        rows.append(
          Row(
            name: "skewed", title: "`\(command)`, \(kind.title), CPU, against a tenth",
            metric: .processor,
            ours: names[0], peer: names[1], bar: 11))
      }
      rows.append(
        Row(
          name: "verify-feed", title: "`verify --feed`, \(kind.title), CPU, against the import",
          metric: .processor,
          ours: "verify --feed, \(kind.name)", peer: "import, \(kind.name)", bar: 1.5))
    }
    return Group(contenders: contenders, rows: rows, rounds: options.rounds)
  }

  /// Many decisions about artists, of which there are ten times as many.
  func decisions() throws(BenchmarkError) -> Group {
    let feed = try feed("once", 100_000, Self.feeds[1].artists)
    let library = try workspace.file("once-100000.sqlite") { (path) throws(BenchmarkError) in
      try workspace.require([options.tool, "import", feed, path])
    }
    let names = try self.feed("ids", 100_000, Self.feeds[2].artists)
    let identified = try workspace.file("identified-100000.sqlite") {
      (path) throws(BenchmarkError) in
      try workspace.require([options.tool, "import", names, path, "--identity", "id"])
    }
    func contender(
      _ name: String, _ library: String, _ file: String, _ lines: String
    ) throws(BenchmarkError) -> Contender {
      let decisions = try workspace.file(file) { (path) throws(BenchmarkError) in
        let query = """
          SELECT 'decision', 'artist', 'id', 'into', 'into_id' UNION ALL SELECT * FROM (\(lines))
          """
        try workspace.require(["sqlite3", "-separator", "\t", ":memory:", query], outputPath: path)
      }
      return Contender(
        name: name,
        words: [
          "sh", "-c", #"set -e; cp "$1" "$2"; exec "$3" artists apply "$2" "$4" --no-backup"#, "sh",
          library,
          workspace.result, options.tool, decisions,
        ])
    }
    var contenders: [Contender] = []
    for count in [50_000, 5_000] {
      contenders.append(
        try contender(
          "\(count) decisions", library, "decisions-\(count).tsv",
          """
          SELECT 'rename', format('Artist %d 0', value), '', format('Name %d', value), ''
          FROM generate_series(1, \(count))
          """))
      contenders.append(
        try contender(
          "\(count) merges", identified, "merges-\(count).tsv",
          """
          SELECT 'merge', format('Name %d', value % 10), value, format('Name %d', value % 10), value % 10 + 10
          FROM generate_series(21, \(count + 20))
          """))
    }
    let rows = [
      Row(
        name: "decisions", title: "50,000 decisions about 500,000 artists, wall", metric: .wall,
        ours: "50000 decisions", comparison: .alone, bar: 5),
      Row(
        name: "decisions-growth", title: "50,000 decisions, CPU, against 5,000", metric: .processor,
        ours: "50000 decisions", peer: "5000 decisions", bar: 11),
      Row(
        name: "merges", title: "50,000 merges of ids of ten names that 100,000 artists have, wall",
        metric: .wall,
        ours: "50000 merges", comparison: .alone, bar: 5),
      Row(
        name: "merges-growth", title: "50,000 merges, CPU, against 5,000", metric: .processor,
        ours: "50000 merges", peer: "5000 merges", bar: 11),
    ]
    return Group(contenders: contenders, rows: rows, rounds: options.rounds)
  }

  /// A feed of so many lines, or of one line with so many artists.
  private func feed(_ name: String, _ lines: Int, _ artists: String) throws(BenchmarkError)
    -> String
  {
    try workspace.file("\(name)-\(lines).ndjson") { (path) throws(BenchmarkError) in
      let track = #"{"title": "Track %1$d", "artists": \#(artists)}"#
      let query =
        artists.isEmpty
        ? """
        SELECT '{"title": "Track", "artists": [' || group_concat(format('{"name": "A %d", "id": "%d"}', value, value), ', ') || ']}'
        FROM generate_series(1, \(lines))
        """
        : """
        SELECT replace(replace('\(track)', '%1$d', value), '%2$d', value % 10) FROM generate_series(1, \(lines))
        """
      try workspace.require(["sqlite3", ":memory:", query], outputPath: path)
    }
  }
}
