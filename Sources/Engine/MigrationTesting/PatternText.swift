/// Texts that match a regular expression, for the rules of attributes.
///
/// What models use is understood: literals, classes, groups, alternatives, anchors and repetitions. ICU has more; for a
/// pattern with anything else there is no text.
struct PatternText {
  private indirect enum Node {
    case characters([Character])
    case sequence([Node])
    case choice([Node])
    case repeated(Node, least: Int, most: Int)
  }

  /// Longer repetitions are not needed to match.
  private static let mostRepetitions = 1000
  private static let depthLimit = 64

  private let root: Node

  /// Understands a pattern; `nil` where that is not possible.
  init?(_ pattern: String) {
    var reader = Reader(rest: Array(pattern)[...])
    guard let node = reader.alternatives(0), reader.rest.isEmpty else { return nil }
    root = node
  }

  /// A text that matches.
  ///
  /// - Parameters:
  ///   - least: The length from which on nothing more is repeated than has to be.
  ///   - choose: Takes the number of ways to go on, and returns one of them.
  func text(atLeast least: Int, _ choose: (Int) -> Int) -> String {
    var text = ""
    append(root, to: &text, least, choose)
    return text
  }

  private func append(_ node: Node, to text: inout String, _ least: Int, _ choose: (Int) -> Int) {
    switch node {
    case .characters(let characters):
      if !characters.isEmpty { text.append(characters[choose(characters.count)]) }
    case .sequence(let nodes): for node in nodes { append(node, to: &text, least, choose) }
    case .choice(let nodes): append(nodes[choose(nodes.count)], to: &text, least, choose)
    case .repeated(let node, let fewest, let most):
      for _ in 0..<fewest { append(node, to: &text, least, choose) }
      guard most > fewest else { return }
      for index in fewest..<min(most, Self.mostRepetitions) {
        guard text.utf16.count < least || index < fewest + 4 && choose(3) > 0 else { return }
        append(node, to: &text, least, choose)
      }
    }
  }

  private struct Reader {
    var rest: ArraySlice<Character>

    mutating func alternatives(_ depth: Int) -> Node? {
      guard depth < PatternText.depthLimit, let first = sequence(depth) else { return nil }
      var nodes = [first]
      while rest.first == "|" {
        rest.removeFirst()
        guard let next = sequence(depth) else { return nil }
        nodes.append(next)
      }
      return nodes.count == 1 ? first : .choice(nodes)
    }

    private mutating func sequence(_ depth: Int) -> Node? {
      var nodes: [Node] = []
      while let next = rest.first, next != "|", next != ")" {
        rest.removeFirst()
        if next == "^" || next == "$" { continue }
        guard let node = atom(next, depth), let repeated = repetition(of: node) else { return nil }
        nodes.append(repeated)
      }
      return .sequence(nodes)
    }

    private mutating func atom(_ first: Character, _ depth: Int) -> Node? {
      switch first {
      case "(":
        if rest.first == "?" {
          guard rest.dropFirst().first == ":" else { return nil }
          rest.removeFirst(2)
        }
        guard let node = alternatives(depth + 1), rest.first == ")" else { return nil }
        rest.removeFirst()
        return node
      case "[": return characterClass()
      case "\\": return escape().map { .characters($0) }
      case ".": return .characters(Self.word)
      case "*", "+", "?", "{": return nil
      default: return .characters([first])
      }
    }

    private static let digits = Array("0123456789")
    private static let word = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")

    private mutating func escape() -> [Character]? {
      guard let letter = rest.popFirst() else { return nil }
      switch letter {
      case "d": return Self.digits
      case "w": return Self.word
      case "s": return [" "]
      case "D", "S": return Array("abc")
      case "W": return Array(" -.")
      case "n": return ["\n"]
      case "t": return ["\t"]
      case "A", "Z", "z": return []
      case _ where letter.isLetter || letter.isNumber: return nil
      default: return [letter]
      }
    }

    private mutating func characterClass() -> Node? {
      let isNegated = rest.first == "^"
      if isNegated { rest.removeFirst() }
      var members: [Character] = []
      while let next = rest.popFirst() {
        if next == "]", !members.isEmpty { return .characters(isNegated ? Self.others(members) : members) }
        guard next != "[", next != "&" || rest.first != "&" else { return nil }
        guard next != "\\" else {
          guard let escaped = escape() else { return nil }
          members += escaped
          continue
        }
        guard rest.first == "-", let last = rest.dropFirst().first, last != "]" else {
          members.append(next)
          continue
        }
        rest.removeFirst(2)
        guard let low = next.unicodeScalars.first?.value, let high = last.unicodeScalars.first?.value, low <= high,
          last != "\\"
        else { return nil }
        members += (low...min(high, low + 255)).compactMap { Unicode.Scalar($0).map { Character($0) } }
      }
      return nil
    }

    private static func others(_ members: [Character]) -> [Character] {
      (word + Array(" -.,;:!#%")).filter { !members.contains($0) }
    }

    private mutating func repetition(of node: Node) -> Node? {
      var (least, most) = (1, 1)
      switch rest.first {
      case "*": (least, most) = (0, .max)
      case "+": (least, most) = (1, .max)
      case "?": (least, most) = (0, 1)
      case "{":
        guard let end = rest.firstIndex(of: "}") else { return nil }
        let parts = String(rest[(rest.startIndex + 1)..<end]).split(separator: ",", omittingEmptySubsequences: false)
        guard let first = parts.first.flatMap({ Int($0) }), (0...PatternText.mostRepetitions).contains(first),
          parts.count <= 2
        else { return nil }
        least = first
        most = parts.count == 1 ? first : parts[1].isEmpty ? .max : Int(parts[1]) ?? -1
        guard most >= least else { return nil }
        rest = rest[end...]
      default: return node
      }
      rest.removeFirst()
      // Greedy, reluctant or possessive: what matches is the same.
      if rest.first == "?" || rest.first == "+" { rest.removeFirst() }
      return .repeated(node, least: least, most: most)
    }
  }
}
