package import MigrationDiagnostics
internal import SystemC

/// Reads a feed as lines of JSON, whatever form its tracks have.
///
/// What gzip or zip has packed is unpacked; the elements of a JSON list and the rows of a table become lines. All readers of
/// feeds take their lines from here, so that a line's number means the same to each of them.
package final class FeedFile {
  /// The feed's name in messages.
  package let name: String
  private let file: DescriptorBytes
  private let lines: any FeedBytes
  /// The notes on reading the feed, where that is not plain.
  private let notes: [String]

  /// Opens a feed, and looks at its beginning.
  ///
  /// - Parameters:
  ///   - isFile: Whether it must be a regular file, as one that is read twice.
  ///   - advice: What to do if there is no such file.
  ///   - onBytes: Called with the bytes of the file as they are read.
  ///   - isCancelled: Asked when a signal has ended a wait for a pipe.
  package init(
    _ source: FeedSource, isFile: Bool = false, advice: Advice, onBytes: ((UnsafeRawBufferPointer) -> Void)? = nil,
    isCancelled: @escaping () -> Bool
  ) throws(MigrationError) {
    name = source.path == "-" ? "standard input" : source.path
    file = try DescriptorBytes(
      path: source.path, isFile: isFile, advice: advice, onBytes: onBytes, isCancelled: isCancelled)
    var notes: [String] = []
    let (content, path, word) = try Self.unpacked(file, source, &notes)
    if source.format == .auto { try OtherForm.refuse(content, file: word, name) }
    let format = source.format == .auto ? try Self.format(of: content, named: path, in: name) : source.format
    switch format {
    case .ndjson, .auto: lines = content
    case .json:
      content.skipByteOrderMark()
      let head = content.peek(Self.headSize)
      let form =
        source.format == .json
        ? ListFinder.list(of: head) : ListFinder.form(of: head, isWhole: head.count < Self.headSize)
      switch form {
      case .lines: lines = content
      case .values: lines = ListLines(content, name: name, path: [])
      case .list(let path):
        notes.append("its list '\(path.joined(separator: "."))'")
        lines = ListLines(content, name: name, path: path)
      }
    case .csv:
      let head = content.peek(Self.headSize)
      try OtherForm.refuseEncoding(of: head, file: word, name)
      guard let header = TableHeader(head, keepsNames: source.keepsColumnNames) else {
        throw feedError(name, "it has no row with the names of its columns", "Nothing was changed. Put one at its top.")
      }
      if !source.keepsColumnNames, let rows = header.otherRows { throw Self.otherRows(rows, name) }
      guard source.keepsColumnNames || header.hasTracks else { throw Self.unknownColumns(header, name) }
      content.skip(header.start)
      lines = TableLines(content, name: name, header: header)
    }
    self.notes = notes
  }

  /// Reads at least one byte; 0 at the end.
  package func read(into room: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int {
    try lines.read(into: room)
  }

  /// In a sentence, what was read and what was not, where that is not plain; complete once the feed is read.
  package var note: String? {
    let others = (lines as? ListLines)?.otherLists.sorted().prefix(8).map { "'\($0)'" } ?? []
    let notes = notes + ((lines as? TableLines).flatMap(Self.note(on:)).map { [$0] } ?? [])
    guard !notes.isEmpty || !others.isEmpty else { return nil }
    let left = others.isEmpty ? "" : "; passed over: \(others.joined(separator: ", "))"
    return "Read of '\(name)': \(notes.joined(separator: ", "))\(left)"
  }
}

extension FeedFile {
  /// The bytes by which the form of a feed is recognised.
  private static let headSize = 1 << 20

  /// A file can be made that is its own contents, packed.
  private static let packingLimit = 4

  /// The bytes of a feed, the name that says what they are, and the file with them as a word of a command.
  private static func unpacked(
    _ file: DescriptorBytes, _ source: FeedSource, _ notes: inout [String]
  ) throws(MigrationError) -> (PeekedBytes, path: String, word: String) {
    let name = source.path == "-" ? "standard input" : source.path
    var (content, path) = (PeekedBytes(file), source.path)
    var isPlain = source.path != "-"
    if content.peek(4).elementsEqual("PK\u{3}\u{4}".utf8) {
      let archive = try ZipArchive(file.descriptor, name: name)
      let found = try archive.feed(named: source.member)
      notes.append("the member '\(found.name)'")
      (content, path, isPlain) = (PeekedBytes(try archive.bytes(of: found)), found.name, false)
      if content.peek(4).elementsEqual("PK\u{3}\u{4}".utf8) { throw archive.isNested(found) }
    } else if source.member != nil {
      throw feedError(name, "it is not a zip archive", "Nothing was changed. Leave \(.member) out.")
    }
    var depth = 0
    while content.peek(2).elementsEqual([0x1F, 0x8B]) {
      depth += 1
      guard depth <= packingLimit else {
        throw feedError(
          name, "it is packed by gzip more than \(packingLimit) times", "Nothing was changed. Unpack it first.")
      }
      (content, isPlain) = (PeekedBytes(try GzipBytes(content, name: name)), false)
    }
    return (content, path, isPlain ? ErrorMessage.shellPath(source.path) : "FILE")
  }

  /// The form that a feed seems to have.
  private static func format(
    of content: PeekedBytes, named path: String, in name: String
  ) throws(MigrationError) -> FeedFormat {
    let endings = [".ndjson", ".jsonl", ".ndjson.gz", ".jsonl.gz"]
    guard !endings.contains(where: path.lowercased().hasSuffix) else { return .ndjson }
    var size = 1 << 12
    while size < headSize, content.peek(size).count == size, !content.peek(size).contains(0x0A) { size *= 4 }
    let head = content.peek(size)
    let first = head.drop { ListFinder.isSpace($0) || [0xEF, 0xBB, 0xBF].contains($0) }.first
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return .json }
    guard let header = TableHeader(head, keepsNames: false) else { return .ndjson }
    guard !header.isPlainText else { throw OtherForm.plainText(header.shownNames[0], name) }
    // A table of unknown columns is one too: what its columns are can be said, and it is no JSON.
    return header.hasTracks || header.isTable ? .csv : .ndjson
  }

  private static func note(on table: TableLines) -> String? {
    let columns = table.header.columns(hasTimes: table.hasTimes)
    guard !columns.taken.isEmpty else { return nil }
    let taken = columns.taken.map { "\($0.meaning) from '\($0.name)'" }.joined(separator: ", ")
    let left = columns.left.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
    let more = columns.left.count > 8 ? " and \(columns.left.count - 8) more" : ""
    return left.isEmpty ? taken : "\(taken), and nothing from \(left)\(more)"
  }

  private static func otherRows(_ rows: String, _ name: String) -> MigrationError {
    feedError(
      name, "its rows are \(rows) and not tracks",
      "Nothing was changed. To take each of them for a track, say what its columns are with \(.titlePath) and "
        + "\(.artistsPath).")
  }

  private static func unknownColumns(_ header: TableHeader, _ name: String) -> MigrationError {
    let names = header.shownNames.prefix(12).map { "'\($0)'" }.joined(separator: ", ")
    let example = header.shownNames.first { !$0.isEmpty && !$0.contains("'") } ?? "Song"
    return feedError(
      name, "none of its columns, \(names), is known for a track's title and artist",
      "Nothing was changed. Say which they are with \(.titlePath) and \(.artistsPath), for instance as $['\(example)'], "
        + "or put a row with the columns' names at the top.")
  }
}
