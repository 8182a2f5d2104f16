/// What can have another name in the next version of a model.
protocol Renamable {
  var name: String { get }
  var renamingIdentifier: String { get }
}

extension EntityDescription: Renamable {}
extension AttributeDescription: Renamable {}
extension RelationshipDescription: Renamable {}
extension FetchedPropertyDescription: Renamable {}

/// What is what in two versions, as ``RenamingMatcher`` finds it.
///
/// Where that is ambiguous, the elements are paired in their order: a comparison has to say something of each.
struct RenamingMatch<Element: Renamable> {
  /// In the order of the new version.
  private(set) var pairs: [(old: Element, new: Element)] = []
  let removed: [Element]
  private(set) var added: [Element] = []

  init(old: [Element], new: [Element]) {
    let matcher = RenamingMatcher(from: Self.names(old), to: Self.names(new))
    var oldNames = matcher.sourceNames
    for ambiguity in matcher.ambiguities {
      for (name, oldName) in zip(ambiguity.destinations, ambiguity.sources) { oldNames[name] = oldName }
    }
    let oldByName = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for element in new {
      if let partner = oldNames[element.name].flatMap({ oldByName[$0] }) {
        pairs.append((partner, element))
      } else {
        added.append(element)
      }
    }
    let kept = Set(oldNames.values)
    removed = old.filter { !kept.contains($0.name) }
  }

  private static func names(_ elements: [Element]) -> [RenamingMatcher.Element] {
    elements.map { RenamingMatcher.Element(name: $0.name, identifier: $0.renamingIdentifier) }
  }
}
