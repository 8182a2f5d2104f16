// Stores with many tables, whose time must not grow faster than they do.
extension Suite {
  /// A library with many tables of the app's own, against a plain copy of the file.
  func ownTables() throws(BenchmarkError) -> Group {
    let count = 8000
    let source = try workspace.library(1000)
    let library = try workspace.file("tables.sqlite") { (path) throws(BenchmarkError) in
      let query = """
        WITH numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
        SELECT format('CREATE TABLE own%d (id INTEGER PRIMARY KEY, name TEXT);
          INSERT INTO own%d (name) VALUES (''a''), (''b''), (''c'');', n, n) FROM numbers
        """
      try workspace.require(["cp", source, path])
      try workspace.require(["sqlite3", ":memory:", query], outputPath: path + ".sql")
      try workspace.require(["sqlite3", path, "BEGIN", ".read \(path).sql", "COMMIT"])
    }
    let contenders = [
      ours(library), Contender(name: "vacuum", words: ["sqlite3", library, "VACUUM INTO '\(workspace.result)'"]),
    ]
    let row = Row(
      name: "tables", title: "\(grouped(count)) tables of the app's own, wall, against VACUUM INTO", metric: .wall,
      ours: "ours", peer: "vacuum", bar: 2)
    return Group(contenders: contenders, rows: [row], rounds: options.rounds)
  }

  /// Models of many entities, against those of an eighth of them.
  func entities() throws(BenchmarkError) -> Group {
    let (many, few) = (1600, 200)
    var contenders: [Contender] = []
    for count in [many, few] {
      let model = try workspace.file("Wide\(count).xcdatamodeld") { (path) throws(BenchmarkError) in
        try workspace.require(["python3", options.checkout + "/Tests/Benchmarks/wide_model.py", String(count), path])
      }
      let store = try workspace.file("wide\(count).sqlite") { (path) throws(BenchmarkError) in
        try workspace.require([options.tool, "fixture", "new", "--model", "\(model):Wide", "--rows", "10", path])
      }
      contenders.append(
        Contender(
          name: "migrate \(count)",
          words: [options.tool, "migrate", store, "--model", model, "--output", workspace.result]))
      contenders.append(
        Contender(name: "rehearse \(count)", words: [options.tool, "rehearse", "--model", model, "--rows", "10"]))
    }
    let rows = ["migrate", "rehearse"].map { command in
      Row(
        name: command == "migrate" ? "entities" : "rehearsal",
        title: "`\(command)`, a model of \(grouped(many)) entities, wall, against \(grouped(few))", metric: .wall,
        ours: "\(command) \(many)", peer: "\(command) \(few)", bar: 10)
    }
    return Group(contenders: contenders, rows: rows, rounds: options.rounds)
  }
}
