internal import DataModel
internal import FeedFiles
internal import Foundation
internal import JSONStream
package import MigrationDiagnostics
internal import PersistentStore
internal import SystemC
internal import TrackVerification

/// The list of files of which a store is assembled: tracks, artists and links, each sorted by its keys.
///
/// docs/cluster.md has the format. The files of one kind follow each other, so that reading them in turn gives all rows
/// in order.
package struct AssemblyManifest: Sendable {
  /// The rows of one kind.
  package struct Run: Sendable, Decodable {
    /// The number of rows in all files.
    package let count: Int
    package let files: [File]
  }

  /// One file of rows.
  package struct File: Sendable, Decodable {
    /// The path of the file, from the manifest's folder on.
    package let path: String
    /// The number of its lines.
    package let count: Int
    /// The digest of the file's bytes, in hexadecimal.
    package let sha256: String

    /// The reason why the path cannot be that of a file in the manifest's folder; `nil` if it can.
    ///
    /// A manifest may come from elsewhere: what it names is read, and said to be unusable.
    var pathProblem: String? {
      if path.isEmpty { return "is empty" }
      if path.utf8.contains(0) { return "has a NUL" }
      if path.utf8.first == UInt8(ascii: "/") { return "is not relative to the manifest's folder" }
      return path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
        ? "leads out of the manifest's folder" : nil
    }

    /// The path of the file itself.
    ///
    /// - Throws: `MigrationError` if a link leads out of the manifest's folder. Links within it are those of a cluster's
    ///   volumes: Kubernetes mounts every file as one.
    func resolved(besides manifestPath: String) throws(MigrationError) -> String {
      let file = FileSystem.sibling(of: manifestPath, named: path)
      guard let folder = FileSystem.resolved(FileSystem.split(manifestPath).folder),
        let resolved = FileSystem.resolved(file)
      else { throw FileSystem.failure(.unreadable, file) }
      guard FileSystem.suffix(of: resolved, after: folder == "/" ? folder : folder + "/") != nil else {
        throw MigrationError(
          .unusableManifest, path: file, detail: "it is a link that leads out of the manifest's folder")
      }
      return resolved
    }
  }

  private struct Content: Decodable {
    // By its exact name: a strategy of the decoder would take 'formatVersion' for it too.
    enum CodingKeys: String, CodingKey {
      case formatVersion = "format_version"
      case uuid, tracks, artists, links
    }

    let formatVersion: Int
    let uuid: String?
    let tracks, artists, links: Run
  }

  /// The file.
  package let path: String
  /// Rows ordered by the track's key.
  package let tracks: Run
  /// Rows ordered by the artist's key, which is the rank of its first mention.
  package let artists: Run
  /// Rows ordered by the artist's key, and then by the track's.
  package let links: Run
  /// The UUID of the store; without one, it follows from the store's rows.
  package let uuid: String?

  /// The paths of the files of all rows.
  var filePaths: [String] {
    [tracks, artists, links].flatMap(\.files).map { FileSystem.sibling(of: path, named: $0.path) }
  }

  /// A larger one is not a manifest: each of its lines is for one file.
  private static let sizeLimit = 256 << 20
  /// More rows than a SQLite file can hold.
  private static let rowLimit = 1 << 40

  /// Reads a manifest.
  ///
  /// - Throws: `MigrationError`, with `unusableManifest` if it is none or contradicts itself.
  package init(path: String) throws(MigrationError) {
    func error(_ detail: String) -> MigrationError { MigrationError(.unusableManifest, path: path, detail: detail) }
    guard try FileSystem.isThere(path) else {
      var error = MigrationError(.missing, path: path)
      error.advice = "Nothing was written. Name the manifest that lists the files with the rows."
      throw error
    }
    let bytes = try FileSystem.contents(ofInput: path)
    guard bytes.count <= Self.sizeLimit else { throw error("it is larger than 256 MiB") }
    if let member = ManifestMembers.repeated(in: bytes) { throw ManifestMembers.error(member, path) }
    let content: Content
    do {
      content = try JSONDecoder().decode(Content.self, from: Data(bytes))
    } catch let problem as DecodingError {
      throw error(problem.plain)
    } catch let problem {
      throw error("\(problem)")
    }
    guard content.formatVersion == 1 else { throw error("its format_version is \(content.formatVersion), not 1") }
    for (name, run) in [("tracks", content.tracks), ("artists", content.artists), ("links", content.links)] {
      for (place, file) in run.files.enumerated() {
        if let problem = file.pathProblem { throw error("'\(name).files[\(place)].path' \(problem)") }
        guard (0...Self.rowLimit).contains(file.count) else {
          throw error("'\(name).files[\(place)].count' is negative or above 2^40")
        }
      }
      let sum = run.files.reduce(0) { $0 &+ $1.count }
      guard sum == run.count, sum <= Self.rowLimit else {
        throw error("\(name) counts \(run.count) rows, and its files \(sum)")
      }
    }
    self.path = path
    (tracks, artists, links) = (content.tracks, content.artists, content.links)
    uuid = content.uuid
    if let uuid, UUID(uuidString: uuid) == nil { throw error("'\(uuid)' is not a UUID") }
  }
}

extension DecodingError {
  /// The problem, without the types of this program.
  fileprivate var plain: String {
    func place(_ path: [any CodingKey], _ key: (any CodingKey)? = nil) -> String {
      (path + [key].compactMap { $0 }).map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }
    return switch self {
    case .keyNotFound(let key, let context): "'\(place(context.codingPath, key))' is missing"
    case .valueNotFound(_, let context): "'\(place(context.codingPath))' is null"
    case .typeMismatch(_, let context) where context.codingPath.isEmpty: "it is not a JSON object"
    case .typeMismatch(_, let context): "'\(place(context.codingPath))' has another type than it should have"
    case .dataCorrupted(let context) where context.codingPath.isEmpty: "it is not JSON, or was cut"
    case .dataCorrupted(let context): "'\(place(context.codingPath))' cannot be read"
    @unknown default: "it cannot be read"
    }
  }
}

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
