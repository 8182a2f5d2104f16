internal import DataModel

/// The numbers that Core Data gives entities in a store: `Z_ENT`.
///
/// Numbers run from 1 in pre-order over the inheritance forest. Siblings are sorted without regard to case, so
/// `NetworkAttachment` comes before `NWActivity`.
struct EntityNumbering {
  /// The entity names in the order of their numbers.
  let names: [String]
  private let numbers: [String: Int]

  init(_ model: ManagedObjectModel) {
    let byName = model.entitiesByName
    var names: [String] = []
    var waiting = Self.sorted(model.entities.filter { $0.superentityName == nil }.map(\.name)).reversed() as [String]
    while let name = waiting.popLast() {
      names.append(name)
      waiting += Self.sorted(byName[name]?.subentityNames ?? []).reversed()
    }
    self.names = names
    numbers = Dictionary(zip(names, 1...), uniquingKeysWith: { first, _ in first })
  }

  /// The number of an entity; 0 for one that the model does not have.
  subscript(name: String) -> Int { numbers[name] ?? 0 }

  private static func sorted(_ names: [String]) -> [String] {
    names.sorted { left, right in
      let (foldedLeft, foldedRight) = (left.lowercased(), right.lowercased())
      return foldedLeft == foldedRight ? left.precedesByBytes(right) : foldedLeft.precedesByBytes(foldedRight)
    }
  }
}
