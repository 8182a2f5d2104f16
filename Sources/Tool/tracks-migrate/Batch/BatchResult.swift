import CommandLineArguments
import Foundation
import JSONPresets
import Migration
import MigrationDiagnostics
import PersistentStore
import SystemC
import TerminalOutput
import TrackLibrary

/// The result for one library of a batch: one line of NDJSON.
///
/// Keys stand in alphabetical order; what there is none of is left out. Paths are spelled like those of statistics, with
/// `\xE9` for a byte that is not UTF-8.
struct BatchResult: Codable {
  /// The outcomes for a library.
  enum Status: String, Codable, CaseIterable {
    /// It has the new version now.
    case migrated
    /// It had the new version; nothing was changed.
    case current
    /// It is as it was.
    case failed
    /// It belongs to a library, such as its backup, and is as it was.
    case skipped
  }

  private enum CodingKeys: CodingKey {
    case formatVersion, toolVersion, path, status, exitStatus, errorCode, message, advice, warnings, libraryUuid,
      options
    case sourceVersion, destinationVersion, sourceSizeBytes, destinationSizeBytes, elapsedSeconds, finishedAtSeconds
    case output, backup, rejects, statistics, sha256
    case leftBehindCountByName, uncopiedReasonByName, danglingLinksCountByRelationship
  }

  /// The counts, which stand among the other keys of the line.
  var facts = Facts()
  /// The version of this format.
  var formatVersion = 1
  /// The version of the program that did it.
  var toolVersion = Migration.toolVersion
  /// The library, as it was named.
  var path: String
  var status = Status.failed
  /// The exit status that `tracks-migrate` would have had.
  var exitStatus: Int32 = 0
  /// The stable name of the error.
  var errorCode: String?
  /// The error, in a sentence.
  var message: String?
  var advice: String?
  /// The doubts that remain although the work was done.
  var warnings: [String]?
  var libraryUuid: String?
  /// The options of the migration.
  var options: [String]?
  var sourceVersion: String?
  var destinationVersion: String?
  var sourceSizeBytes: Int64?
  var destinationSizeBytes: Int64?
  /// From when the library was begun until it was done or given up.
  var elapsedSeconds: Double?
  /// When that was, in seconds since 1970.
  var finishedAtSeconds: Double?
  /// The new library.
  var output: String?
  var backup: String?
  var rejects: String?
  var statistics: String?
  /// The contents of the old library that the new one does not have, as in the statistics of an app's store.
  var leftBehindCountByName: [String: Int64]?
  var uncopiedReasonByName: [String: String]?
  var danglingLinksCountByRelationship: [String: Int]?
  /// The hash of the new library's file, in hexadecimal.
  var sha256: String?

  init(path: String) { self.path = path.spellingPathBytes }

  /// The error without the library's path, where that stands beside it.
  var reason: String {
    let (message, subject) = (message ?? "", "'\(path)' ")
    return message.hasPrefix(subject) ? String(message.dropFirst(subject.count)) : message
  }

  /// The library's path, byte for byte.
  var exactPath: String { String(spellingOfPathBytes: path) }

  /// A failure.
  mutating func fail(_ error: MigrationError) {
    let message = ErrorMessage(command: error)
    (status, exitStatus, errorCode) = (.failed, error.exitStatus, error.code.rawValue)
    (self.message, advice) = (message.problem.spellingPathBytes, message.advice.spellingPathBytes)
  }

  /// A file that belongs to a library.
  mutating func skip(_ companion: StoreCompanion) {
    let library = companion.library.map { " of '\($0)'" } ?? ""
    let role =
      switch companion.role {
      case .backup: "a backup\(library)"
      case .replacedLibrary: "what 'restore' has replaced\(library)"
      case .log: "the log or the journal\(library)"
      case .statistics: "the statistics\(library)"
      case .rejects: "the rejects\(library)"
      case .page: "the page\(library)"
      case .temporaryFile: "a temporary file of a migration"
      case .externalData: "external data of a store"
      }
    status = .skipped
    message = "'\(exactPath)' is \(role), and was skipped".spellingPathBytes
    advice = "To migrate it as a library, name it alone."
  }

  /// The beginning of each line: keys are sorted.
  static let beginning = Array("{\"".utf8)

  /// The line, with its line feed.
  var line: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    // Encoding numbers and strings cannot fail, and the figures are finite.
    return JSONText.escapingControls(inJSON: (try? encoder.encode(Facts.Beside(self, facts))) ?? Data()) + [0x0a]
  }

  /// Reads a line; `nil` if it is something else, or torn.
  init?(line: some Collection<UInt8>) {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let result = try? decoder.decode(BatchResult.self, from: Data(line)),
      let facts = try? JSONDecoder().decode(Facts.self, from: Data(line))
    else { return nil }
    self = result
    self.facts = facts
  }
}

/// Files of results.
enum BatchResults {
  /// Reads the last result of each library, in the order in which they are first named.
  ///
  /// Lines that are not results, such as one that a killed run left half written, are a warning; a file of nothing else
  /// is refused.
  static func read(_ paths: [String]) throws -> (results: [BatchResult], unreadCount: Int) {
    var results: [BatchResult] = []
    // By bytes: two names that Unicode calls equal are two libraries.
    var places: [[UInt8]: Int] = [:]
    var unreadCount = 0
    for path in paths {
      let bytes = path == "-" ? try FileSystem.contentsOfStandardInput() : try FileSystem.contents(ofInput: path)
      var (count, unread): (Int, [Int]) = (0, [])
      let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated()
      for (index, line) in lines where !line.allSatisfy({ [0x20, 0x09, 0x0d].contains($0) }) {
        guard let result = BatchResult(line: line) else {
          unread.append(index + 1)
          continue
        }
        count += 1
        let key = result.exactPath.pathBytes
        if let place = places[key] {
          // That a library is current now, or was skipped, says less than what made it so.
          let saysLess = result.status == .current || result.status == .skipped
          if !saysLess || results[place].status == .failed { results[place] = result }
        } else {
          places[key] = results.count
          results.append(result)
        }
      }
      unreadCount += unread.count
      guard let first = unread.first else { continue }
      // A run that was killed at its first line leaves the beginning of one.
      guard count > 0 || unread.count == 1 && bytes.starts(with: BatchResult.beginning) else {
        throw ValidationError("'\(path)' has no results of a batch. Name a file that 'batch --results' has written.")
      }
      StandardError.warning(
        unread.count == 1
          ? "line \(first) of '\(path)' is not a result and is left out."
          : "\(NumberFormat.grouped(unread.count)) lines of '\(path)', the first of them line \(first), are not results and "
            + "are left out.")
    }
    return (results, unreadCount)
  }
}
