import JSONPresets
import Testing

@testable import Policies

struct PresetTrieTests {
  /// The keys of artists in the trie: alike in their lengths, and in their first and last eight bytes.
  private static let alike = ["abcdefgh1stuvwxyz", "abcdefgh2stuvwxyz", "abcdefgh3stuvwxyz"]

  private let trie = PresetTrie(
    .paths(Preset.Source("$.a", name: "abcdefgh1stuvwxyz", id: ["abcdefgh2stuvwxyz"], image: ["abcdefgh3stuvwxyz"])))

  /// The node to which keys lead from the root, or from the elements of an array at the last of them.
  private func node(_ keys: [String]) -> PresetTrie.Node? {
    var node = trie.nodes[0]
    for name in keys {
      guard let key = key(name, at: node) else { return nil }
      node = trie.nodes[Int(trie.keys[key].node)]
      if node.element >= 0 { node = trie.nodes[Int(node.element)] }
    }
    return node
  }

  private func key(_ name: String, at node: PresetTrie.Node) -> Int? {
    Array(name.utf8).withUnsafeBytes { trie.key($0, KeyWords($0), at: node) }
  }

  @Test func `Keys that only a comparison of all bytes tells apart are told apart`() throws {
    let artist = try #require(node(["a"]))
    let found = Self.alike.map { key($0, at: artist) }
    #expect(Set(found.compactMap(\.self)).count == Self.alike.count)
  }

  @Test(arguments: [
    "abcdefgh4stuvwxyz", "abcdefghstuvwxyz", "a", "z", "", "abcd", "abcdefgh", "\0bcdefgh1stuvwxyz",
    String(repeating: "abcdefgh1stuvwxyz", count: 60),
  ])
  func `A key that no preset names is not found`(name: String) throws {
    #expect(key(name, at: try #require(node(["a"]))) == nil)
  }

  @Test func `The built-in presets leave room for as many conditions as presets of others may have`() throws {
    let conditions = try (0..<Preset.countedTestsLimit).map { try JSONCondition("$.own\($0)") }
    let shape = JSONShape.joined([.auto, .preset(Preset("own", "", "", conditions))])
    // Without room, this ends the process.
    let trie = PresetTrie(shape.ofFeed(titlePath: nil, playedPath: nil), readsTracks: true)
    #expect(trie.entries.count > Preset.builtIn.count + 1)
  }
}
