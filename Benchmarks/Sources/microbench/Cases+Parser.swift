internal import BareYajl
internal import JSONStream

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
    Case("parser: JSONStream, artists only", unit, parsing { ArtistCounter() }),
  ]
}
