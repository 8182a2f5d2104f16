/// All rows, group by group.
struct Suite {
  let workspace: Workspace
  let options: Options

  init(_ workspace: Workspace) {
    self.workspace = workspace
    options = workspace.options
  }

  /// The groups with the rows that are wanted.
  ///
  /// A group is made, with its libraries, when its turn comes.
  var groups: [() throws(BenchmarkError) -> Group?] {
    let all: [(names: [String], make: () throws(BenchmarkError) -> Group)] = [
      (["sql", "duckdb", "python", "chdb", "floor", "growth", "idleness", "memory"], migration),
      (["processor", "scaling"], oneCore), (["small"], small), (["document"], document),
      (["unique"], uniqueArtists),
      (["import"], feed), (["artists"], artists), (["where"], predicate),
      (["list", "name", "sorted", "csv", "stats"], lists), (["many", "any"], conditions),
      (["export", "export-python", "export-memory"], export),
      (["line", "decision", "diff", "diff-memory"], changes),
      (["decisions", "decisions-growth", "merges", "merges-growth"], decisions),
      (["skewed", "verify-feed"], skewed),
      (["verify", "verify-memory"], verification),
      (["report", "page"], report), (["lightweight"], lightweight), (["mapping"], mapping),
      (["policy", "engine"], policy), (["relationships"], relationships), (["tables"], ownTables),
      (["entities", "rehearsal"], entities), (["version"], version),
    ]
    return all.map { names, make in
      { () throws(BenchmarkError) in
        guard names.contains(where: isWanted) else { return nil }
        return only(try make())
      }
    }
  }

  /// The names of all rows.
  static let rowNames = [
    "sql", "duckdb", "python", "chdb", "floor", "growth", "idleness", "memory", "processor",
    "scaling", "small", "document",
    "unique", "import", "artists", "where", "list", "name", "sorted", "csv", "stats", "many", "any",
    "export",
    "export-python", "export-memory", "line", "decision", "diff", "diff-memory", "decisions",
    "decisions-growth", "merges", "merges-growth", "skewed",
    "verify-feed", "verify", "verify-memory", "report", "page", "lightweight", "mapping", "policy",
    "engine",
    "relationships", "tables", "entities", "rehearsal", "version",
  ]

  private func isWanted(_ name: String) -> Bool {
    options.rowNames.isEmpty || options.rowNames.contains(name)
  }

  private func only(_ group: Group) -> Group {
    Group(
      contenders: group.contenders, rows: group.rows.filter { isWanted($0.name) },
      rounds: group.rounds)
  }

  /// Rounds for what takes milliseconds.
  var manyRounds: Int { options.rounds * 4 }

  /// A number with separators.
  func grouped(_ number: Int) -> String {
    var (digits, groups) = (String(number), [String]())
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }
}
