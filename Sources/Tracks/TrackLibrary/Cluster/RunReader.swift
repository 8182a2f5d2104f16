internal import DataModel
internal import FeedFiles
internal import JSONStream
internal import MigrationDiagnostics
internal import PersistentStore
internal import TrackVerification

/// Reads the rows of one kind, from one file after the other, and checks that the files are those of the manifest.
final class RunReader {
  private let run: AssemblyManifest.Run
  private let manifestPath: String
  private let isCancelled: () -> Bool
  private let visitor: RowVisitor
  private let parser: JSONStreamParser
  private var place = -1
  private var feed: FeedReader?
  private var digest = Digest.SHA256()
  private var lineCount = 0
  /// The number of rows that were read.
  private(set) var count = 0

  /// - Parameter fields: The members of each line, in the order in which ``next()`` returns their values.
  init(
    _ run: AssemblyManifest.Run, fields: [StaticString], manifestPath: String, isCancelled: @escaping () -> Bool
  ) {
    (self.run, self.manifestPath, self.isCancelled) = (run, manifestPath, isCancelled)
    visitor = RowVisitor(fields)
    parser = JSONStreamParser(visitor: visitor, limits: JSONStreamLimits(maximumTokenBytes: .max))
  }

  /// The values of the row that was read last.
  var values: [RowVisitor.Value] { visitor.values }

  /// Moves to the next row.
  func next() throws(MigrationError) -> Bool {
    while true {
      if let feed, let line = try reading(feed) {
        lineCount += 1
        count += 1
        if count.isMultiple(of: 1024), isCancelled() { throw MigrationError(.interrupted, path: manifestPath) }
        try parse(line)
        return true
      }
      if feed != nil { try finishFile() }
      place += 1
      guard place < run.files.count else { return false }
      (digest, lineCount) = (Digest.SHA256(), 0)
      do throws(MigrationError) {
        feed = try FeedReader(
          FeedSource(path: try run.files[place].resolved(besides: manifestPath), format: .ndjson), isFile: true,
          onBytes: { [unowned self] in digest.add($0) }, isCancelled: isCancelled)
      } catch {
        throw self.error(error.detail ?? "it cannot be opened")
      }
    }
  }

  private func reading(_ feed: FeedReader) throws(MigrationError) -> UnsafeRawBufferPointer? {
    do throws(MigrationError) {
      return try feed.nextLine()
    } catch {
      throw error.code == .interrupted ? error : self.error(error.detail ?? "it cannot be read")
    }
  }

  /// Names the file and the line that was read last.
  func error(inLine detail: String) -> MigrationError { error("line \(feed?.lineNumber ?? 0): \(detail)") }

  /// An integer of the row.
  func integer(_ place: Int) throws(MigrationError) -> Int64 {
    guard case .number(let text) = visitor.values[place], let integer = Int64(String(decoding: text, as: UTF8.self))
    else { throw error(inLine: "'\(visitor.fields[place])' is not an integer") }
    return integer
  }

  /// A key of the row.
  ///
  /// Core Data gives none below 1, and no import takes one.
  func key(_ place: Int) throws(MigrationError) -> Int64 {
    let key = try integer(place)
    guard key > 0 else {
      var error = error(inLine: "'\(visitor.fields[place])' is \(key), and a key must be greater than 0")
      error.advice = "Nothing was written. Number tracks and artists from 1 on, also in the links, and run this again."
      throw error
    }
    return key
  }

  /// Checks that the row is of a kind, if it names one: those of `extract` are for different files.
  func requireKind(_ kind: StaticString, _ place: Int) throws(MigrationError) {
    switch visitor.values[place] {
    case .missing: return
    case .text(let text) where kind.withUTF8Buffer({ text.elementsEqual($0) }): return
    case .text, .number, .other: throw error(inLine: "its '\(visitor.fields[place])' is not '\(kind)'")
    }
  }

