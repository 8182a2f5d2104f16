internal import BareYajl
internal import Foundation
internal import JSONPresets
internal import JSONStream
internal import Policies

/// Counts everything, as the bare loop does.
private final class EventCounter: JSONVisitor {
  var count = 0

  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    count += 1
    return .enter
  }
  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) { count += 1 }
  override func number(_ text: UnsafeRawBufferPointer) { count += 1 }
  override func boolean(_ value: Bool) { count += 1 }
  override func null() { count += 1 }
}

/// Skips everything but the artists, as the track policy does.
private final class ArtistCounter: JSONVisitor {
  var count = 0
  private var depth = 0
  private let startsOver: Bool

  init(startsOver: Bool) { self.startsOver = startsOver }

  override var canStartOver: Bool { startsOver }
  override func startOver() { depth = 0 }
  override func startObject() { depth += 1 }
  override func endObject() { depth -= 1 }
  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    depth > 1 || utf8.elementsEqual("artists".utf8) ? .enter : .skip
  }
  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) { count += 1 }
}

/// The parser, and what the library below it costs by itself.
func parserCases(_ documents: Documents) -> [Case] {
  let unit = Case.Unit.megabytes(of: documents.bytes.count)
  func parsing(with visitor: @escaping () -> JSONVisitor) -> () throws -> Timing {
    {
      let parser = JSONStreamParser(visitor: visitor())
      return try Timing { try documents.forEach { try parser.parse($0) } }
    }
  }
  return [
    Case("parser: bare yajl, all events", unit) {
      Timing {
        let events = documents.bytes.withUnsafeBytes { bytes in
          bare_yajl_parse(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), documents.ends, documents.ends.count)
        }
        precondition(events > 0, "yajl refuses the documents")
      }
    },
    Case("parser: JSONStream, all events", unit, parsing { EventCounter() }),
    Case("parser: JSONStream, artists only, by yajl", unit, parsing { ArtistCounter(startsOver: false) }),
    Case("parser: JSONStream, artists only", unit, parsing { ArtistCounter(startsOver: true) }),
  ]
}

/// Artists found by presets: in the article's shape as in a library, and in the answers of `SampleData/Services`.
func presetCases(_ documents: Documents) throws -> [Case] {
  let folder = "SampleData/Services"
  let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }.sorted()
  func finding(_ shape: JSONShape, in documents: Documents) -> () throws -> Timing {
    {
      let extraction = ArtistExtraction(shape)
      return try Timing { try documents.forEach { _ = try extraction.count($0) } }
    }
  }
  let unit = Case.Unit.megabytes(of: documents.bytes.count)
  return [
    Case("presets: the article's shape, one place", unit, finding(.original, in: documents)),
    Case("presets: the article's shape, all presets", unit, finding(.auto, in: documents)),
  ]
    + (try names.map { name in
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      // As a server sends it.
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
      let document = Array(try JSONSerialization.data(withJSONObject: object))
      let documents = Documents(repeating: document)
      return Case(
        "presets: \(name.dropLast(5))", .megabytes(of: documents.bytes.count), finding(.auto, in: documents))
    })
}
