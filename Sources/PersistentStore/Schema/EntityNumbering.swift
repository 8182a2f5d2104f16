internal import DataModel

/// The numbers that entities have in a store: `Z_ENT`.
///
/// In a fresh store numbers run from 1 in pre-order over the inheritance forest. Siblings are sorted without regard to
/// case, so `NetworkAttachment` comes before `NWActivity`.
struct EntityNumbering {
  /// The entity names in the order in which Core Data lays them out, which is that of a fresh store's numbers.
  let names: [String]
  private let numbers: [String: Int]

  init(_ model: ManagedObjectModel) {
    names = Self.names(model)
    numbers = Dictionary(zip(names, 1...), uniquingKeysWith: { first, _ in first })
  }

  /// The numbers that a store really has.
  init(_ model: ManagedObjectModel, numbers: [String: Int]) {
    names = Self.names(model)
    self.numbers = numbers
  }

  /// The number of an entity; 0 for one that the model does not have.
  subscript(name: String) -> Int { numbers[name] ?? 0 }

  /// The entity names in the order of their numbers.
  var namesByNumber: [String] { names.sorted { self[$0] < self[$1] } }

  private static func names(_ model: ManagedObjectModel) -> [String] {
    let byName = model.entitiesByName
    var names: [String] = []
    var waiting = sorted(model.entities.filter { $0.superentityName == nil }.map(\.name)).reversed() as [String]
    while let name = waiting.popLast() {
      names.append(name)
      waiting += sorted(byName[name]?.subentityNames ?? []).reversed()
    }
    return names
  }

  private static func sorted(_ names: [String]) -> [String] {
    names.sorted { left, right in
      let (foldedLeft, foldedRight) = (left.lowercased(), right.lowercased())
      return foldedLeft == foldedRight ? left.precedesByBytes(right) : foldedLeft.precedesByBytes(foldedRight)
    }
  }
}
