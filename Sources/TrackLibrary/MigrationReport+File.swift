public import Diagnostics
internal import Foundation
internal import PersistentStore

extension MigrationReport {
  /// Where the report of a library is kept: beside it.
  public static func path(forLibraryAt path: String) -> String { "\(path).migration.json" }

  /// Reads the report of a library; `nil` when there is none.
  ///
  /// - Throws: `MigrationError` when the file cannot be read or is of a later format.
  public static func read(forLibraryAt path: String) throws(MigrationError) -> MigrationReport? {
    let file = Self.path(forLibraryAt: FileSystem.resolved(path) ?? path)
    do {
      guard try FileSystem.isThere(file) else { return nil }
      let bytes = Data(try FileSystem.contents(of: file))
      // Another format may have other keys, too.
      let version = try JSONDecoder().decode(Format.self, from: bytes).formatVersion
      guard version == 1 else {
        throw MigrationError(.noStatistics, path: path, detail: "'\(file)' has format \(version)")
      }
      return try JSONDecoder().decode(MigrationReport.self, from: bytes)
    } catch let error as MigrationError where error.code == .noStatistics {
      throw error
    } catch let error as MigrationError {
      let reason = error.detail.map { ": \($0)" } ?? ""
      throw MigrationError(.noStatistics, path: path, detail: "'\(file)' cannot be read\(reason)")
    } catch {
      throw MigrationError(.noStatistics, path: path, detail: "'\(file)' cannot be read")
    }
  }

  private struct Format: Decodable {
    let formatVersion: Int

    private enum CodingKeys: String, CodingKey {
      case formatVersion = "format_version"
    }
  }

  /// The report as JSON, with sorted keys and a newline at the end.
  var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Encoding numbers and strings cannot fail; the figures are finite.
    return Array((try? encoder.encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
  }
}
