import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SQLiteDatabase

/// The trace of statements is one for the process: these tests run one after the other.
@Suite("The statement trace", .serialized)
struct StatementTraceTests {
  /// Returns the trace of statements that run on a new connection.
  private func lines(_ level: StatementTrace.Level, _ work: (Connection) throws -> Void) throws -> [String] {
    let folder = try TemporaryFolder()
    let lines = Mutex<[String]>([])
    try withExtendedLifetime(folder) {
      let collector = Collector()
      StatementTrace.current = StatementTrace(level: level) { collector.add($0) }
      defer { StatementTrace.current = nil }
      let connection = try Connection(path: folder.file("a"), access: .create, busyTimeout: 0)
      collector.isOn = true
      try work(connection)
      collector.isOn = false
      lines.withLock { $0 = collector.lines }
    }
    return lines.withLock { $0 }
  }

  /// Collects the trace of the thread that created it: tests of other suites may open connections meanwhile.
  private final class Collector: Sendable {
    private let thread = ObjectIdentifier(Thread.current)
    private let state = Mutex<(isOn: Bool, lines: [String])>((false, []))

    var isOn: Bool {
      get { state.withLock { $0.isOn } }
      set { state.withLock { $0.isOn = newValue } }
    }

    var lines: [String] { state.withLock { $0.lines } }

    func add(_ line: String) {
      guard ObjectIdentifier(Thread.current) == thread else { return }
      state.withLock { state in
        if state.isOn { state.lines.append(line) }
      }
    }
  }

  private func insert(_ text: String) -> (Connection) throws -> Void {
    { connection in
      try connection.execute("CREATE TABLE traced (x)")
      let statement = try connection.prepare("INSERT INTO traced VALUES (?)")
      try statement.bind(text, at: 1)
      try statement.run()
      let query = try connection.prepare("SELECT x FROM traced UNION ALL SELECT 2")
      while try query.step() {}
    }
  }

  private func expectTimes(_ lines: [String], suffix: String) {
    let times = lines.filter { $0.hasPrefix("CoreData: annotation: total execution time: ") && $0.hasSuffix(suffix) }
    #expect(times.contains { $0.firstMatch(of: /: \d+\.\d{4}s/) != nil })
  }

  @Test func `The trace prints each statement and its time`() throws {
    let lines = try lines(.statements, insert("secret"))
    #expect(lines.contains("CoreData: sql: INSERT INTO traced VALUES (?)"))
    expectTimes(lines, suffix: "s.")
    #expect(!lines.contains { $0.contains("secret") || $0.contains(" rows.") })
  }

  @Test func `The trace prints the number of rows from the second level on`() throws {
    let lines = try lines(.rows, insert("secret"))
    let place = try #require(lines.firstIndex { $0.hasPrefix("CoreData: sql: SELECT x FROM traced") })
    #expect(lines[place + 1].hasSuffix("s for 2 rows."))
    #expect(!lines.contains { $0.contains("secret") })
  }

  @Test(arguments: [
    ("it's", "VALUES ('it''s')"),
    (String(repeating: "x", count: 100), "VALUES ('\(String(repeating: "x", count: 100))')"),
    (String(repeating: "x", count: 101), "VALUES ('\(String(repeating: "x", count: 100))… (101 bytes)')"),
    (String(repeating: "é", count: 3000), "VALUES ('\(String(repeating: "é", count: 50))… (6000 bytes)')"),
  ])
  func `The trace prints values at the third level and shortens long ones`(value: String, expected: String) throws {
    let lines = try lines(.values, insert(value))
    #expect(lines.contains("CoreData: sql: INSERT INTO traced \(expected)"))
  }

  @Test func `The trace skips connections opened earlier, and prints nothing when it is off`() throws {
    let folder = try TemporaryFolder()
    let collector = Collector()
    let connection = try Connection(path: folder.file("a"), access: .create, busyTimeout: 0)
    collector.isOn = true
    StatementTrace.current = StatementTrace(level: .values) { collector.add($0) }
    defer { StatementTrace.current = nil }
    try connection.execute("CREATE TABLE early (x)")
    #expect(!collector.lines.contains { $0.contains("early") })
  }
}
