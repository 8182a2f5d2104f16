internal import JSONPresets
internal import Verification

/// A path in documents: the places of its steps among those of all paths.
struct NodePath {
  /// A step of a path, with the number of a key.
  enum Step: Hashable {
    case member(Int), every, element(Int), last

    /// The step, whichever element it chooses.
    fileprivate var plain: Self {
      if case .member = self { self } else { .every }
    }
  }

  /// A step, and whether an object counts as the only element of an array where it begins.
  struct PlacedStep {
    let step: Step
    let takesObject: Bool
  }

  let start: Int
  let end: Int

  var isEmpty: Bool { start == end }
}

/// Turns the paths of presets into those of documents, and gives keys and namespaces numbers.
struct PathNumbering {
  private(set) var keys: [String] = []
  private var keyNumbers: [[UInt8]: Int] = [:]
  private var namespaces: [String: Int] = [:]
  /// The steps of all paths.
  private(set) var steps: [NodePath.PlacedStep] = []
  /// The places of arrays of artists, in each of which an object counts as the only element.
  private var containers: Set<[NodePath.Step]> = []

  init(containersOf presets: [Preset]) {
    for source in presets.flatMap({ $0.artists + $0.otherwise })
    where source.path.leadsToElements && !source.isOnlyArray {
      containers.insert(source.path.steps.dropLast().map { step($0).plain })
    }
  }

  /// Adds a path.
  ///
  /// - Parameter prefix: The path from the document to where this one begins.
  mutating func add(_ path: [NodePath.Step], after prefix: [NodePath.Step] = []) -> NodePath {
    let start = steps.count
    var way = prefix
    for step in path {
      steps.append(NodePath.PlacedStep(step: step, takesObject: containers.contains(way)))
      way.append(step.plain)
    }
    return NodePath(start: start, end: steps.count)
  }

  /// The steps of a path, with the numbers of its keys.
  mutating func numbered(_ path: JSONPath) -> [NodePath.Step] { path.steps.map { step($0) } }

  /// The steps of a path of members.
  mutating func numbered(members: [String]) -> [NodePath.Step] { members.map { .member(number(of: $0)) } }

  private mutating func step(_ step: JSONPath.Step) -> NodePath.Step {
    switch step {
    case .member(let name): .member(number(of: name))
    case .every, .filter: .every
    case .element(let index): .element(index)
    case .last: .last
    }
  }

  private mutating func number(of key: String) -> Int {
    let bytes = Array(key.utf8)
    if let known = keyNumbers[bytes] { return known }
    keyNumbers[bytes] = keys.count
    keys.append(key)
    return keys.count - 1
  }

  mutating func namespace(_ name: String) -> Int {
    let number = namespaces[name] ?? namespaces.count
    namespaces[name] = number
    return number
  }
}

/// The keys of an object's members, for quick comparisons; of many keys, several may look like one.
struct MemberSet {
  private var bits = SIMD4<UInt64>()

  mutating func insert(_ key: Int) { bits[key >> 6 & 3] |= 1 << UInt64(truncatingIfNeeded: key & 63) }

  /// Whether a key may be among these; false only if it is not.
  func mayContain(_ key: Int) -> Bool { bits[key >> 6 & 3] & 1 << UInt64(truncatingIfNeeded: key & 63) != 0 }

  /// Whether the keys may all be among others; false only if they are not.
  func mayBeSubset(of other: MemberSet) -> Bool {
    let others = bits & ~other.bits
    return others.x | others.y | others.z | others.w == 0
  }

  /// Whether one of the keys may be among others; false only if none is.
  func mayMeet(_ other: MemberSet) -> Bool {
    let both = bits & other.bits
    return both.x | both.y | both.z | both.w != 0
  }
}

/// The keys that a preset reads, as a tree.
final class ReadTree: Sendable {
  /// A path that is read, and whether it leads to the elements of an array that an object may stand for.
  typealias Path = (steps: ArraySlice<NodePath.Step>, isOfElements: Bool)

  private let keys: [Int]
  /// The parts to read of the member with each of the keys.
  private let members: [ReadTree]
  private let elements: ReadTree?
  /// Whether an object here counts as the only element.
  private let takesObject: Bool

  init(_ paths: [Path]) {
    var (keys, members, elements): ([Int], [[Path]], [Path]) = ([], [], [])
    var takesObject = false
    for path in paths {
      guard let step = path.steps.first else { continue }
      let rest = (path.steps.dropFirst(), path.isOfElements)
      if case .member(let key) = step {
        if let place = keys.firstIndex(of: key) {
          members[place].append(rest)
        } else {
          keys.append(key)
          members.append([rest])
        }
      } else {
        elements.append(rest)
        if path.isOfElements, path.steps.count == 1 { takesObject = true }
      }
    }
    (self.keys, self.members) = (keys, members.map { ReadTree($0) })
    self.elements = elements.isEmpty ? nil : ReadTree(elements)
    self.takesObject = takesObject
  }

  /// The number of repeated keys that are read.
  func repeatedCount(at node: Int, in document: DocumentView) -> Int {
    switch document.nodes[node].kind {
    case .object:
      let count = repeatedMemberCount(of: node, in: document)
      return takesObject ? count + (elements?.repeatedMemberCount(of: node, in: document) ?? 0) : count
    case .array:
      guard let elements else { return 0 }
      var count = 0
      _ = document.hasChild(of: node) { child in
        count += elements.repeatedCount(at: child, in: document)
        return false
      }
      return count
    default: return 0
    }
  }

  private func repeatedMemberCount(of node: Int, in document: DocumentView) -> Int {
    guard !keys.isEmpty else { return 0 }
    var count = 0
    // On the stack: an array for each object would take longer than the rest.
    withUnsafeTemporaryAllocation(of: Bool.self, capacity: keys.count) { seen in
      seen.initialize(repeating: false)
      _ = document.hasChild(of: node) { child in
        guard let place = keys.firstIndex(of: document.nodes[child].key) else { return false }
        count += seen[place] ? 1 : members[place].repeatedCount(at: child, in: document)
        seen[place] = true
        return false
      }
    }
    return count
  }
}
