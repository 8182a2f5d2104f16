internal import Verification

/// A document's tree while presets are looked for in it, with the steps of their paths.
///
/// Hot: every document is asked for some fifty paths. These buffers are those of arrays that stay in place meanwhile; with
/// the arrays themselves, counting references took longer than everything else. All indices are those that the reader
/// has put into the tree.
struct DocumentView {
  let nodes: UnsafeBufferPointer<DocumentTree.Node>
  let bytes: UnsafeBufferPointer<UInt8>
  let steps: UnsafeBufferPointer<NodePath.PlacedStep>
  /// An object that many paths are looked for in, and a bit for the key of each of its members: most paths lead nowhere.
  private var asked: (node: Int, keys: UInt64) = (-1, 0)

  init(
    nodes: UnsafeBufferPointer<DocumentTree.Node>, bytes: UnsafeBufferPointer<UInt8>,
    steps: UnsafeBufferPointer<NodePath.PlacedStep>
  ) {
    (self.nodes, self.bytes, self.steps) = (nodes, bytes, steps)
  }

  /// The same view for many paths from a node.
  func asking(_ node: Int) -> DocumentView {
    var view = self
    var keys: UInt64 = 0
    _ = hasChild(of: node) { child in
      keys |= Self.bit(nodes[child].key)
      return false
    }
    view.asked = (node, keys)
    return view
  }

  private static func bit(_ key: Int) -> UInt64 { 1 << UInt64(key & 63) }

  /// The first member of an object with a key.
  func member(_ key: Int, of node: Int) -> Int? {
    guard nodes[node].kind == .object else { return nil }
    var found: Int?
    _ = hasChild(of: node) { child in
      guard nodes[child].key == key else { return false }
      found = child
      return true
    }
    return found
  }

  /// Calls back with the members of an object or the elements of an array, until that returns true.
  ///
  /// - Returns: Whether it has returned true.
  @inline(__always)
  func hasChild(of node: Int, where body: (Int) -> Bool) -> Bool {
    var child = node + 1
    while child < nodes[node].end {
      if body(child) { return true }
      child = nodes[child].end
    }
    return false
  }

  /// An element of an array; without an index, the last one.
  private func element(_ index: Int?, of node: Int) -> Int? {
    guard nodes[node].kind == .array else { return nil }
    var (place, found): (Int, Int?) = (0, nil)
    _ = hasChild(of: node) { child in
      if index == nil || index == place { found = child }
      place += 1
      return index.map { place > $0 } ?? false
    }
    return found
  }

  /// Calls back with the values at a path, in the order of the document, until that returns true.
  ///
  /// - Parameter place: The first step to follow.
  /// - Returns: Whether it has returned true.
  func hasValue(at path: NodePath, from start: Int, _ place: Int? = nil, where body: (Int) -> Bool) -> Bool {
    var node = start
    let place = place ?? path.start
    if start == asked.node, place < path.end, case .member(let key) = steps[place].step, asked.keys & Self.bit(key) == 0
    {
      return false
    }
    for place in place..<path.end {
      let isOnlyElement = nodes[node].kind == .object && steps[place].takesObject
      switch steps[place].step {
      case .member(let key):
        guard let member = member(key, of: node) else { return false }
        node = member
      case .every where isOnlyElement, .element(0) where isOnlyElement, .last where isOnlyElement: break
      case .every:
        guard nodes[node].kind == .array else { return false }
        return hasChild(of: node) { hasValue(at: path, from: $0, place + 1, where: body) }
      case .element(let index):
        guard let element = element(index, of: node) else { return false }
        node = element
      case .last:
        guard let element = element(nil, of: node) else { return false }
        node = element
      }
    }
    return body(node)
  }

  /// The first value at a path.
  func first(at path: NodePath, from node: Int) -> Int? {
    var found: Int?
    _ = hasValue(at: path, from: node) {
      found = $0
      return true
    }
    return found
  }

  /// Whether a value is the given text.
  ///
  /// An array, an object, `null`, and text that is too long are not texts.
  func isText(_ node: Int, _ text: some Collection<UInt8>) -> Bool {
    switch nodes[node].kind {
    case .text, .number: bytes[nodes[node].text].elementsEqual(text)
    case .true: text.elementsEqual("true".utf8)
    case .false: text.elementsEqual("false".utf8)
    case .object, .array, .null, .longText: false
    }
  }

  func string(_ text: Range<Int>) -> String { String(decoding: bytes[text], as: UTF8.self) }

  // MARK: - Details

  /// The first text or number at a path, or whether it is too long.
  func firstText(at path: NodePath, from node: Int) -> (text: Range<Int>?, isTooLong: Bool) {
    var found: (text: Range<Int>?, isTooLong: Bool) = (nil, false)
    _ = hasValue(at: path, from: node) { value in
      switch nodes[value].kind {
      // A line of a feed keeps texts of any length, of which one may be a whole document.
      case .text where nodes[value].text.count > DocumentReader.usualTextLimit: found.isTooLong = true
      case .text: found.text = nodes[value].text
      // The value itself is a name only if it is text.
      case .number where !path.isEmpty: found.text = nodes[value].text
      case .longText: found.isTooLong = true
      default: return false
      }
      return true
    }
    return found
  }

  /// The first of several paths that leads to text that is not empty.
  func text(at paths: [NodePath], from node: Int) -> Range<Int>? {
    for path in paths {
      if let text = firstText(at: path, from: node).text, !text.isEmpty { return text }
    }
    return nil
  }

  /// Whether there is text at a path, which may be empty or too long.
  func hasText(at path: NodePath, from node: Int) -> Bool {
    let found = firstText(at: path, from: node)
    return found.text != nil || found.isTooLong
  }

  /// An id or image; counts one that is too long.
  func value(at paths: [NodePath], from node: Int, keepsEmpty: Bool, _ longCount: inout Int) -> Range<Int>? {
    if paths.isEmpty { return nil }
    if let text = text(at: paths, from: node) { return text }
    let all = paths.map { firstText(at: $0, from: node) }
    if all.contains(where: \.isTooLong) { longCount += 1 }
    return keepsEmpty ? all.compactMap(\.text).first : nil
  }
}

extension DocumentTree {
  /// Calls back with a view of this tree.
  func withView<Result>(_ steps: [NodePath.PlacedStep], _ body: (DocumentView) -> Result) -> Result {
    nodes.withUnsafeBufferPointer { nodes in
      bytes.withUnsafeBufferPointer { bytes in
        steps.withUnsafeBufferPointer { body(DocumentView(nodes: nodes, bytes: bytes, steps: $0)) }
      }
    }
  }
}
