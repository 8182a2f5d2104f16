import Foundation
import PropertyListFormat
import TestSupport
import Testing

/// Compares with the other implementations at hand: Foundation's, its `plutil`, and Python's `plistlib`.
@Suite struct ForeignToolTests {
  /// Values that every tool can hold, without the null object, references and integers beyond `UInt64`.
  static let common = Samples.scalars + Samples.containers

  @Test(arguments: common.indices)
  func `Foundation reads our binary property lists`(index: Int) throws {
    guard !mergesKeys(Self.common[index]) else { return }
    let bytes = Self.common[index].binary()
    let theirs = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
    let back = try PropertyListSerialization.data(fromPropertyList: theirs, format: .binary, options: 0)
    #expect(sorted(try PropertyList(binary: Array(back))) == sorted(Self.common[index]))
  }

  @Test(.enabled(if: Tool.plutil != nil), arguments: common.indices)
  func `The plutil tool reads our output, and we read the XML that it produces`(index: Int) throws {
    let value = Self.common[index]
    // XML can hold neither NUL characters nor a leading mark of byte order.
    guard !contains(value, "\0"), !contains(value, "\u{FEFF}"), !mergesKeys(value) else { return }
    let file = FileManager.default.temporaryDirectory.appending(path: "plist-\(UUID()).plist")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(value.binary()).write(to: file)
    let xml = try Tool.run(try #require(Tool.plutil), ["-convert", "xml1", "-o", "-", file.path()])
    #expect(sorted(try PropertyList(contentsOf: xml)) == sorted(value))
  }

  @Test(.enabled(if: Tool.python != nil), arguments: common.indices)
  func `Python reads our output and writes the same bytes`(index: Int) throws {
    let script = """
      import plistlib, sys
      data = sys.stdin.buffer.read()
      value = plistlib.loads(data, fmt=plistlib.FMT_BINARY)
      sys.stdout.buffer.write(plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False))
      """
    let bytes = Self.common[index].binary()
    let back = try Tool.run(try #require(Tool.python), ["-c", script], input: bytes)
    #expect(back == bytes)
  }

  @Test(.enabled(if: Tool.python != nil))
  func `Random values survive a round trip through Python`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    let value = PropertyList.array((0..<100).map { _ in .random(depth: 3, using: &generator) })
    let script = """
      import plistlib, sys
      value = plistlib.loads(sys.stdin.buffer.read())
      sys.stdout.buffer.write(plistlib.dumps(value, fmt=plistlib.FMT_\(Bool.random(using: &generator) ? "XML" : "BINARY"), sort_keys=False))
      """
    let back = try Tool.run(try #require(Tool.python), ["-c", script], input: value.binary())
    #expect(try PropertyList(contentsOf: back) == value, "seed \(seed)")
  }

  /// Whether a dictionary has keys that Foundation on Linux takes for one, because they only differ in composition.
  private func mergesKeys(_ value: PropertyList) -> Bool {
    guard let keys = value.dictionary?.keys else { return false }
    return Set(keys).count < keys.count
  }

  /// The same value with the keys of every dictionary sorted, for tools that forget their order.
  private func sorted(_ value: PropertyList) -> PropertyList {
    switch value {
    case .array(let elements): return .array(elements.map(sorted))
    case .dictionary(let dictionary):
      var result = PropertyListDictionary()
      for pair in dictionary.pairs.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        result[pair.key] = sorted(pair.value)
      }
      return .dictionary(result)
    default: return value
    }
  }

  private func contains(_ value: PropertyList, _ text: Character) -> Bool {
    switch value {
    case .string(let string): string.contains(text)
    case .array(let elements): elements.contains { contains($0, text) }
    default: false
    }
  }
}
