/// The correspondence between two versions, by the documented rules of renaming.
struct PlainMatch {
  struct Element {
    let name: String
    let identifier: String

    var isSet: Bool { identifier != name }
  }

  /// The old names by the new names.
  private(set) var oldNames: [String: String] = [:]
  /// The first new name of each ambiguous group.
  private(set) var ambiguous: [String] = []
  private(set) var added: Set<String> = []
  private(set) var removed: Set<String> = []

  init(from old: [Element], to new: [Element]) {
    var (sources, destinations) = (old, new)
    let steps: [(new: (Element) -> String?, old: (Element) -> String?)] = [
      // The key joins name and identifier with a NUL, which no name contains.
      ({ $0.isSet ? "\($0.name)\0\($0.identifier)" : nil }, { "\($0.name)\0\($0.identifier)" }),
      ({ $0.isSet ? $0.identifier : nil }, { $0.isSet ? $0.identifier : nil }),
      ({ $0.isSet ? $0.identifier : nil }, { $0.name }),
      ({ $0.isSet ? nil : $0.name }, { $0.name }),
      ({ $0.isSet ? nil : $0.name }, { $0.isSet ? $0.identifier : nil }),
      ({ $0.name }, { $0.name }),
    ]
    for step in steps {
      for key in Set(destinations.compactMap(step.new)).sorted() {
        let (here, there) = (destinations.filter { step.new($0) == key }, sources.filter { step.old($0) == key })
        guard let first = here.first, let last = there.last else { continue }
        if here.count == 1, there.count == 1 { oldNames[first.name] = last.name } else { ambiguous.append(first.name) }
        // Names matched in this step are not available to the next.
        destinations.removeAll { element in here.contains { $0.name == element.name } }
        sources.removeAll { element in there.contains { $0.name == element.name } }
      }
    }
    added = Set(destinations.map(\.name))
    removed = Set(sources.map(\.name))
  }

  func newName(_ old: String) -> String? { oldNames.first { $0.value == old }?.key }
}
