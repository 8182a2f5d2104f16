/// What can have another name in the next version of a model.
protocol Renamable {
  var name: String { get }
  var renamingIdentifier: String { get }
}

extension EntityDescription: Renamable {}
extension AttributeDescription: Renamable {}
extension RelationshipDescription: Renamable {}
extension FetchedPropertyDescription: Renamable {}

/// Finds what is what in two versions: by renaming identifiers, and by names.
///
/// Core Data's documentation says that two things are the same when their renaming identifiers are equal, or when the
/// new one's identifier is the old one's name. It does not say what comes first where several are possible; here it is
/// what changes least.
struct RenamingMatch<Element: Renamable> {
  private(set) var pairs: [(old: Element, new: Element)] = []
  private(set) var removed: [Element] = []
  private(set) var added: [Element] = []

  init(old: [Element], new: [Element]) {
    var oldIndexes = IndexesByName(old)
    var partners = [Int?](repeating: nil, count: new.count)
    func pair(_ find: (Element, inout IndexesByName) -> Int?) {
      for index in new.indices where partners[index] == nil { partners[index] = find(new[index], &oldIndexes) }
    }
    pair { element, old in old.take(named: element.name) { $0 == element.renamingIdentifier } }
    pair { element, old in
      element.isRenamed ? old.takeRenamed(renamingIdentifier: element.renamingIdentifier) : nil
    }
    pair { element, old in element.isRenamed ? old.take(named: element.renamingIdentifier) : nil }
    pair { element, old in old.take(named: element.name) }
    pair { element, old in old.take(renamingIdentifier: element.renamingIdentifier) }
    for (element, partner) in zip(new, partners) {
      if let partner { pairs.append((old[partner], element)) } else { added.append(element) }
    }
    let taken = Set(partners.compactMap(\.self))
    removed = old.indices.filter { !taken.contains($0) }.map { old[$0] }
  }

  /// The old elements that have no partner yet.
  private struct IndexesByName {
    private let identifiers: [String]
    private let byName: [String: Int]
    /// Last first, so that what is taken can be dropped at the end.
    private var byIdentifier: [String: [Int]]
    private var renamedByIdentifier: [String: [Int]]
    private var taken: Set<Int> = []

    init(_ elements: [Element]) {
      identifiers = elements.map(\.renamingIdentifier)
      byName = Dictionary(elements.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
      let indexes = elements.indices.reversed()
      byIdentifier = Dictionary(grouping: indexes) { elements[$0].renamingIdentifier }
      renamedByIdentifier = Dictionary(grouping: indexes.filter { elements[$0].isRenamed }) {
        elements[$0].renamingIdentifier
      }
    }

    mutating func take(named name: String, where isWanted: (String) -> Bool = { _ in true }) -> Int? {
      guard let index = byName[name], isWanted(identifiers[index]), taken.insert(index).inserted else { return nil }
      return index
    }

    mutating func take(renamingIdentifier identifier: String) -> Int? {
      Self.take(from: &byIdentifier[identifier, default: []], &taken)
    }

    mutating func takeRenamed(renamingIdentifier identifier: String) -> Int? {
      Self.take(from: &renamedByIdentifier[identifier, default: []], &taken)
    }

    private static func take(from indexes: inout [Int], _ taken: inout Set<Int>) -> Int? {
      while let index = indexes.popLast() {
        if taken.insert(index).inserted { return index }
      }
      return nil
    }
  }
}

extension Renamable {
  fileprivate var isRenamed: Bool { renamingIdentifier != name }
}
