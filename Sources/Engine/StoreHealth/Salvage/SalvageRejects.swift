internal import MigrationDiagnostics
internal import PersistentStore
internal import SystemC
internal import TerminalOutput

/// The file that keeps what was found and is not in the new store: one JSON object a line (NDJSON).
///
/// The file comes into being with the first reject.
final class SalvageRejects {
  /// The number of rejects, by their reasons.
  private(set) var counts: [RowFault: Int] = [:]
  /// The number of rejects.
  private(set) var count = 0
  /// The path of the file, while it is hidden.
  let path: String
  private var descriptor: Int32 = -1
  private var buffer: [UInt8] = []

  private static let bufferSize = 1 << 16

  /// Prepares a file that is written when there is something to write.
  init(path: String) { self.path = path }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Adds a row that is not in the new store.
  ///
  /// - Parameters:
  ///   - key: The row's key, if it is known.
  ///   - page: The page that it was found in.
  ///   - lostPage: The page because of which it is not whole.
  func add(
    _ reason: RowFault, table: String, key: Int64?, page: Int?, lostPage: Int? = nil, _ remains: RowRemains
  ) throws(MigrationError) {
    try add(reason) { line in
      line.add("table", .string(table))
      if let entity = remains.entity { line.add("entity", .string(entity)) }
      if let key { line.add("key", .integer(key)) }
      if let page { line.add("page", .integer(Int64(page))) }
      if let lostPage { line.add("other_page", .integer(Int64(lostPage))) }
      line.add("reason", .string(reason.rawValue))
      line.add(
        "values",
        object: JSONObject { values in
          for (column, value, size) in remains.values { Self.add(value, as: column, size: size, to: &values) }
        })
    }
  }

  /// Adds a link from a row that is in the new store without it.
  func add(
    _ reason: RowFault, table: String, key: Int64, entity: String, relationship: String, destination: Int64
  ) throws(MigrationError) {
    try add(reason) { line in
      line.add("table", .string(table))
      line.add("entity", .string(entity))
      line.add("key", .integer(key))
      line.add("reason", .string(reason.rawValue))
      line.add("relationship", .string(relationship))
      line.add("destination", .integer(destination))
    }
  }

  /// Adds a row of a join table.
  ///
  /// - Parameter keys: The columns with their keys.
  func add(
    _ reason: RowFault, table: String, row: Int64, page: Int?, _ keys: [(column: String, key: Int64)]
  ) throws(MigrationError) {
    try add(reason) { line in
      line.add("table", .string(table))
      line.add("key", .integer(row))
      if let page { line.add("page", .integer(Int64(page))) }
      line.add("reason", .string(reason.rawValue))
      line.add(
        "values",
        object: JSONObject { values in
          for (column, key) in keys { values.add(column, .integer(key)) }
        })
    }
  }

  /// Adds an external data file that a row in the new store refers to.
  func add(missingFile file: StoreReader.ExternalFile, table: String) throws(MigrationError) {
    try add(.missingExternalFile) { line in
      line.add("table", .string(table))
      line.add("entity", .string(file.entityName))
      line.add("key", .integer(file.primaryKey))
      line.add("reason", .string(RowFault.missingExternalFile.rawValue))
      line.add("attribute", .string(file.attributeName))
      line.add("file", .string(file.fileName))
    }
  }

  /// Writes what is still in memory, and makes it safe.
  func finish() throws(MigrationError) {
    try flush(above: 0)
    guard descriptor >= 0 else { return }
    guard fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, path) }
  }

  private func add(_ reason: RowFault, _ build: (inout JSONObject) -> Void) throws(MigrationError) {
    counts[reason, default: 0] += 1
    count += 1
    buffer += Array(JSONObject(build).text.utf8)
    buffer.append(UInt8(ascii: "\n"))
    try flush(above: Self.bufferSize)
  }

  private static func add(_ value: SalvagedValue, as column: String, size: Int?, to object: inout JSONObject) {
    let (plain, name, count) = field(value)
    guard name != nil || size != nil else { return object.add(column, plain) }
    object.add(
      column,
      object: JSONObject { value in
        value.add(name ?? "text", plain)
        guard let size else { return }
        value.add("bytes_count", .integer(Int64(size)))
        value.add("found_bytes_count", .integer(Int64(count)))
      })
  }

  /// A value in JSON, and the name of its form if it is not the obvious one.
  private static func field(_ value: SalvagedValue) -> (value: FieldValue, form: String?, size: Int) {
    switch value {
    case .null: return (.null, nil, 0)
    case .integer(let integer): return (.integer(integer), nil, 0)
    // JSON has no notation for infinity.
    case .real(let real): return real.isFinite ? (.real(real), nil, 0) : (.string("\(real)"), "real", 0)
    case .text(let bytes):
      guard let text = String(validating: bytes, as: UTF8.self) else {
        return (.string(bytes.base64), "text_base64", bytes.count)
      }
      return (.string(text), nil, bytes.count)
    case .blob(let bytes): return (.string(bytes.base64), "base64", bytes.count)
    }
  }

  private func flush(above limit: Int) throws(MigrationError) {
    guard buffer.count > limit else { return }
    if descriptor < 0 { descriptor = try FileSystem.createFile(path) }
    try FileSystem.write(buffer, count: buffer.count, to: descriptor, named: path)
    buffer.removeAll(keepingCapacity: true)
  }
}
