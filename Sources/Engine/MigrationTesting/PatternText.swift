internal import CoreDataExpressions
internal import SystemC

/// Texts that match a regular expression, for the rules of attributes.
///
/// Following the pattern makes texts that may match, and ICU decides which of them do: what stands before or behind a
/// place, and what may not, is only looked at by ICU.
struct PatternText {
  private indirect enum Node {
    case characters([Character])
    case sequence([Node])
    case choice([Node])
    case repeated(Node, least: Int, most: Int)
    case group(Int, Node)
    case reference(Int)
    /// What must be found further on in the text.
    case ahead(Node)
  }

  /// Longer repetitions are not needed to match.
  private static let mostRepetitions = 1000
  private static let depthLimit = 64
  /// The number of parts that are made in vain before it is given up.
  private static let vainSteps = 2_000_000
  /// The number of reports that ICU may make about all texts: a few seconds.
  private static let mostReports = 5_000

  private let root: Node?
  private let expression: RegularExpression

  /// Understands a pattern; `nil` if it is not valid.
  init?(_ pattern: String) {
    guard let expression = try? RegularExpression(pattern, ignoresCase: false) else { return nil }
    self.expression = expression
    var reader = Reader(rest: Array(pattern)[...])
    let node = reader.alternatives(0)
    root = reader.rest.isEmpty ? node : nil
  }

  /// Returns whether a text matches as a whole.
  func matches(_ text: String) -> Bool { (try? expression.matches(text)) == true }

  /// Returns different texts that match, as many as are wanted and found.
  ///
  /// - Parameter lengths: The numbers of UTF-16 units that a text may have.
  func texts(_ wanted: Int, lengths: ClosedRange<Int>) -> [String] {
    guard let root else { return [] }
    var found: [String] = []
    var seen: Set<String> = []
    var (steps, reports) = (Self.vainSteps, Self.mostReports)
    /// Returns whether to go on.
    func add(_ span: Int, _ choose: @escaping (Int) -> Int) -> Bool {
      var maker = Maker(span: span, choose: choose)
      let text = maker.text(root)
      // Looking at a text costs as much as a few parts.
      steps -= maker.steps + 10
      if lengths.contains(text.utf16.count), seen.insert(text).inserted,
        (try? expression.matches(text, within: &reports)) == true
      {
        found.append(text)
        // Where every fourth text is a new one, nothing is given up.
        steps += 4 * maker.steps
      }
      return found.count < wanted && steps > 0 && reports > 0 && !EndRequest.isMade
    }
    let span = 5 + min(lengths.lowerBound, Self.mostRepetitions)
    var random = FixtureRandom(seed: 1)
    for _ in 0..<(4 * wanted + 400) {
      guard add(span, { random.below($0) }) else { return found }
    }
    // Where few texts match, all are tried in turn: the number's digits choose.
    for span in [span, Self.mostRepetitions + 1] {
      for number in 0..<(4 * wanted + 10_000) {
        var rest = number
        let goesOn = add(span) { count in
          defer { rest /= count }
          return rest % count
        }
        guard goesOn else { return found }
      }
    }
    return found
  }

  /// Makes one text.
  private struct Maker {
    /// The greatest number of counts to choose among for a repetition.
    let span: Int
    /// Takes the number of ways to go on, and returns one of them.
    let choose: (Int) -> Int
    private var text = ""
    private var groups: [Int: String] = [:]
    private var ahead: [Node] = []
    /// The number of parts so far.
    private(set) var steps = 0
    /// Repetitions of repetitions end here.
    private static let mostSteps = 20_000

    init(span: Int, choose: @escaping (Int) -> Int) { (self.span, self.choose) = (span, choose) }

    mutating func text(_ root: Node) -> String {
      append(root, span)
      // What must be found further on may be there already; otherwise it is put somewhere.
      var characters = Array(text)
      for node in ahead {
        let part = apart(node, 1)
        guard part.count <= characters.count else { continue }
        let end = part.count - 1 + choose(characters.count - part.count + 2)
        guard end >= part.count else { continue }
        characters.replaceSubrange((end - part.count)..<end, with: part)
      }
      return String(characters)
    }

    private mutating func append(_ node: Node, _ span: Int) {
      steps += 1
      guard steps < Self.mostSteps else { return }
      switch node {
      case .characters(let characters):
        if !characters.isEmpty { text.append(characters[choose(characters.count)]) }
      case .sequence(let nodes): for node in nodes { append(node, span) }
      case .choice(let nodes): append(nodes[choose(nodes.count)], span)
      case .repeated(let node, let fewest, let most):
        let count = fewest + choose(min(most - fewest, span - 1) + 1)
        for _ in 0..<count { append(node, span) }
      case .group(let number, let node):
        groups[number] = apart(node, span)
        text += groups[number] ?? ""
      case .reference(let number):
        let group = groups[number] ?? ""
        // References to references would double the text each time.
        steps += group.utf8.count
        text += group
      case .ahead(let node): ahead.append(node)
      }
    }

