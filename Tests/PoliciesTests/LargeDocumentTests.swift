import Foundation
import Migration
import MigrationDiagnostics
import Policies
import TestSupport
import Testing

struct LargeDocumentTests {
  @Test(arguments: [1000, 200_000])
  func `A document can nest deeply at any place`(depth: Int) throws {
    let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let objects = String(repeating: "{\"name\":", count: depth) + "1" + String(repeating: "}", count: depth)
    let fixture = try TrackFixture(json: [
      .text("{\"x\":\(deep),\"artists\":[{\"y\":\(objects),\"name\":\"A\"}]}"), .text(deep),
      .text("{\"artists\":\(deep)}"), .text("{\"artists\":[{\"name\":\(objects)}]}"),
      .text(String(repeating: "[", count: depth)),
    ])
    let statistics = try fixture.migrate()
    #expect(try fixture.links() == ["1: A", "2: Fallback", "3: Fallback", "4: Fallback", "5: Fallback"])
    #expect(statistics[FallbackReason.notAnObject.counter] == 1)
    #expect(statistics[FallbackReason.noUsableArtist.counter] == 2)
    #expect(statistics[FallbackReason.truncated.counter] == 1)
  }

  @Test func `A document with more than a million levels is refused and kept`() throws {
    let fixture = try TrackFixture(json: [.text(String(repeating: "[", count: 1_000_001))])
    #expect(try fixture.migrate()[FallbackReason.tooDeep.counter] == 1)
    #expect(try Files.bytes(fixture.rejectsPath).count > 1_000_000)
  }

  @Test(.timeLimit(.minutes(1)))
  func `A track can have very many artists`() throws {
    let count = 60_000
    let list = (0..<count).map { "{\"id\":\($0),\"name\":\"Artist \($0)\"}" }.joined(separator: ",")
    let fixture = try TrackFixture(json: [.text("{\"artists\":[\(list),\(list)]}")])
    #expect(try fixture.migrate().linkCounts == ["Z_1TRACKS": count])
    #expect(
      try fixture.rows("SELECT ZNAME, ZID FROM ZARTIST WHERE Z_PK = \(count)") == ["Artist \(count - 1)|\(count - 1)"])
  }

  @Test(arguments: ["UTF-8", "UTF-16le"])
  func `Large documents among small ones are read at any place`(encoding: String) throws {
    let filler = String(repeating: "é東🎵 ", count: 150_000)
    func document(_ name: String, isLarge: Bool) -> CellValue {
      .text(
        "{\"x\":\"\(isLarge ? filler : "")\",\"artists\":[{\"name\":\"\(name)\"}],\"y\":[\(isLarge ? "\"\(filler)\"" : "")]}"
      )
    }
    let rows = (1...7).map { TrackRow(Int64($0), json: document("A\($0)", isLarge: [1, 3, 4, 7].contains($0))) }
    let fixture = try TrackFixture(
      rows + [TrackRow(8, json: .text("{\"x\":\"\(filler)")), TrackRow(9, json: .text("{\"x\":\"\(filler)\"}]"))],
      encoding: encoding)
    let statistics = try fixture.migrate()
    #expect(try fixture.links() == (1...7).map { "\($0): A\($0)" } + ["8: Fallback", "9: Fallback"])
    #expect(statistics[FallbackReason.truncated.counter] == 1)
    #expect(statistics[FallbackReason.trailingBytes.counter] == 1)
    let lines = try Files.bytes(fixture.rejectsPath).split(separator: 0x0A)
    #expect(lines.count == 2)
    let first = try #require(lines.first)
    let kept = try #require(try JSONSerialization.jsonObject(with: Data(first)) as? [String: Any])
    #expect(kept["json"] as? String == "{\"x\":\"\(filler)")
  }

  @Test func `An overlong name is skipped`() throws {
    let long = String(repeating: "x", count: 2 << 20)
    let fixture = try TrackFixture(json: [
      .text("{\"artists\":[{\"name\":\"\(long)\"},{\"name\":\"A\",\"id\":\"\(long)\"},\"\(long)\"]}")
    ])
    let statistics = try fixture.migrate()
    #expect(try fixture.artists() == ["A|NULL|NULL"])
    #expect(statistics[.namelessArtists] == 2)
    #expect(statistics[.longValues] == 1)
  }

  @Test func `Overlong ids and images are counted, reported and kept`() throws {
    let long = "data:" + String(repeating: "x", count: 1 << 20)
    let json = #"{"artists":[{"name":"A","id":"1","imageURL":"\#(long)"},{"id":"\#(long)","name":"B","id":"2"}]}"#
    let fixture = try TrackFixture(json: [.text(json), #"{"artists":["A"]}"#])
    let statistics = try fixture.migrate()
    #expect(try fixture.artists() == ["A|1|NULL", "B|NULL|NULL"])
    #expect(statistics[.longValues] == 2)
    #expect(statistics.examples(of: .longValues) == ["track 1 'T1'"])
    let line = try #require(
      try JSONSerialization.jsonObject(with: Data(try Files.bytes(fixture.rejectsPath))) as? [String: Any])
    #expect(line["reason"] as? String == "long_values")
    #expect(line["json"] as? String == json)

    var strict = fixture
    strict.options.isStrict = true
    Files.remove(strict.destination)
    let error = #expect(throws: MigrationError.self) { try strict.migrate() }
    #expect(error?.detail == "2 × id or image over 1 MiB; for example track 1 'T1'")
  }

  #if os(Linux)
    @Test(.enabled(if: !Sanitizer.isOn, "a sanitizer needs memory of its own"))
    func `A document of 12 MB takes no more memory than a small one`() async throws {
      let folder = try TemporaryFolder()
      let filler = String(repeating: "{\"artists\":[{\"name\":\"X\"}],\"text\":\"0123456789abcdef\"},", count: 240_000)
      for (name, filler) in [("small", ""), ("large", filler)] {
        _ = try folder.makeFolder(name)
        let rows = [
          TrackRow(1, json: .text("{\"filler\":[\(filler)0],\"artists\":[{\"name\":\"A\"}]}")),
          TrackRow(2, json: .text("{\"filler\":[\(filler)")),
        ]
        try TrackLibraryBuilder(rows).write(to: folder.file("\(name)/Old.sqlite"))
      }
      #expect(try Files.bytes(folder.file("large/Old.sqlite")).count > 24_000_000)
      let path = folder.path
      // A separate process, whose memory no other test uses; the small library brings in what every migration needs.
      await #expect(processExitsWith: .success) { [path = path as String] in
        #expect(try TrackFixture(inFolder: path + "/small").migrate()[FallbackReason.truncated.counter] == 1)
        let before = try MemoryUse.peak()
        #expect(try TrackFixture(inFolder: path + "/large").migrate()[FallbackReason.truncated.counter] == 1)
        let growth = try MemoryUse.peak() - before
        #expect(growth < 8 << 20, "\(growth >> 20) MiB")
      }
      #expect(try Database.rows("SELECT ZNAME FROM ZARTIST", in: folder.file("large/New.sqlite")) == ["A", "Fallback"])
      #expect(try Files.bytes(folder.file("large/rejects")).count > 12_000_000)
      withExtendedLifetime(folder) {}
    }
  #endif
}

/// Returns the peak memory of this process.
enum MemoryUse {
  static func peak() throws -> Int {
    let line = try Files.text("/proc/self/status").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (Int(line?.filter(\.isNumber) ?? "") ?? 0) << 10
  }
}
