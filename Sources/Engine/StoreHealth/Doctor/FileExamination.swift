internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import SystemC

extension HealthNotes {
  /// Takes an error for a finding because of which nothing else can be read.
  ///
  /// - Throws: The error, if it says nothing about the store's health.
  mutating func explain(_ error: MigrationError, _ file: StoreFile) throws(MigrationError) {
    let detail = error.detail.map { ": \($0)" } ?? ""
    // A log that is not a file of its own is in the way, and not damaged.
    let isLogThere = FileStatus(unresolved: file.resolvedPath + "-wal")?.kind == .regular
    if error.code == .unreadableWriteAheadLog, isLogThere {
      add(Finding(.log, "its write-ahead log cannot be read\(detail)"))
      leaveAll(because: "SQLite would leave out changes in the write-ahead log")
    } else if error.code == .unfinishedTransaction, let damage = error.detail {
      add(Finding(.damagedJournal, "its journal cannot be rolled back: \(damage)"))
      leaveAll(because: "the file has changes that were never completed")
    } else if error.code == .unfinishedTransaction {
      add(
        Finding(
          .journal, "it has an unfinished transaction (there is a journal next to it)",
          repair: Repair(deed: "rolled back the unfinished transaction", work: .rollback)))
      leaveAll(because: "nothing can be read before the transaction is rolled back")
    } else if error.code == .notADatabase {
      // Only its key opens it: there is nothing to repair or to salvage.
      if let encryption = StoreFile.encryption(file.path, file.resolvedPath) { throw encryption }
      add(Finding(.header, "SQLite does not accept its header\(detail)"))
      leaveAll(because: "the file cannot be opened")
    } else if error.code == .damaged || error.code == .notACoreDataStore {
      try explainContents(error, file)
    } else {
      throw error
    }
  }

  private mutating func leaveAll(because reason: String) {
    leave([.pages, .metadata, .modelCopy, .tables], because: reason)
    leaveRows(because: reason)
  }

  /// Finds out whether the pages are damaged, or something in Core Data's own tables.
  private mutating func explainContents(_ error: MigrationError, _ file: StoreFile) throws(MigrationError) {
    let detail = error.detail ?? ""
    var copy = self
    var isStore = false
    do throws(MigrationError) {
      try file.reading { connection in
        isStore = try connection.hasPlainTable("Z_METADATA") || connection.hasPlainTable("Z_PRIMARYKEY")
        try connection.reading { try copy.examinePages(connection, file) }
      }
      self = copy
    } catch let other where other.code == .damaged {
      isStore = true
      add(Finding(.pages, "its pages do not fit together: \(other.detail ?? detail)"))
    }
    guard isStore else { throw error }
    if !has(.pages) {
      let code: Finding.Code =
        switch error.table {
        case "Z_PRIMARYKEY": .noPrimaryKeys
        case "Z_METADATA": .noMetadata
        default: .pages
        }
      add(Finding(code, detail.isEmpty ? "it cannot be read" : detail))
    }
    let reason = has(.pages) ? "the file's pages are damaged" : "Core Data's own tables cannot be read"
    leave(has(.noMetadata) ? [.modelCopy, .tables] : [.metadata, .modelCopy, .tables], because: reason)
    leaveRows(because: reason)
  }

  /// Looks for damaged pages, and for indexes that are not those of their tables.
  mutating func examinePages(_ connection: Connection, _ file: StoreFile) throws {
    connection.onProgress(every: 100_000) { EndRequest.isMade }
    defer { connection.onProgress(every: 0, nil) }
    let answer = try connection.integrityProblems()
    for index in answer.uncheckedIndexes {
      leave(part: "the index '\(index)', which needs a collation or function that only its app has")
    }
    guard !answer.problems.isEmpty else { return }
    connection.onProgress(every: 100_000) { EndRequest.isMade }
    if let problem = try connection.problemHidingRows(hasLog: file.writeAheadLogSize > 0, readsIndexes: false) {
      let text = try connection.describe(problem, in: file)
      return add(Finding(.pages, "its pages do not fit together, so rows may be missing: \(text)"))
    }
    for problem in PageProblem.all(in: answer.problems) {
      var finding = problem.finding
      if case .index(let name) = problem {
        finding.table = try connection.text(
          "SELECT tbl_name FROM main.sqlite_schema WHERE type = 'index' AND name = \(name.quotedLiteral)")
      }
      add(finding)
    }
  }
}

/// A kind of problem that `PRAGMA integrity_check` reports although every row can be read.
private enum PageProblem: Hashable {
  case index(String)
  /// Pages of an index, which its name is not said for.
  case indexPages(example: String)
  case freePages(example: String)
  case rule(String)

  /// Sorts lines, each of which names an index or a rule, or is about pages that are not those of rows.
  static func all(in lines: [String]) -> [PageProblem] {
    var found: [PageProblem] = []
    var (hasIndexPages, hasFreePages) = (false, false)
    for line in lines where !line.hasPrefix("***") {
      if let name = indexName(in: line) {
        if !found.contains(.index(name)) { found.append(.index(name)) }
      } else if Connection.isAboutBookkeeping(line) {
        if !hasFreePages { found.append(.freePages(example: line)) }
        hasFreePages = true
      } else if line.hasPrefix("NULL value in ") || line.hasPrefix("CHECK constraint failed in ")
        || line.contains(" value in ")
      {
        if !found.contains(.rule(line)) { found.append(.rule(line)) }
      } else {
        if !hasIndexPages { found.append(.indexPages(example: line)) }
        hasIndexPages = true
      }
    }
    return found
  }

  /// The index that a line is about.
  private static func indexName(in line: String) -> String? {
    guard let mark = line.ranges(of: " index ").last else { return nil }
    var name = line[mark.upperBound...]
    let end = " are not those of its table"
    if name.hasSuffix(end) { name = name.dropLast(end.count) }
    return name.isEmpty ? nil : String(name)
  }

  var finding: Finding {
    switch self {
    case .index(let name):
      return Finding(
        .indexEntries, "the entries of the index '\(name)' are not those of its table",
        repair: Repair(deed: "made the index '\(name)' again", work: .indexes([name])))
    case .indexPages(let example):
      return Finding(
        .indexEntries, "pages of an index are damaged: \(example)",
        repair: Repair(deed: "made all indexes again", work: .indexes(nil)))
    case .freePages(let example):
      return Finding(
        .freePages, "its list of free pages is wrong: \(example)",
        repair: Repair(deed: "wrote the file without free pages", work: .copying))
    case .rule(let line):
      return Finding(.brokenRule, "a row breaks a rule of its table: \(line)")
    }
  }
}