    /// Returns the text of a part, which is not added.
    private mutating func apart(_ node: Node, _ span: Int) -> String {
      let before = text
      text = ""
      defer { text = before }
      append(node, span)
      return text
    }
  }

  private struct Reader {
    var rest: ArraySlice<Character>
    private var groupCount = 0
    private var groupNumbers: [String: Int] = [:]

    init(rest: ArraySlice<Character>) { self.rest = rest }

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
      case "(": return group(depth)
      case "[": return characterClass()
      case "\\": return escape()
      case ".": return Self.members(of: ".")
      case "*", "+", "?", "{": return nil
      default: return .characters([first])
      }
    }

    private mutating func group(_ depth: Int) -> Node? {
      var number: Int?
      /// What the group is, by the characters that it begins with.
      var isAhead = false
      var isSkipped = false
      if rest.first != "?" {
        groupCount += 1
        number = groupCount
      } else if take("?:") || take("?>") {
      } else if take("?=") {
        isAhead = true
      } else if take("?!") || take("?<=") || take("?<!") {
        isSkipped = true
      } else if take("?<") {
        guard let end = rest.firstIndex(of: ">") else { return nil }
        groupCount += 1
        number = groupCount
        groupNumbers[String(rest[..<end])] = number
        rest = rest[(end + 1)...]
      } else {
        // Flags, for the rest or for this group: a text in the case of the pattern matches without regard to case, too.
        rest.removeFirst()
        while let flag = rest.popFirst(), flag != ":" {
          if flag == ")" { return .sequence([]) }
          guard "imsuw-".contains(flag) else { return nil }
        }
      }
      guard let node = alternatives(depth + 1), rest.popFirst() == ")" else { return nil }
      if isSkipped { return .sequence([]) }
      return isAhead ? .ahead(node) : number.map { .group($0, node) } ?? node
    }

    private mutating func take(_ prefix: String) -> Bool {
      guard rest.starts(with: prefix) else { return false }
      rest.removeFirst(prefix.count)
      return true
    }

    private mutating func escape() -> Node? {
      guard let letter = rest.popFirst() else { return nil }
      switch letter {
      case "A", "Z", "z", "b", "B", "G": return .sequence([])
      case "1"..."9": return .reference(Int(String(letter)) ?? 0)
      case "k":
        guard take("<"), let end = rest.firstIndex(of: ">"), let number = groupNumbers[String(rest[..<end])] else {
          return nil
        }
        rest = rest[(end + 1)...]
        return .reference(number)
      case "p", "P", "x", "u":
        // A property or a code in braces, or so many digits.
        var source = "\\\(letter)"
        if rest.first == "{" {
          guard let end = rest.firstIndex(of: "}") else { return nil }
          source += String(rest[...end])
          rest = rest[(end + 1)...]
        } else {
          let count = letter == "u" ? 4 : letter == "x" ? 2 : 0
          guard count > 0, rest.count >= count else { return nil }
          source += String(rest.prefix(count))
          rest = rest.dropFirst(count)
        }
        return Self.members(of: source)
      case _ where letter.isLetter || letter.isNumber: return Self.members(of: "\\\(letter)")
      default: return .characters([letter])
      }
    }

    /// A class in brackets, with the classes in it.
    private mutating func characterClass() -> Node? {
      var source = "["
      var depth = 1
      while depth > 0 {
        guard let next = rest.popFirst() else { return nil }
        source.append(next)
        switch next {
        case "[": depth += 1
        // The first bracket of a class is one of its members.
        case "]": if !source.hasSuffix("[]"), !source.hasSuffix("[^]") { depth -= 1 }
        case "\\":
          guard let escaped = rest.popFirst() else { return nil }
          source.append(escaped)
        default: break
        }
      }
      return Self.members(of: source)
    }

    /// The characters that a class or an escape matches: those of ASCII, or else some of many scripts.
    private static func members(of source: String) -> Node? {
      guard !EndRequest.isMade, let expression = try? RegularExpression(source, ignoresCase: false) else { return nil }
      func matching(_ scalars: some Sequence<UInt32>) -> [Character] {
        scalars.compactMap { Unicode.Scalar($0).map { Character($0) } }
          .filter { (try? expression.matches(String($0))) == true }
      }
      var found = matching(0x20...0x7E)
      if found.isEmpty { found = matching(Array(0...0x1F) + Array(0x7F...0x5FF)) }
      // Of scripts with more characters, every some: those that the class names are among them.
      if found.isEmpty {
        found = matching(source.unicodeScalars.map(\.value).filter { $0 > 0x5FF } + codes(in: source))
      }
      if found.isEmpty { found = matching(stride(from: 0x600, through: 0x1FFFF, by: 64)) }
      return found.isEmpty ? nil : .characters(found)
    }

    /// The numbers of characters in a class, as in `\u4E00`.
    private static func codes(in source: String) -> [UInt32] {
      source.split(separator: "\\").compactMap { part in
        part.first.flatMap {
          "ux".contains($0) ? UInt32(part.dropFirst().drop { $0 == "{" }.prefix(while: \.isHexDigit), radix: 16) : nil
        }
      }
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
