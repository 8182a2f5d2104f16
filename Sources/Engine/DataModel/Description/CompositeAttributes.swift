extension AttributeDescription {
  /// The attributes with columns that this one stands for: itself or, for a composite, its elements.
  ///
  /// An element has the key path that leads to it as its name. It may be missing if its composite may be missing.
  var withColumns: [AttributeDescription] {
    type == .composite ? elements.flatMap { $0.withColumns(in: self, composite: name) } : [self]
  }

  private func withColumns(in outer: AttributeDescription, composite: String) -> [AttributeDescription] {
    var inner = self
    inner.name = "\(outer.name).\(name)"
    inner.renamingIdentifier = "\(outer.renamingIdentifier).\(renamingIdentifier)"
    inner.isOptional = isOptional || outer.isOptional
    inner.isTransient = isTransient || outer.isTransient
    inner.compositeName = composite
    guard type == .composite else { return [inner] }
    return elements.flatMap { $0.withColumns(in: inner, composite: composite) }
  }

  /// An element of a composite as the composite declares it: with its own name only.
  var element: AttributeDescription {
    var element = self
    element.name = elementName
    element.compositeName = nil
    return element
  }

  /// The last part of the key path of an element; of other attributes, the name.
  package var elementName: String {
    guard compositeName != nil, let dot = name.lastIndex(of: ".") else { return name }
    return String(name[name.index(after: dot)...])
  }

  /// The name of the attribute that the entity declares: of an element, that of its composite.
  package var declaredName: String { compositeName ?? name }
}

extension EntityDescription {
  /// The attributes that this entity itself declares, sorted by name: composites, and not their elements.
  package var ownDeclaredAttributes: [AttributeDescription] {
    guard !ownComposites.isEmpty else { return ownAttributes }
    return (ownAttributes.filter { $0.compositeName == nil } + ownComposites)
      .sorted { $0.name.precedesByBytes($1.name) }
  }

  /// The attributes that stand for the elements of a composite attribute, own or inherited, in their order.
  ///
  /// - Parameter keyPath: The name of the composite, or the key path of a composite within it.
  /// - Returns: The attributes with their key paths after that; none if there is no such composite.
  package func elements(ofComposite keyPath: String) -> [(path: Substring, attribute: AttributeDescription)] {
    let prefix = keyPath + "."
    return attributes.compactMap { attribute in
      guard attribute.compositeName != nil, attribute.name.hasPrefix(prefix) else { return nil }
      return (attribute.name.dropFirst(prefix.count), attribute)
    }
  }

  /// The composite attributes that must have a value although each of their elements may be missing, with the elements.
  package var requiredComposites: [(composite: AttributeDescription, elements: [AttributeDescription])] {
    composites.compactMap { composite in
      guard !composite.isOptional, !composite.isTransient else { return nil }
      let elements = elements(ofComposite: composite.name).map(\.attribute)
      return elements.allSatisfy(\.isOptional) && !elements.isEmpty ? (composite, elements) : nil
    }
  }

  /// The properties with columns that a name in a uniqueness constraint or a fetch index stands for: a composite stands
  /// for all its elements, as `@Attribute(.unique)` of an enumeration does.
  package func indexedProperties(named name: String) -> [String] {
    let elements = elements(ofComposite: name)
    return elements.isEmpty ? [name] : elements.map(\.attribute.name)
  }
}

/// The limits of composite attributes, which untrusted models declare.
enum CompositeLimits {
  /// The greatest depth of nested composites.
  static let depth = 16
  /// The maximum number of attributes that the composites of one attribute have together.
  static let elements = 2000
}
