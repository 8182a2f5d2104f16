import CoreDataExpressions
import DataModel
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

@testable import Migration

/// Rows that a thread of its own reads for a policy that takes them one by one.
struct RowsAheadTests {
  /// More than are read at a time, with gaps; one is larger than all that wait together.
  private static let rows = (1...3000).map { number in
    TrackRow(
      Int64(number * 3), title: .text("Title \(number)"),
      json: .text(number == 700 ? String(repeating: "é", count: 3 << 20) : "{}"))
  }

  /// Returns the rows that a policy received, with one thread or two.
  private func seen(threadCount: Int, failingAt key: Int64 = 0) throws -> (lines: [String], error: MigrationError?) {
    var fixture = try MigrationFixture(Self.rows)
    fixture.threadCount = threadCount
    let seen = Seen()
    fixture.use {
      ClosurePolicy(create: { instance, mapping, manager in
        let connections = manager.sourceConnections.count
        #expect(connections == (threadCount > 1 ? 1 : 0))
        if instance.objectID.primaryKey == key { throw MigrationError(.policyFailed, detail: "enough") }
        guard case .string(let title)? = instance.value(forKey: "title"),
          case .string(let json)? = instance.value(forKey: "json")
        else { throw MigrationError(.policyFailed, detail: "row \(instance.objectID.primaryKey) has no texts") }
        seen.lines.append("\(instance.objectID.primaryKey) \(title) \(json.utf8.count)")
        let new = try manager.destinationContext.insertNewObject(forEntityName: "Track")
        new.setValue(.string(title), forKey: "title")
        manager.associate(sourceInstance: instance, withDestinationInstance: new, for: mapping)
      })
    }
    do {
      try fixture.migrate()
      #expect(try fixture.rows("SELECT count(*), max(Z_PK) FROM ZTRACK") == ["3000|3000"])
    } catch let error as MigrationError {
      return (seen.lines, error)
    }
    return (seen.lines, nil)
  }

  private final class Seen {
    var lines: [String] = []
  }

  @Test func `Every row arrives unchanged and in order, with one thread or two`() throws {
    let expected = (1...3000).map { "\($0 * 3) Title \($0) \($0 == 700 ? 6 << 20 : 2)" }
    for threadCount in 1...2 {
      let (lines, error) = try seen(threadCount: threadCount)
      #expect(lines == expected)
      #expect(error == nil)
    }
  }

  @Test func `A policy error ends the reading at once and names the row`() throws {
    for threadCount in 1...2 {
      let (lines, error) = try seen(threadCount: threadCount, failingAt: 900)
      #expect(lines.count == 299)
      #expect(error?.detail?.contains("enough") == true)
    }
  }

  @Test func `Large rows come in smaller batches`() throws {
    let rows = (1...20).map { TrackRow(Int64($0), json: .text(String(repeating: "x", count: 300_000))) }
    let fixture = try MigrationFixture(rows)
    let layout = try #require(EntityLayouts(StoreSchema(TrackModels.v1))["Track"])
    let reading = SourceRowPrefetcher(
      "SELECT \(layout.selectedColumns) FROM ZTRACK AS t0 ORDER BY Z_PK", layout,
      try StoreReader(path: fixture.source).openConnection())
    defer { reading.stop() }
    var counts: [Int] = []
    while let rows = try reading.next() { counts.append(rows.count) }
    #expect(counts == [4, 4, 4, 4, 4])
  }

  @Test func `An SQLite error follows the rows before it`() throws {
    let fixture = try MigrationFixture(Self.rows)
    let reader = try StoreReader(path: fixture.source)
    let layout = try #require(EntityLayouts(StoreSchema(TrackModels.v1))["Track"])
    // abs() of the least integer is an error, in the row of this key.
    let query: SQLFragment = """
      SELECT \(layout.selectedColumns) FROM ZTRACK AS t0 \
      WHERE abs(CASE Z_PK WHEN 1500 THEN -9223372036854775807 - 1 ELSE 1 END) ORDER BY Z_PK
      """
    let reading = SourceRowPrefetcher(query, layout, try reader.openConnection())
    defer { reading.stop() }
    var keys: [Int64] = []
    #expect(throws: SQLiteError.self) {
      while let rows = try reading.next() {
        // They come in batches, lest all of them are in memory at once.
        #expect(rows.count <= 256)
        keys += rows.map(\.id.primaryKey)
      }
    }
    #expect(keys == (1..<500).map { $0 * 3 })
    #expect(try reading.next()?.count == nil)
  }
}
