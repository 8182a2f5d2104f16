internal import CoreDataExpressions
package import DataModel

// A composite attribute is mapped as a whole in a file; its elements have the columns. The mapping of a composite therefore
// stands for one mapping of each element, with that element of the value.

extension PropertyMappingEntry {
  /// The mapping, or those of the elements if it is about a composite attribute.
  func withElements(of destination: EntityDescription, from source: EntityDescription?) -> [PropertyMappingEntry] {
    destination.elementsOrSelf(name).map { element in
      guard case .expression(let expression) = value else {
        return PropertyMappingEntry(name: element.name, value: value)
      }
      return PropertyMappingEntry(
        name: element.name, value: .expression(expression.element(at: element.path, from: source)))
    }
  }
}

extension MappingModel {
  /// The mapping model with mappings of elements in place of those of composite attributes.
  package func withElements(from source: ManagedObjectModel, to destination: ManagedObjectModel) -> MappingModel {
    guard (source.entities + destination.entities).contains(where: { !$0.composites.isEmpty }) else { return self }
    var result = self
    for index in entityMappings.indices {
      guard let entity = entityMappings[index].destinationEntityName.flatMap(destination.entity(named:)) else {
        continue
      }
      let from = entityMappings[index].sourceEntityName.flatMap(source.entity(named:))
      result.entityMappings[index].attributeMappings = entityMappings[index].attributeMappings.flatMap { mapping in
        entity.elementsOrSelf(mapping.name).map { element in
          PropertyMapping(
            name: element.name, valueExpression: mapping.valueExpression?.element(at: element.path, from: from))
        }
      }
    }
    return result
  }
}

extension [PropertyMapping] {
  /// The mappings with one of a composite attribute in place of those of its elements, where these are the elements of one
  /// value, as Xcode's editor has it.
  ///
  /// - Parameter entity: The destination; without it, all elements are taken to be there.
  func joiningElements(of entity: EntityDescription? = nil) -> [PropertyMapping] {
    let elements = filter { $0.name.contains(".") }
    var joined: [String: PropertyMapping] = [:]
    for (composite, mappings) in Dictionary(grouping: elements, by: { String($0.name.prefix { $0 != "." }) }) {
      let origins = Set(mappings.map { $0.origin(ofElementOf: composite) })
      guard origins.count == 1, let origin = origins.first?.flatMap(\.self),
        entity.map({ $0.elements(ofComposite: composite).count == mappings.count }) != false
      else { continue }
      joined[composite] = PropertyMapping(name: composite, valueExpression: .source(origin))
    }
    var seen: Set<String> = []
    return compactMap { mapping in
      let composite = String(mapping.name.prefix { $0 != "." })
      guard mapping.name.contains("."), let whole = joined[composite] else { return mapping }
      return seen.insert(composite).inserted ? whole : nil
    }
  }
}

extension PropertyMapping {
  /// The composite of the source that an element is copied from: `place` for `$source.place.x`, mapped to `pos.x`.
  fileprivate func origin(ofElementOf composite: String) -> String? {
    let path = name.dropFirst(composite.count)
    guard let key = valueExpression?.copiedSourceKey, key.hasSuffix(path), key.count > path.count else { return nil }
    return String(key.dropLast(path.count))
  }
}

extension EntityDescription {
  /// The elements of a composite attribute with their paths within it, or the attribute itself.
  fileprivate func elementsOrSelf(_ name: String) -> [(name: String, path: Substring)] {
    let elements = elements(ofComposite: name)
    return elements.isEmpty ? [(name, Substring())] : elements.map { ($0.attribute.name, $0.path) }
  }
}

extension Expression {
  /// The part of a composite value at a key path, as an expression on the source entity; without a path, the value.
  ///
  /// An element that the source's composite does not have is nil, as is a part of nil.
  fileprivate func element(at path: Substring, from source: EntityDescription?) -> Expression {
    guard !path.isEmpty else { return source.map { joiningKeys(of: $0) } ?? self }
    if case .constant = self { return self }
    let keys = path.split(separator: ".").map { KeyPathComponent.key(String($0)) }
    guard case .keyPath(let operand, let start) = self else { return .keyPath(self, keys) }
    let element = Expression.keyPath(operand, start + keys)
    guard let source, operand == .source, let whole = start.keyPathText,
      !source.elements(ofComposite: whole).isEmpty
    else { return element }
    return source.attribute(named: "\(whole).\(path)") == nil ? .null : element.joiningKeys(of: source)
  }

  /// The same expression with an element of a composite attribute of `$source` as one key, as the entity lists it.
  ///
  /// What follows the element stays: `$source.pos.x.stringValue` asks the value of `pos.x`.
  private func joiningKeys(of source: EntityDescription) -> Expression {
    guard case .keyPath(.variable("source"), let path) = self, path.count > 1 else { return self }
    for count in 2...path.count {
      guard let name = Array(path.prefix(count)).keyPathText, source.attribute(named: name)?.compositeName != nil else {
        continue
      }
      return .keyPath(.source, [.key(name)] + path.dropFirst(count))
    }
    return self
  }
}
