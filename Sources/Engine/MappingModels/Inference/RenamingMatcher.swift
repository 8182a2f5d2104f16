package import DataModel

/// Finds the source element that each destination element was before.
///
/// A renaming identifier is *set* where it differs from the name. In this order, each element being used once:
///
/// 0. the same name and the same identifier, which is set: what was renamed earlier and has not changed since;
/// 1. the same set identifier: both were renamed from the same original;
/// 2. the destination's set identifier is the source's name: it is renamed now;
/// 3. the same name, where the destination's identifier is not set;
/// 4. the destination's name is the source's set identifier: a renaming is taken back;
/// 5. the same name, where the destination's set identifier has found nothing. Apple's tools do not say that they do
///    so, but apps rely on it: a stray identifier does not make them lose their data.
///
/// If a step finds several elements of one side for the same key, it is ambiguous, and none of them is matched.
package struct RenamingMatcher {
  /// The names by which an entity, an attribute or a relationship is matched.
  package struct Element: Sendable {
    package let name: String
    package let identifier: String

    package init(name: String, identifier: String) {
      self.name = name
      self.identifier = identifier
    }

    /// The identifier, if it is set.
    var setIdentifier: String? { identifier == name ? nil : identifier }
    /// The name, if it is also the identifier.
    var ownName: String? { identifier == name ? name : nil }
  }

  /// Elements that could be matched in more than one way.
  package struct Ambiguity: Sendable {
    package let sources: [String]
    package let destinations: [String]
  }

  /// The names in the source, by the names in the destination.
  package private(set) var sourceNames: [String: String] = [:]
  /// The names in the destination, by the names in the source.
  package private(set) var destinationNames: [String: String] = [:]
  /// The matches that cannot be decided.
  package private(set) var ambiguities: [Ambiguity] = []
  /// The destination elements that were matched by name, because their identifiers match nothing.
  package private(set) var foundDespiteIdentifier: Set<String> = []

  /// The elements that are not matched yet.
  private var sources: [Element]
  private var destinations: [Element]
  private var added: Set<String> = []
  private var removed: Set<String> = []

  package init(from sources: [Element], to destinations: [Element]) {
    self.sources = sources
    self.destinations = destinations
    match({ $0.setIdentifier == nil ? nil : $0.name }, { $0.name }) { $0.identifier == $1.identifier }
    match(\.setIdentifier, \.setIdentifier)
    match(\.setIdentifier, \.name)
    match(\.ownName, \.name)
    match(\.ownName, \.setIdentifier)
    foundDespiteIdentifier = Set(match(\.name, \.name))
    added = Set(self.destinations.map(\.name))
    removed = Set(self.sources.map(\.name))
  }

  /// Whether an element of the destination is new.
  package func isNew(_ destination: String) -> Bool { added.contains(destination) }

  /// Whether an element of the source is gone.
  package func isRemoved(_ source: String) -> Bool { removed.contains(source) }

  /// Whether any element of the source is gone.
  package var hasRemovals: Bool { !removed.isEmpty }

  /// The names of the new elements that the source has, too, and that other elements claim, with the names of these.
  package var claimed: [(name: String, newName: String)] {
    added.sorted().compactMap { name in destinationNames[name].map { (name, $0) } }
  }

  /// Whether all elements are the same under the same names.
  package var isIdentity: Bool {
    added.isEmpty && removed.isEmpty && ambiguities.isEmpty && sourceNames.allSatisfy { $0 == $1 }
  }

  /// Matches elements that alone have the same key, and returns the names of the matched destinations.
  @discardableResult
  private mutating func match(
    _ destinationKey: (Element) -> String?, _ sourceKey: (Element) -> String?,
    where agree: (Element, Element) -> Bool = { _, _ in true }
  ) -> [String] {
    let sourcesByKey = Dictionary(grouping: sources) { sourceKey($0) }
    let destinationsByKey = Dictionary(grouping: destinations) { destinationKey($0) }
    var matched: [String] = []
    var used: (sources: Set<String>, destinations: Set<String>) = ([], [])
    for destination in destinations {
      guard let key = destinationKey(destination), let found = sourcesByKey[key], let rivals = destinationsByKey[key],
        rivals.first?.name == destination.name
      else { continue }
      if let source = found.first, found.count == 1, rivals.count == 1 {
        guard agree(destination, source) else { continue }
        sourceNames[destination.name] = source.name
        destinationNames[source.name] = destination.name
        matched.append(destination.name)
      } else {
        ambiguities.append(Ambiguity(sources: found.map(\.name), destinations: rivals.map(\.name)))
      }
      used.sources.formUnion(found.map(\.name))
      used.destinations.formUnion(rivals.map(\.name))
    }
    guard !used.sources.isEmpty else { return matched }
    sources.removeAll { used.sources.contains($0.name) }
    destinations.removeAll { used.destinations.contains($0.name) }
    return matched
  }
}

extension RenamingMatcher.Element {
  package init(_ element: some Renamable) {
    self.init(name: element.name, identifier: element.renamingIdentifier)
  }
}

/// A part of a model that can have another name in the next version.
package protocol Renamable {
  var name: String { get }
  var renamingIdentifier: String { get }
}

extension EntityDescription: Renamable {}
extension AttributeDescription: Renamable {}
extension RelationshipDescription: Renamable {}
extension FetchedPropertyDescription: Renamable {}
