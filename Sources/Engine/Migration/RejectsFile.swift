package import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import SystemC
internal import TerminalOutput

/// The file that keeps, word for word, what could not be read: one JSON object a line (NDJSON).
///
/// The file comes into being with the first reject.
public final class RejectsFile {
  /// The path of the file.
  package let path: String
  /// The number of rejects.
  package private(set) var count = 0
  private var descriptor: Int32 = -1
  private var buffer: [UInt8] = []
  /// The prefix of each line.
  private let prefix: String
  /// Takes the lines instead of the file.
  private let sink: (([UInt8]) -> Void)?
  /// The members that say in each line whose it is, so that the files of several libraries can be put together.
  private let origin: String

  /// Prepares a file that is written when there is something to write.
  package init(path: String, origin: MigrationOrigin? = nil) {
    (self.path, prefix, sink) = (path, "", nil)
    self.origin =
      origin.map { origin in
        let options = origin.options.map(Self.quoted).joined(separator: ",")
        return ",\"library\":\(Self.quoted(origin.libraryPath)),\"libraryUUID\":"
          + "\(origin.libraryUUID.map(Self.quoted) ?? "null"),\"toolVersion\":\(Self.quoted(toolVersion)),"
          + "\"options\":[\(options)]"
      } ?? ""
  }

  /// Prepares lines that stand among others, whose `kind` says what they are.
  package init(kind: String, sink: @escaping ([UInt8]) -> Void) {
    (path, origin, self.sink) = ("", "", sink)
    prefix = "\"kind\":\(Self.quoted(kind)),"
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The known facts of a reject besides its raw text.
  public struct Facts: Sendable {
    /// The row.
    public var primaryKey: Int64
    /// The title by which a person knows the row.
    public var title: String?
    /// A stable name of what is wrong.
    public var reason: String
    /// The place of the fault in the value.
    public var byteOffset: Int?

    /// Creates facts.
    public init(primaryKey: Int64, title: String?, reason: String, byteOffset: Int?) {
      self.primaryKey = primaryKey
      self.title = title
      self.reason = reason
      self.byteOffset = byteOffset
    }
  }

  /// Adds a reject: `{"primaryKey":7,"title":"…","reason":"…","byteOffset":12,"json":"…",…}`, at the end of which is
  /// whose it is: `"library":"…","libraryUUID":"…","toolVersion":"…","options":["…"]`.
  ///
  /// Text that is not valid UTF-8 cannot be in JSON; it is kept in base64 under `"jsonBase64"` instead.
  func add(_ facts: Facts, raw: SourceValueStream) throws(MigrationError) {
    let title = facts.title.map(Self.quoted) ?? "null"
    try add("\"primaryKey\":\(facts.primaryKey),\"title\":\(title)", facts.reason, facts.byteOffset) {
      body throws(MigrationError) in
      try raw.forEachPiece(body)
    }
  }

  /// Adds a line of a feed: `{"line":7,"reason":"…","byteOffset":12,"json":"…"}`.
  package func add(
    line: Int, reason: String, byteOffset: Int?, raw: UnsafeRawBufferPointer
  ) throws(MigrationError) {
    try add("\"line\":\(line)", reason, byteOffset) { body throws(MigrationError) in
      for start in stride(from: 0, to: raw.count, by: 1 << 16) {
        try body(UnsafeRawBufferPointer(rebasing: raw[start..<min(start + (1 << 16), raw.count)]))
      }
    }
  }

  private func add(
    _ subject: String, _ reason: String, _ byteOffset: Int?,
    _ forEachPiece: ((UnsafeRawBufferPointer) throws(MigrationError) -> Void) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    count += 1
    append("{\(prefix)\(subject),\"reason\":\(Self.quoted(reason))")
    append(",\"byteOffset\":\(byteOffset.map(String.init) ?? "null"),")

    var validator = UTF8Validator()
    try forEachPiece { validator.check($0) }
    if validator.isValidAtEnd {
      append("\"json\":\"")
      try forEachPiece { piece throws(MigrationError) in
        JSONText.append(utf8: piece, to: &buffer)
        try flush(above: 1 << 16)
      }
    } else {
      append("\"jsonBase64\":\"")
      var carry: [UInt8] = []
      try forEachPiece { piece throws(MigrationError) in
        carry += piece
        let whole = carry.count / 3 * 3
        append(Array(carry.prefix(whole)).base64)
        carry.removeFirst(whole)
        try flush(above: 1 << 16)
      }
      append(carry.base64)
    }
    append("\"\(origin)}\n")
    try flush(above: 1 << 16)
  }

  /// Writes what is still in memory.
  package func finish() throws(MigrationError) {
    try flush(above: 0)
  }

  private func append(_ text: String) {
    buffer.append(contentsOf: text.utf8)
  }

  private static func quoted(_ text: String) -> String {
    var (text, escaped) = (text, [UInt8]())
    text.withUTF8 { JSONText.append(utf8: UnsafeRawBufferPointer($0), to: &escaped) }
    return "\"\(String(decoding: escaped, as: UTF8.self))\""
  }

  private func flush(above limit: Int) throws(MigrationError) {
    guard buffer.count > limit else { return }
    if let sink {
      sink(buffer)
      return buffer.removeAll(keepingCapacity: true)
    }
    if descriptor < 0 {
      descriptor = try FileSystem.createFile(path)
    }
    try FileSystem.write(buffer, count: buffer.count, to: descriptor, named: path)
    buffer.removeAll(keepingCapacity: true)
  }
}
