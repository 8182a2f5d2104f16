internal import DataModel

/// The stored attributes or relationships of a source entity, by what a destination property may look for.
struct SourceProperties<Property: PropertyDescription> {
  private var byName: [String: Property] = [:]
  private var byIdentifier: [String: Property] = [:]

  init(_ properties: [Property]) {
    for property in properties where !property.isTransient {
      byName[property.name] = property
      byIdentifier[property.renamingIdentifier] = property
    }
  }

  /// The property of this name.
  func property(named name: String) -> Property? { byName[name] }

  /// The property of the same name, or else the one that a renaming identifier leads to.
  func property(for destination: some PropertyDescription) -> Property? {
    byName[destination.name] ?? byIdentifier[destination.renamingIdentifier] ?? byName[destination.renamingIdentifier]
  }
}
