/// The numbers of a migration, an import or a shard, as far as they were looked for, with a few examples.
package struct Facts: Sendable, Hashable {
  /// A kind of number that is counted by names: of reasons, presets, roles or kinds.
  ///
  /// The raw values are keys in JSON.
  package enum Group: String, Sendable, Hashable, CaseIterable {
    /// Tracks that use their `artistName`, by the reason.
    case fallbacks = "fallback_tracks_count_by_reason"
    /// Documents that match a preset, by its name.
    case presets = "documents_count_by_preset"
    /// Mentions of artists that have a role.
    case roles = "mentions_count_by_role"
    /// Uses of a person's decisions, by their kind.
    case decisions = "decisions_applied_count_by_kind"

    /// The name of the counter of one of them.
    package func counter(_ name: String) -> String {
      switch self {
      case .fallbacks: "fallback.\(name)"
      case .presets: "preset.\(name)"
      case .roles: "role.\(name)"
      case .decisions: "decision.\(name)"
      }
    }
  }

  /// The greatest number of examples of each fact.
  private static let exampleLimit = 20

  private var counts = [Int?](repeating: nil, count: Fact.allCases.count)
  private var examples: [Fact: [String]] = [:]
  /// The numbers by name, as far as they were looked for.
  package var groups: [Group: [String: Int]] = [:]

  package init() {}

  /// Begins to look for facts.
  package init(lookingFor facts: [Fact]) {
    for fact in facts { set(fact, 0, []) }
  }

  /// A number; `nil` if it was not looked for.
  package subscript(fact: Fact) -> Int? {
    get { counts[fact.rawValue] }
    set { counts[fact.rawValue] = newValue }
  }

  /// Numbers by name; none if they were not looked for.
  package subscript(group: Group) -> [String: Int] {
    get { groups[group] ?? [:] }
    set { groups[group] = newValue }
  }

  /// The first examples of a fact; `nil` if it has none to keep, or was not looked for.
  package func examples(of fact: Fact) -> [String]? { examples[fact] }

  /// Adds to a number; one in a file may be any.
  package mutating func count(_ fact: Fact, by amount: Int = 1) {
    counts[fact.rawValue] = (counts[fact.rawValue] ?? 0).addingUpToMax(amount)
  }

  /// Counts one more, of which the text is an example.
  package mutating func count(_ fact: Fact, example: @autoclosure () -> String) {
    count(fact)
    if examples[fact, default: []].count < Self.exampleLimit { examples[fact, default: []].append(example()) }
  }

  /// Sets a number with its examples.
  package mutating func set(_ fact: Fact, _ count: Int, _ examples: [String]) {
    self[fact] = count
    if fact.traits.examplesKey != nil { self.examples[fact] = examples }
  }

  /// Adds the numbers of other tracks, and their examples.
  package mutating func add(_ other: Facts) {
    for fact in Fact.allCases { if let amount = other[fact] { count(fact, by: amount) } }
    examples.merge(other.examples) { Array(($0 + $1).prefix(Self.exampleLimit)) }
    for (group, counts) in other.groups {
      groups[group, default: [:]].merge(counts) { $0.addingUpToMax($1) }
    }
  }

  /// The numbers that are looked for everywhere or are not zero, without examples: a line of many has no others.
  package var brief: Facts {
    var facts = Facts()
    for fact in Fact.allCases {
      guard let count = self[fact], fact.key != nil else { continue }
      if count > 0 || [.result, .file].contains(fact.traits.chapter) { facts[fact] = count }
    }
    return facts
  }
}

extension FixedWidthInteger {
  /// Returns the sum, or the greatest number if it is larger: files may say any number.
  package func addingUpToMax(_ other: Self) -> Self {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? .max : sum
  }
}

// MARK: - JSON

extension Facts: Codable {
  /// A value of one of the facts' keys.
  package enum Value: Sendable {
    case count(Int)
    case examples([String])
    case group([String: Int])
  }

  /// The facts as members of an object.
  package var members: [(key: String, value: Value)] {
    let counts = Fact.allCases.compactMap { fact in
      fact.key.flatMap { key in self[fact].map { (key, Value.count($0)) } }
    }
    let texts = Fact.allCases.compactMap { fact in
      fact.traits.examplesKey.flatMap { key in examples(of: fact).map { (key, Value.examples($0)) } }
    }
    return counts + texts + Group.allCases.compactMap { group in groups[group].map { (group.rawValue, .group($0)) } }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    for fact in Fact.allCases {
      examples[fact] = try fact.traits.examplesKey.flatMap {
        try values.decodeIfPresent([String].self, forKey: Key($0))
      }
      self[fact] =
        if let key = fact.key { try values.decodeIfPresent(Int.self, forKey: Key(key)) } else { examples[fact]?.count }
    }
    for group in Group.allCases {
      groups[group] = try values.decodeIfPresent([String: Int].self, forKey: Key(group.rawValue))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    for (key, value) in members {
      switch value {
      case .count(let count): try values.encode(count, forKey: Key(key))
      case .examples(let examples): try values.encode(examples, forKey: Key(key))
      case .group(let counts): try values.encode(counts, forKey: Key(key))
      }
    }
  }

  /// Something else, with facts among its own keys.
  package struct Beside<Content: Encodable>: Encodable {
    private let content: Content
    private let facts: Facts

    package init(_ content: Content, _ facts: Facts) { (self.content, self.facts) = (content, facts) }

    package func encode(to encoder: any Encoder) throws {
      try content.encode(to: encoder)
      try facts.encode(to: encoder)
    }
  }
}
