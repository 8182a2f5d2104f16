import FeedFiles
import Foundation
import TestSupport
import Testing

@Suite("JSON lists as feeds")
struct JSONListTests {
  @Test(
    arguments: [
      // Lines stay lines.
      ("{\"a\":1}\n{\"a\":2}\n", nil, ["{\"a\":1}", "{\"a\":2}"]),
      ("{\"items\":[{\"a\":1},{\"a\":2}]}\n{\"b\":2}", nil, ["{\"items\":[{\"a\":1},{\"a\":2}]}", "{\"b\":2}"]),
      ("{\"title\":\"cut, \n{\"b\":2}", nil, ["{\"title\":\"cut, ", "{\"b\":2}"]),
      ("{\"title\":\"cut\"\n{\"b\":2}", nil, ["{\"title\":\"cut\"", "{\"b\":2}"]),
      ("no JSON\n{\"b\":2}", nil, ["no JSON", "{\"b\":2}"]),
      // Arrays.
      ("[{\"a\":1},{\"a\":[2,{}]}]", nil, ["{\"a\":1}", "{\"a\":[2,{}]}"]),
      (
        "\u{FEFF}\n [ {\"a\" :\n 1 } ,\n null, 12,\"x\\\"]\", [1] ]\n", nil,
        ["{\"a\" :  1 }", "null", "12", "\"x\\\"]\"", "[1]"]
      ),
      ("[]", nil, []),
      ("[{\"a\":1}]\n[{\"a\":2}]{\"a\":3}", nil, ["{\"a\":1}", "{\"a\":2}", "{\"a\":3}"]),
      // A value of its own, which is not a track.
      ("[{\"a\":1}],", nil, ["{\"a\":1}", ","]),
      // What is not JSON inside of an element is its own matter.
      ("[{\"a\":},{\"b\":2}]", nil, ["{\"a\":}", "{\"b\":2}"]),
      // Objects around a list.
      ("{\"items\":[{\"a\":1},{\"a\":2}],\"next\":null}", "its list 'items'", ["{\"a\":1}", "{\"a\":2}"]),
      (
        "{\n  \"next\": {\"items\": \"x\"},\n  \"items\": [\n    {\"a\": 1}\n  ]\n}\n", "its list 'items'",
        ["{\"a\": 1}"]
      ),
      (
        "{\"recenttracks\":{\"@attr\":{\"track\":[1]},\"track\":[{\"a\":1},{\"a\":2}]}}",
        "its list 'recenttracks.track'",
        ["{\"a\":1}", "{\"a\":2}"]
      ),
      (
        "{\n\"albums\":[{\"c\":1}],\"scrobbles\":[{\"a\":1}],\"names\":[\"x\"]}",
        "its list 'scrobbles'; passed over: 'albums'", ["{\"a\":1}"]
      ),
      ("{\n\"items\":[{\"a\":1}]}\n{\"items\":[{\"a\":2}]}", "its list 'items'", ["{\"a\":1}", "{\"a\":2}"]),
      // A person's library has more than tracks.
      (
        "{\"tracks\":[{\"a\":1},{\"a\":2}],\"albums\":[{}],\"artists\":[{}]}",
        "its list 'tracks'; passed over: 'albums', 'artists'", ["{\"a\":1}", "{\"a\":2}"]
      ),
      // One object is one track, though it has a list.
      (
        "{\n\"title\":\"One\",\n\"items\":[{\"title\":\"sub\"}]}", nil,
        ["{ \"title\":\"One\", \"items\":[{\"title\":\"sub\"}]}"]
      ),
      ("{\"title\":\"x\",\"items\":[{\"a\":1}]}", nil, ["{\"title\":\"x\",\"items\":[{\"a\":1}]}"]),
      (
        "{\n\"title\": \"x\",\n\"artists\": [{\"name\":\"A\"}]\n}", nil,
        ["{ \"title\": \"x\", \"artists\": [{\"name\":\"A\"}] }"]
      ),
    ] as [(String, String?, [String])], [1 << 16, 1, 7])
  func `A list is read element by element`(
    feed: (text: String, note: String?, lines: [String]), piece: Int
  ) throws {
    let read = try FeedLines(feed.text, piece: piece)
    #expect(read.problem == nil)
    #expect(read.lines == feed.lines)
    #expect(read.note == feed.note)
  }

