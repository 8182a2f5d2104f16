import JSONStream

/// The result of reading a document: the events, and the error if there is one.
struct Outcome: Equatable, CustomStringConvertible {
  var events: String
  var error: JSONStreamError?

  var description: String { events + (error.map { " ! \($0.code.rawValue)@\($0.byteOffset)" } ?? "") }

  /// Reads a document in one piece: with yajl, and again with a visitor that can start over, which must not differ.
  static func whole(_ document: [UInt8], limits: JSONStreamLimits = .init()) -> Outcome {
    let outcome = whole(document, limits, startsOver: false)
    let other = whole(document, limits, startsOver: true)
    return outcome == other ? outcome : Outcome(events: "by yajl \(outcome), otherwise \(other)")
  }

  private static func whole(_ document: [UInt8], _ limits: JSONStreamLimits, startsOver: Bool) -> Outcome {
    let recorder = EventRecorder(startsOver: startsOver)
    let parser = JSONStreamParser(visitor: recorder, limits: limits)
    return capture(recorder) { () throws(JSONStreamError) in try parser.parse(document) }
  }

  /// Reads a document cut at the given offsets.
  static func pieces(_ document: [UInt8], cuts: [Int], limits: JSONStreamLimits = .init()) -> Outcome {
    let recorder = EventRecorder()
    let parser = JSONStreamParser(visitor: recorder, limits: limits)
    return capture(recorder) { () throws(JSONStreamError) in
      parser.begin()
      var start = 0
      for cut in cuts + [document.count] {
        try parser.append(Array(document[start..<cut]))
        start = cut
      }
      try parser.finish()
    }
  }

  /// All ways of cutting a document that the tests try: once at each offset, everywhere, and every few bytes.
  static func allCuts(_ length: Int) -> [[Int]] {
    let single = (0...length).map { [$0] }
    let regular = [1, 2, 3, 5, 7, 11].map { Array(stride(from: $0, to: max($0, length), by: $0)) }
    return single + regular
  }

  private static func capture(_ recorder: EventRecorder, _ work: () throws(JSONStreamError) -> Void) -> Outcome {
    do {
      try work()
      return Outcome(events: recorder.text)
    } catch {
      return Outcome(events: recorder.text, error: error)
    }
  }
}
