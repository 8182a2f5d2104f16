import PropertyListFormat

/// Describes single objects for the comparison.
extension ArchiveComparison {
  /// Entities and properties have a name of their own, however they were reached.
  static func name(_ archive: KeyedArchive, _ fields: PropertyListDictionary) -> String? {
    if let entity = archive.object(fields["NSEntityName"])?.string { return entity }
    guard let entity = archive.object(archive.object(fields["NSEntity"])?["NSEntityName"])?.string,
      let property = archive.object(fields["NSPropertyName"])?.string
    else { return nil }
    return "\(entity).\(property)"
  }

  static func isCollection(_ archive: KeyedArchive, _ fields: PropertyListDictionary) -> Bool {
    !classNames(archive, fields).contains { $0.hasSuffix("Description") }
  }

  static func classNames(_ archive: KeyedArchive, _ fields: PropertyListDictionary) -> [String] {
    archive.object(fields["$class"])?["$classes"]?.array?.compactMap(\.string) ?? []
  }

  static func dictionary(_ archive: KeyedArchive, _ fields: PropertyListDictionary) -> [String: PropertyList] {
    let keys = (fields["NS.keys"]?.array ?? []).map { archive.object($0)?.string ?? "?" }
    return Dictionary(uniqueKeysWithValues: zip(keys, fields["NS.objects"]?.array ?? []))
  }

  /// The elements, keyed by what distinguishes them.
  static func set(_ archive: KeyedArchive, _ fields: PropertyListDictionary) -> [String: PropertyList] {
    let elements = fields["NS.objects"]?.array ?? []
    let names = elements.map { element in
      let object = archive.object(element)
      return object?.string ?? archive.object(object?["NSEntityName"])?.string ?? "?"
    }
    return Dictionary(uniqueKeysWithValues: zip(names, elements))
  }

  static func text(_ object: PropertyList?, _ reference: PropertyList?) -> String {
    switch object {
    case nil: reference == nil ? "absent" : "nil"
    case .string(let text)?: "'\(text)'"
    case .integer(let number)?: "\(number)"
    case .real(let number)?: "real \(number)"
    case .boolean(let value)?: "\(value)"
    case .dictionary?: "an object"
    case let other?: "\(other)"
    }
  }
}
