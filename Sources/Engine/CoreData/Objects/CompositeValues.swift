import DataModel
import Foundation

// The value of a composite attribute is a dictionary of its elements; nil if no element has a value. The elements have
// columns, so that they are attributes of the engine, under their key paths.

extension NSEntityDescription {
  /// Whether there is a composite attribute with this name, or a composite within one at this key path.
  func isComposite(_ keyPath: String) -> Bool { !content.elements(ofComposite: keyPath).isEmpty }
}

extension NSManagedObject {
  /// The value of a composite attribute.
  ///
  /// - Parameter value: The value of an element, by its key path.
  func composite(_ keyPath: String, value: ((String) -> Any?)? = nil) -> Any? {
    var values: [String: Any] = [:]
    for (path, attribute) in entity.content.elements(ofComposite: keyPath) {
      let name = String(path.prefix { $0 != "." })
      guard values[name] == nil else { continue }
      let isElement = path.utf8.count == name.utf8.count
      let read = value ?? { self.value(forKey: $0) }
      values[name] = isElement ? read(attribute.name) : composite("\(keyPath).\(name)", value: value)
    }
    return values.isEmpty ? nil : values
  }

  /// Sets the elements of a composite attribute; those that a dictionary does not have become nil.
  func setComposite(_ value: Any?, _ keyPath: String) {
    let values = value as? [String: Any]
    guard values != nil || value == nil else {
      return record("a dictionary is wanted, but there is \(Unwrapping.kindName(value ?? NSNull()))", property: keyPath)
    }
    for (path, attribute) in entity.content.elements(ofComposite: keyPath) {
      let names = path.split(separator: ".").map(String.init)
      let element = names.reduce(values as Any?) { ($0 as? [String: Any])?[$1] }
      setValue(element, forKey: attribute.name)
    }
  }
}