  @Test(
    arguments: [
      ("[{\"a\":1}", "its JSON ends in the middle, after 1 track"),
      ("[{\"a\":1},", "its JSON ends in the middle, after 1 track"),
      ("[{\"a\":1", "its JSON ends in the middle, before the first track"),
      ("[{\"a\":1} {\"a\":2}]", "it is not JSON: there is '{' at byte 10, after 1 track"),
      ("[{\"a\":1},]", "it is not JSON: there is ']' at byte 10, after 1 track"),
      ("[,{\"a\":1}]", "it is not JSON: there is ',' at byte 2, before the first track"),
      ("{\n\"items\":[{\"a\":1}]}\n{\"error\":1}", "a page of it lacks the list 'items', after 1 track"),
      ("{\n\"items\":[{\"a\":1}],\"next\":", "its JSON ends in the middle, after 1 track"),
    ])
  func `A list that is cut off or damaged is an error`(text: String, problem: String) throws {
    let read = try FeedLines(text)
    #expect(read.problem == problem)
  }

  @Test func `The first page of an answer may be empty`() throws {
    let read = try FeedLines("{\"items\":[]}\n{\"items\":[{\"a\":1}]}", format: .json)
    #expect(read.problem == nil)
    #expect(read.lines == ["{\"a\":1}"])
  }

  /// What is passed over is not kept.
  @Test func `A long text and many names beside the list take no memory`() throws {
    let names = (0..<5000).map { "\"k\($0)\":[{}]" }.joined(separator: ",")
    let text = "{\"items\":[{\"a\":1}],\"\(String(repeating: "x", count: 1 << 20))\":1,\(names)}"
    let read = try FeedLines(text, format: .json)
    #expect(read.lines == ["{\"a\":1}"])
    #expect(read.note?.utf8.count ?? .max < 200)
  }

  @Test func `The name of a file and the option decide`() throws {
    let list = "[{\"a\":1},{\"a\":2}]"
    #expect(try FeedLines(list, named: "x.ndjson").lines == [list])
    #expect(try FeedLines(list, format: .ndjson).lines == [list])
    #expect(try FeedLines("{\"items\":[{\"a\":1}]}", format: .json).lines == ["{\"a\":1}"])
  }

  /// Against the reader of Foundation, which reads the whole list at once.
  @Test func `Random lists have the elements that another reader finds`() throws {
    var generator = SeededGenerator(seed: 36)
    for _ in 0..<Rounds.count(60) {
      let elements = (0..<Int.random(in: 0...6, using: &generator)).map { _ in Self.value(3, &generator) }
      var text = try Self.text(elements, &generator)
      if Bool.random(using: &generator) {
        text =
          "{\"first\":\(try Self.text([Self.value(2, &generator)], &generator)),\"items\":\(text),\"k\":{\"items\":[]}}"
        guard elements.contains(where: { $0 is [String: Any] }) else { continue }
      }
      let read = try FeedLines(text, format: .json, piece: Int.random(in: 1...40, using: &generator))
      #expect(read.problem == nil, "\(text)")
      let lines = try read.lines.map {
        try JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed)
      }
      #expect(NSArray(array: lines) == NSArray(array: elements), "\(text)")
    }
  }

  private static func value(_ depth: Int, _ generator: inout SeededGenerator) -> Any {
    let texts = ["", "a\"b", "\\", "[{", "}],\n", "é\u{1F3B5}", "items"]
    switch Int.random(in: 0...(depth > 0 ? 6 : 3), using: &generator) {
    case 0: return texts.randomElement(using: &generator) ?? ""
    case 1: return Int.random(in: -9...999, using: &generator)
    case 2: return NSNull()
    case 3: return Bool.random(using: &generator)
    case 4:
      return (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth - 1, &generator) }
    default:
      let names = texts.dropFirst().shuffled(using: &generator).prefix(Int.random(in: 0...3, using: &generator))
      return Dictionary(uniqueKeysWithValues: names.map { ($0, value(depth - 1, &generator)) })
    }
  }

  private static func text(_ value: Any, _ generator: inout SeededGenerator) throws -> String {
    let options: JSONSerialization.WritingOptions = Bool.random(using: &generator) ? .prettyPrinted : []
    return String(decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
  }
}
