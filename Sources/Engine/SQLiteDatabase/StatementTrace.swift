internal import CTracksSQLite
internal import Synchronization

/// Logs every statement that is run, like Core Data with `-com.apple.CoreData.SQLDebug`.
///
/// It applies to all connections that are opened after it was turned on.
package struct StatementTrace: Sendable {
  /// The levels of logging.
  package enum Level: Int, Sendable, Comparable {
    /// Each statement and how long it took.
    case statements = 1
    /// Also the number of rows.
    case rows = 2
    /// Also the values of the statement's parameters.
    case values = 3

    /// Compares by how much is logged.
    package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// The level of logging.
  package let level: Level
  /// Called with each line.
  package let write: @Sendable (String) -> Void

  /// Creates a trace.
  package init(level: Level, write: @escaping @Sendable (String) -> Void) {
    self.level = level
    self.write = write
  }

  private static let shared = Mutex<StatementTrace?>(nil)

  /// The trace of connections that are opened from now on; `nil` for none.
  package static var current: StatementTrace? {
    get { shared.withLock { $0 } }
    set { shared.withLock { $0 = newValue } }
  }
}

/// Traces the statements of one connection.
final class StatementTracer {
  private let trace: StatementTrace
  private var rowCounts: [OpaquePointer: Int] = [:]

  init(_ trace: StatementTrace) {
    self.trace = trace
  }

  /// Registers the tracer, which the connection retains.
  func attach(to handle: OpaquePointer?) {
    let rowEvents = UInt32(SQLITE_TRACE_ROW) | UInt32(SQLITE_TRACE_STMT)
    let events = UInt32(SQLITE_TRACE_PROFILE) | (trace.level >= .rows ? rowEvents : 0)
    sqlite3_trace_v2(
      handle, events,
      { event, context, statement, detail in
        guard let context, let statement else { return 0 }
        let tracer = Unmanaged<StatementTracer>.fromOpaque(context).takeUnretainedValue()
        let handle = OpaquePointer(statement)
        if event == UInt32(SQLITE_TRACE_ROW) {
          tracer.rowCounts[handle, default: 0] += 1
        } else if event == UInt32(SQLITE_TRACE_STMT) {
          // Another statement at the same address may have disappeared without reporting its end, such as one that
          // reads the schema. An SQL comment here is a trigger that starts, not a statement.
          let text = detail?.assumingMemoryBound(to: CChar.self)
          if text?[0] != CChar(UInt8(ascii: "-")) { tracer.rowCounts[handle] = nil }
        } else if let nanoseconds = detail?.assumingMemoryBound(to: Int64.self).pointee {
          tracer.finished(handle, nanoseconds)
        }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func finished(_ statement: OpaquePointer, _ nanoseconds: Int64) {
    trace.write("CoreData: sql: \(text(statement))")
    let rows = trace.level >= .rows ? " for \(rowCounts.removeValue(forKey: statement) ?? 0) rows" : ""
    trace.write("CoreData: annotation: total execution time: \(Self.seconds(nanoseconds))s\(rows).")
  }

  /// The statement, with its values if they are requested.
  private func text(_ statement: OpaquePointer) -> String {
    guard trace.level >= .values, let expanded = sqlite3_expanded_sql(statement) else {
      return sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    }
    defer { sqlite3_free(expanded) }
    var length = 0
    while expanded[length] != 0 { length += 1 }
    return Self.shortened(UnsafeBufferPointer(start: expanded, count: length))
  }

  /// The maximum number of bytes logged per value.
  private static let valueLimit = 100

  /// A statement with its long values cut: the contents of a picture are not worth reading.
  private static func shortened(_ text: UnsafeBufferPointer<CChar>) -> String {
    let quote = CChar(UInt8(ascii: "'"))
    var bytes: [UInt8] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: quote) {
      // Two quotes inside a value are taken for the end of one value and the start of another, which works as well.
      let end = rest[(start + 1)...].firstIndex(of: quote) ?? rest.endIndex
      bytes.append(contentsOf: rest[...start].lazy.map(UInt8.init(bitPattern:)))
      let value = rest[(start + 1)..<end]
      bytes.append(contentsOf: value.prefix(valueLimit).lazy.map(UInt8.init(bitPattern:)))
      if value.count > valueLimit { bytes.append(contentsOf: "… (\(value.count) bytes)".utf8) }
      guard end < rest.endIndex else {
        rest = rest[rest.endIndex...]
        break
      }
      bytes.append(UInt8(bitPattern: quote))
      rest = rest[(end + 1)...]
    }
    bytes.append(contentsOf: rest.lazy.map(UInt8.init(bitPattern:)))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Seconds with four decimals, as Core Data writes them.
  private static func seconds(_ nanoseconds: Int64) -> String {
    let tenThousandths = (nanoseconds + 50_000) / 100_000
    let fraction = String(tenThousandths % 10_000)
    return "\(tenThousandths / 10_000)." + String(repeating: "0", count: 4 - fraction.count) + fraction
  }
}
