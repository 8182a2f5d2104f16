extension MappingModelFinding: CustomStringConvertible {
  /// Where, and what is odd there: "NoteToNote, title: …".
  public var description: String {
    let place = [entityMappingName, propertyName].compactMap(\.self).joined(separator: ", ")
    return place.isEmpty ? sentence : "\(place): \(sentence)"
  }

  /// What is odd, without the place.
  public var sentence: String {
    switch kind {
    case .orphanEntityMapping: "the file holds this entity mapping, but the mapping model does not list it"
    case .orphanPropertyMapping: "the file holds this property mapping, but no entity mapping lists it"
    case .orphanNumberClash(let number): "an entity mapping that is not listed has the number \(number) too"
    case .numberClash(let number, let others):
      "the number \(number) is also that of \(others.map(Self.quoted).joined(separator: ", ")); "
        + "the order in the file decides"
    case .missingNumber: "there is no number, so it comes last"
    case .unknownObject(let type): "an object of the type '\(type)' is not understood"
    case .unknownAttribute(let name): "'\(name)' is not understood"
    case .unexpectedType(let attribute, let type, let expected):
      "'\(attribute)' is said to be of type '\(type)' instead of '\(expected)'"
    case .unknownMappingType(let type): "the mapping type '\(type)' is not known"
    case .duplicateProperty: "there are several mappings for this property; the last one counts"
    case .userInfoDescribed(let key, let value): "the user info '\(key)' is no text; it is taken as '\(value)'"
    default: laterSentence
    }
  }

  private var laterSentence: String {
    switch kind {
    case .unmentionedProperty:
      "no mapping is for this property, so it has its default or is empty"
    case .unknownProperty(let nearest):
      "the destination has no such property, so the mapping is left out\(Self.suggestion(nearest))"
    case .renamedProperty(let source):
      "the value comes from '\(source)', which has the same renaming identifier; Core Data may leave it empty instead"
    case .noDestinationInstances(let entity): "no entity mapping makes instances of '\(entity)', so it is empty"
    case .duplicateEntityMapping: "several entity mappings have this name, so that nothing can tell them apart"
    case .noEntities: "the entity mapping has neither a source nor a destination"
    case .unreadableExpression(let reason): "the expression cannot be read: \(reason)"
    case .unreadableFilterPredicate(let reason): "the filter predicate cannot be read: \(reason)"
    case .unreadableUserInfo(let reason): "the user info cannot be read: \(reason)"
    case .missingEntity(let name, let side, let nearest):
      "the \(side.rawValue) model has no entity '\(name)'\(Self.suggestion(nearest))"
    case .versionHashMismatch(let entity, let side, let file, let model):
      "the mapping model was made for another version of the \(side.rawValue) entity '\(entity)': "
        + "\(file) instead of \(model)"
    case .unknownEntityMapping(let name, let nearest):
      "there is no entity mapping '\(name)'\(Self.suggestion(nearest))"
    case .unclearEntityMapping: "there is a key path, but no entity mapping that its instances are mapped by"
    default: ""
    }
  }

  private static func quoted(_ name: String) -> String { "'\(name)'" }

  private static func suggestion(_ nearest: String?) -> String {
    nearest.map { "; the nearest is '\($0)'" } ?? ""
  }
}
