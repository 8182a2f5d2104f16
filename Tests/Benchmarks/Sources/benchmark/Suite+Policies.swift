internal import ProcessControl

// Policies that see instance by instance, and mapping models that are carried out by statements.
extension Suite {
  /// The policy of the article, unmodified.
  func policy() throws(BenchmarkError) -> Group {
    let count = min(100_000, options.trackCount)
    let library = try workspace.library(count)
    let contenders = [
      Contender(
        name: "article",
        words: [
          options.program("article-migrate"), options.checkout + "/SampleData/Tracks", library, workspace.result,
        ],
        check: check(library)),
      Contender(name: "decoder", words: [options.program("article-migrate"), "decode", library]),
      python(library),
    ]
    let title = "\(grouped(count)) tracks, an unmodified policy through CoreData"
    let rows = [
      Row(
        name: "policy", title: "\(title), wall, against Python", metric: .wall, ours: "article", peer: "python",
        bar: 1.0),
      Row(
        name: "engine", title: "\(title), CPU without that of Foundation's JSONDecoder, against all of Python's",
        metric: .processor, ours: "article", peer: "python", without: "decoder", bar: 0.30),
    ]
    return Group(contenders: contenders, rows: rows, rounds: options.rounds)
  }

  /// A policy that fills three to-many relationships.
  func relationships() throws(BenchmarkError) -> Group {
    let count = min(100_000, options.trackCount)
    let library = try workspace.library(count)
    let queries = [
      "SELECT count(*), hex(sha3_query('SELECT ZNAME, count(*) FROM ZARTIST GROUP BY 1 ORDER BY 1')) FROM ZARTIST;",
      "SELECT count(*), hex(sha3_query('SELECT ZNAME, count(*) FROM ZALBUM GROUP BY 1 ORDER BY 1')) FROM ZALBUM;",
      "SELECT count(*), hex(sha3_query('SELECT ZURL, count(*) FROM ZIMAGE GROUP BY 1 ORDER BY 1')) FROM ZIMAGE;",
      "SELECT (SELECT count(*) FROM Z_1TRACKS), (SELECT count(*) FROM Z_2TRACKS), (SELECT count(*) FROM Z_3TRACKS);",
    ]
    let check = Contender.Check(
      subject: library, words: ["sqlite3", "-readonly", workspace.result, queries.joined(separator: "\n")])
    let contenders = [
      Contender(
        name: "policy",
        words: [
          options.program("article-migrate"), options.checkout + "/Tests/Benchmarks/Models/Related", library,
          workspace.result,
        ], check: check),
      Contender(
        name: "python",
        words: [
          options.python, options.checkout + "/Tests/Benchmarks/peer_relationships.py", library, workspace.result,
        ], check: check),
    ]
    let row = Row(
      name: "relationships",
      title: "\(grouped(count)) tracks, a policy with three to-many relationships, wall, against Python",
      metric: .wall, ours: "policy", peer: "python", bar: 1.2)
    return Group(contenders: contenders, rows: [row], rounds: options.rounds)
  }

  /// A mapping model with a filter, over two entities and their join table.
  func mapping() throws(BenchmarkError) -> Group {
    let library = try workspace.migratedLibrary(options.trackCount)
    let queries = [
      "SELECT count(*), hex(sha3_query('SELECT Z_PK, ZNAME, ZLASTPLAYEDAT + 0.0, ZIMAGEURL FROM ZTRACK ORDER BY 1')) FROM ZTRACK;",
      "SELECT count(*), hex(sha3_query('SELECT Z_PK, ZID, ZIMAGEURL, ZNAME FROM ZARTIST ORDER BY 1')) FROM ZARTIST;",
      "SELECT count(*), hex(sha3_query('SELECT Z_1ARTISTS, Z_2TRACKS FROM Z_1TRACKS ORDER BY 1, 2')) FROM Z_1TRACKS;",
    ]
    let check = Contender.Check(
      subject: library, words: ["sqlite3", "-readonly", workspace.result, queries.joined(separator: "\n")])
    let contenders = [
      Contender(
        name: "ours",
        words: [
          options.tool, "migrate", library, "--model",
          options.checkout + "/Tests/Benchmarks/Models/Played/Played.xcdatamodeld",
          "--output", workspace.result,
        ], check: check),
      Contender(
        name: "sql", words: ["sh", options.checkout + "/Tests/Benchmarks/peer_mapping.sh", library, workspace.result],
        check: check),
    ]
    let row = Row(
      name: "mapping",
      title: "\(grouped(options.trackCount)) tracks, a mapping model with a filter and a join table, wall, against SQL",
      metric: .wall, ours: "ours", peer: "sql", bar: 1.1)
    return Group(contenders: contenders, rows: [row], rounds: options.rounds)
  }
}
