package import FeedFiles
package import JSONPresets
internal import Migration
internal import MigrationDiagnostics
internal import PersistentStore
package import Policies
internal import SystemC
package import TerminalOutput

/// Writes what one shard of a library says: the first of three steps, of which a cluster does the second.
///
/// See ``StoreAssembly`` for the last step, and docs/cluster.md for the lines in between.
package struct TrackExtract {
  /// The shard: a library that has not been migrated, or a feed, where `-` is standard input.
  package let path: String
  /// The form of the tracks of a feed, and the member of an archive that it is.
  package var feed: (format: FeedFormat, member: String?) = (.auto, nil)
  /// The options for finding and identifying artists.
  package var trackOptions = TrackMigrationOptions()
  /// The path of the title in a line of a feed.
  package var titlePath: JSONPath?
  /// The path of the time in a line of a feed at which its track was last played.
  package var playedPath: JSONPath?
  /// The key of the first track of a feed that has no keys.
  package var firstKey: Int64 = 1
  /// Files besides the shard that the lines come from, such as decisions: they limit the permissions of the output.
  package var contentPaths: [String] = []
  /// Asked now and then whether to stop.
  package var isCancelled: () -> Bool = { false }
  /// Called now and then with the number of lines of a feed that were read.
  package var onLines: ((_ lineCount: Int) -> Void)?

  /// Prepares to read a shard.
  package init(path: String) { self.path = path }

  /// Writes the lines to a file that appears when it is complete.
  package func write(toFileAt outputPath: String) throws -> TrackExtractor.Summary {
    try AtomicFile.write(outputPath, from: [path] + contentPaths, temporarySuffix: "extract") { try write(to: $0) }
  }

  /// Writes the lines.
  ///
  /// - Throws: `MigrationError` if the shard cannot be read. What was written until then lacks the summary, which is the
  ///   last line.
  package func write(to output: any TextOutput) throws -> TrackExtractor.Summary {
    let extractor = TrackExtractor(trackOptions, to: output, isCancelled: isCancelled)
    guard path != "-", try isStore() else {
      let feed = try FeedReader(feedSource, onProgress: onLines, isCancelled: isCancelled)
      try extractor.extract(feed, titlePath: titlePath, playedPath: playedPath, firstKey: firstKey)
      var summary = extractor.summary
      summary.feedNote = feed.note
      return summary
    }
    let library = try TrackLibraryReader(path: path)
    guard library.version != .current else {
      var error = MigrationError(.unusableFeed, MigrationError.Subject(path: path, name: library.version.rawValue))
      error.advice = "Export it, and extract the feed."
      throw error
    }
    guard !library.hasCustomModel else {
      var error = MigrationError(.unusableFeed, path: path, detail: "its model is the app's own")
      error.advice = "Migrate it by itself, or as one of many libraries."
      throw error
    }
    try library.store.connection.reading { try extractor.extract(library.store, library.schema) }
    try library.store.close()
    return extractor.summary
  }

  private var feedSource: FeedSource {
    FeedSource(
      path: path, format: feed.format, member: feed.member,
      keepsColumnNames: trackOptions.json.namesMembers(titlePath, playedPath))
  }

  /// Whether the file is a database; if it cannot be read, reading it as a feed says why.
  private func isStore() throws -> Bool {
    // A pipe is read once: its writer would write to a reader that goes away.
    guard FileStatus(path)?.kind == .regular else { return false }
    let descriptor = openRegularFile(path, O_RDONLY, followsLinks: true)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16)
    return pread(descriptor, &bytes, 16, 0) == 16 && bytes.starts(with: "SQLite format 3\0".utf8)
  }
}
