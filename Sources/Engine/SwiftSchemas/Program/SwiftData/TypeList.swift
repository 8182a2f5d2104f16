/// The model classes of an app, which a list names.
struct TypeList {
  /// A name that is not that of one class.
  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  private let models: [any PersistentModel.Type]

  init(_ models: [any PersistentModel.Type]) { self.models = models }

  /// The classes with some names, each with or without the types that it is declared in.
  func models(_ names: [String]) throws -> [any PersistentModel.Type] {
    var found: [any PersistentModel.Type] = []
    for model in try names.map(model) where !found.contains(where: { $0 == model }) { found.append(model) }
    return found
  }

  private func model(_ name: String) throws -> any PersistentModel.Type {
    // A class in no other type goes before those that are within one.
    if let model = models.first(where: { ModelBuilder.qualifiedName($0) == name }) { return model }
    let found = models.filter { ".\(ModelBuilder.qualifiedName($0))".hasSuffix(".\(name)") }
    if let model = found.first, found.count == 1 { return model }
    guard !found.isEmpty else {
      throw Mistake(
        description: "'\(name)' is not one of the source's @Model classes, which are \(Self.list(models)).")
    }
    throw Mistake(description: "'\(name)' is not the name of one class, but of \(Self.list(found)).")
  }

  private static func list(_ models: [any PersistentModel.Type]) -> String {
    let names = models.map { "'\(ModelBuilder.qualifiedName($0))'" }.sorted()
    let (shown, last) = (names.prefix(20), names.count > 20 ? "\(names.count - 20) others" : nil)
    return (shown + (last.map { [$0] } ?? [])).joined(separator: ", ")
  }
}
