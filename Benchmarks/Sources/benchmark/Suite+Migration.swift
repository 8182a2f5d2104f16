internal import ProcessControl

// The migration of a library, by us and by what a person would use instead.
extension Suite {
  func migration() throws(BenchmarkError) -> Group {
    let (count, tenth) = (options.trackCount, max(1, options.trackCount / 10))
    let library = try workspace.library(count)
    let contenders = [
      ours(library), sql(library), python(library), floor(library, threads: 2),
      ours(try workspace.library(tenth), name: "tenth"),
    ]
    let title = "\(grouped(count)) tracks"
    let rows = [
      Row(name: "sql", title: "\(title), wall, against pure SQL", metric: .wall, ours: "ours", peer: "sql", bar: 0.40),
      Row(
        name: "python", title: "\(title), wall, against Python", metric: .wall, ours: "ours", peer: "python", bar: 0.33),
      Row(
        name: "floor", title: "\(title), wall, against C with 2 threads", metric: .wall, ours: "ours", peer: "floor",
        bar: 1.15),
      Row(
        name: "growth", title: "\(title), wall, against \(grouped(tenth))", metric: .wall, ours: "ours", peer: "tenth",
        bar: 11),
      Row(
        name: "memory", title: "\(title), peak memory", metric: .memory, ours: "ours", comparison: .alone,
        bar: Double(count <= 1_000_000 ? 128 : 800) * 1_048_576),
    ]
    return Group(contenders: contenders, rows: rows, rounds: options.rounds)
  }

  func oneCore() throws(BenchmarkError) -> Group {
    let library = try workspace.library(options.trackCount)
    var contenders = [ours(library), floor(library, threads: 1)]
    for index in contenders.indices {
      contenders[index].cores = 1
      if core_count() == 0 { contenders[index].absence = "this system cannot keep a program to one core" }
    }
    let row = Row(
      name: "processor", title: "\(grouped(options.trackCount)) tracks on one core, CPU, against C with 1 thread",
      metric: .processor, ours: "ours", peer: "floor", bar: 1.25)
    return Group(contenders: contenders, rows: [row], rounds: options.rounds)
  }

  func small() throws(BenchmarkError) -> Group {
    let library = try workspace.library(1000)
    let row = Row(
      name: "small", title: "1,000 tracks, wall, against pure SQL", metric: .wall, ours: "ours", peer: "sql", bar: 1.0)
    return Group(contenders: [ours(library), sql(library)], rows: [row], rounds: manyRounds)
  }

  /// The policy of the article, instance by instance.
  func policy() throws(BenchmarkError) -> Group {
    let count = min(100_000, options.trackCount)
    let library = try workspace.library(count)
    let article = Contender(
      name: "article",
      words: [
        options.program("article-migrate"), options.checkout + "/SampleData", library, workspace.result,
      ], check: check(library))
    let row = Row(
      name: "policy", title: "\(grouped(count)) tracks, an unmodified policy through CoreData, wall, against Python",
      metric: .wall, ours: "article", peer: "python", bar: 1.0)
    return Group(contenders: [article, python(library)], rows: [row], rounds: options.rounds)
  }

  private func ours(_ library: String, name: String = "ours") -> Contender {
    Contender(
      name: name, words: [options.tool, "migrate", library, "--output", workspace.result], check: check(library))
  }

  private func sql(_ library: String) -> Contender {
    Contender(
      name: "sql", words: ["sh", options.checkout + "/Benchmarks/peer_sql.sh", library, workspace.result],
      check: check(library))
  }

  private func python(_ library: String) -> Contender {
    var contender = Contender(
      name: "python", words: ["python3", options.checkout + "/Benchmarks/peer_python.py", library, workspace.result],
      check: check(library))
    let test = try? Command(["python3", "-c", "import sqlite3"]).run()
    if test?.status != 0 { contender.absence = "python3 is not installed" }
    return contender
  }

  private func floor(_ library: String, threads: Int) -> Contender {
    Contender(
      name: "floor", words: [options.program("floor"), library, workspace.result, String(threads)],
      check: check(library))
  }

  /// All rows of the three tables, in the order of their keys.
  private func check(_ library: String) -> Contender.Check {
    let columns = [
      ("ZTRACK", "Z_PK, ZLASTPLAYEDAT, ZIMAGEURL, ZTITLE"), ("ZARTIST", "Z_PK, ZID, ZIMAGEURL, ZNAME"),
      ("Z_1TRACKS", "Z_1ARTISTS, Z_2TRACKS"),
    ]
    let queries = columns.map { table, columns in
      "SELECT '\(table)', count(*), hex(sha3_query('SELECT \(columns) FROM \(table) ORDER BY 1, 2')) FROM \(table);"
    }
    return Contender.Check(
      subject: library, words: ["sqlite3", "-readonly", workspace.result, queries.joined(separator: "\n")])
  }
}