  /// A text of the row, where there is one.
  func text(_ place: Int) throws(MigrationError) -> [UInt8]? {
    switch visitor.values[place] {
    case .missing: return nil
    case .text(let text): return text
    case .number, .other: throw error(inLine: "'\(visitor.fields[place])' is not a text")
    }
  }

  /// Seconds since 2001, where there are some.
  ///
  /// JSON has no number for an infinite time, which is the text `inf` or `-inf`.
  func seconds(_ place: Int) throws(MigrationError) -> Double? {
    switch visitor.values[place] {
    case .missing: return nil
    case .number(let text):
      if let seconds = Double(String(decoding: text, as: UTF8.self)), seconds.isFinite { return seconds }
      throw error(inLine: "'\(visitor.fields[place])' is not a finite number")
    case .text(let text):
      let words = ["inf": Double.infinity, "infinity": .infinity, "-inf": -.infinity, "-infinity": -.infinity]
      if let seconds = words[String(decoding: text, as: UTF8.self).lowercased()] { return seconds }
      fallthrough
    case .other: throw error(inLine: "'\(visitor.fields[place])' is not a number")
    }
  }

  private func parse(_ line: UnsafeRawBufferPointer) throws(MigrationError) {
    visitor.begin()
    do throws(JSONStreamError) {
      try parser.parse(line)
    } catch {
      throw self.error(inLine: "\(error)")
    }
    guard visitor.isObject else { throw error(inLine: "it is not an object") }
    if let field = visitor.repeatedField { throw error(inLine: "it has '\(field)' twice") }
  }

  private func finishFile() throws(MigrationError) {
    let file = run.files[place]
    feed = nil
    guard lineCount == file.count else {
      throw error("it has \(lineCount) rows, and the manifest says \(file.count)")
    }
    guard digest.digest.hexadecimal == file.sha256.lowercased() else {
      throw error("its sha256 is not that of the manifest: it was changed, or is another file")
    }
  }

  private var path: String { FileSystem.sibling(of: manifestPath, named: run.files[place].path) }

  private func error(_ detail: String) -> MigrationError {
    MigrationError(.unusableManifest, path: path, detail: detail)
  }
}

extension [UInt8] {
  /// Two digits for each byte.
  fileprivate var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

/// Takes some members of an object that has no others inside.
final class RowVisitor: JSONVisitor {
  enum Value {
    case missing
    case text([UInt8])
    case number([UInt8])
    case other
  }

  let fields: [StaticString]
  private(set) var values: [Value]
  private(set) var isObject = false
  /// A member that occurs more than once.
  private(set) var repeatedField: StaticString?
  private var seen: Set<Int> = []
  private var depth = 0
  private var field: Int?

  init(_ fields: [StaticString]) {
    self.fields = fields
    values = fields.map { _ in .missing }
  }

  func begin() {
    (depth, isObject, field, repeatedField) = (0, false, nil, nil)
    seen.removeAll(keepingCapacity: true)
    for place in values.indices { values[place] = .missing }
  }

  override var canStartOver: Bool { true }
  override func startOver() { begin() }

  override func startObject() {
    if depth == 0 { isObject = true }
    take(.other)
    depth += 1
  }

  override func endObject() { depth -= 1 }

  override func startArray() {
    take(.other)
    depth += 1
  }

  override func endArray() { depth -= 1 }

  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    guard depth == 1, isObject else { return .skip }
    field = fields.firstIndex { name in
      name.utf8CodeUnitCount == utf8.count
        && utf8.elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }
    return field == nil ? .skip : .enter
  }

  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) { take(.text(Array(utf8))) }
  override func number(_ text: UnsafeRawBufferPointer) { take(.number(Array(text))) }
  override func boolean(_ value: Bool) { take(.other) }
  override func null() { take(.missing) }

  private func take(_ value: Value) {
    guard depth == 1, let field else { return }
    if !seen.insert(field).inserted { repeatedField = fields[field] }
    values[field] = value
    self.field = nil
  }
}
