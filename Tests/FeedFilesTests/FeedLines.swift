import FeedFiles
import MigrationDiagnostics
import TestSupport

/// The lines of a feed that is written to a file first.
struct FeedLines {
  let lines: [String]
  let note: String?
  /// The detail of the error that ended reading, and the way out.
  private(set) var problem, advice: String?

  init(
    _ bytes: [UInt8], named name: String = "feed", format: FeedFormat = .auto, member: String? = nil,
    keepsColumnNames: Bool = false, piece: Int = 1 << 16
  ) throws {
    let folder = try TemporaryFolder()
    var source = FeedSource(path: try folder.write(bytes, to: name), format: format)
    (source.member, source.keepsColumnNames) = (member, keepsColumnNames)
    var text: [UInt8] = []
    do throws(MigrationError) {
      let file = try FeedFile(source, advice: "Name a feed.") { false }
      let room = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 16)
      defer { room.deallocate() }
      (problem, advice) = (Self.read(file, room, &text), nil)
      note = file.note.map { $0.split(separator: "': ", maxSplits: 1).last.map(String.init) ?? $0 }
    } catch {
      (problem, advice, note) = (error.detail ?? "", error.advice?.worded(\.swiftName), nil)
    }
    lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  init(_ text: String, named name: String = "feed", format: FeedFormat = .auto, piece: Int = 1 << 16) throws {
    try self.init(Array(text.utf8), named: name, format: format, piece: piece)
  }

  private static func read(
    _ file: FeedFile, _ room: UnsafeMutableRawBufferPointer, _ text: inout [UInt8]
  ) -> String? {
    do throws(MigrationError) {
      while true {
        let count = try file.read(into: room)
        guard count > 0 else { return nil }
        text += room.prefix(count)
      }
    } catch {
      return error.detail ?? ""
    }
  }
}
