internal import DataModel
internal import Migration

// What has changed since the last save, and whether it is right. In a migration, all values of a destination instance are
// new, and nothing is known of changes to source instances, which last as long as these.

extension NSManagedObject {
  /// The earlier values of changed properties; nil for an instance that was not changed since it was saved.
  var oldValues: [String: ContextChanges.OldValue]? {
    guard let instance else { return nil }
    return instance.managedObjectContext.changes?.updated[instance.objectID]
  }

  /// The values that were set since the last save, with `NSNull` for those that were cleared.
  public func changedValues() -> [String: Any] {
    if isInserted {
      let attributes = entity.attributesByName
      let keys = Array(attributes.keys) + Array(entity.relationships.keys)
      return dictionaryWithValues(forKeys: keys).filter { key, value in
        switch value {
        case is NSNull: attributes[key]?.defaultValue != nil
        case let set as NSSet: set.count > 0
        case let set as NSOrderedSet: set.count > 0
        default: true
        }
      }
    }
    // Of a composite attribute, the engine knows the elements.
    let keys = Set((oldValues ?? [:]).keys.map { entity.attributes[$0]?.attribute.declaredName ?? $0 })
    return dictionaryWithValues(forKeys: Array(keys))
  }

  /// The same as `changedValues()`.
  public func changedValuesForCurrentEvent() -> [String: Any] { changedValues() }

  /// The values as they were saved last, with `NSNull` for nil.
  ///
  /// - Parameter keys: The properties; without them, all.
  public func committedValues(forKeys keys: [String]?) -> [String: Any] {
    let keys = keys ?? Array(entity.attributesByName.keys) + Array(entity.relationships.keys)
    guard !isInserted else { return [:] }
    var values = dictionaryWithValues(forKeys: keys)
    for key in keys {
      switch oldValues?[key] {
      case .attribute(let value): values[key] = value.flatMap { entity.attributes[key]?.boxed($0) } ?? NSNull()
      case .relationship(let ids):
        let handles = ids.compactMap { instance?.managedObjectContext.object(with: $0)?.handle() }
        let relationship = entity.relationships[key]
        values[key] =
          relationship?.isToMany != true
          ? handles.first ?? NSNull()
          : relationship?.isOrdered == true ? NSOrderedSet(array: handles) : NSSet(array: handles)
      case nil where entity.isComposite(key):
        values[key] =
          composite(key) { name in
            guard case .attribute(let value)? = self.oldValues?[name] else { return self.value(forKey: name) }
            return value.flatMap { self.entity.attributes[name]?.boxed($0) }
          } ?? NSNull()
      case nil: break
      }
    }
    return values
  }

  // MARK: - Validation

  /// Checks all properties against the rules of the entity.
  func validateProperties() throws {
    let attributes = entity.attributes.values.filter { !$0.isTransient }.sorted { $0.place < $1.place }
    let relationships = entity.relationships.values.sorted { $0.name < $1.name }
    let errors = attributes.compactMap { failure(of: $0) } + relationships.compactMap { failure(of: $0) }
    guard let first = errors.first else { return }
    guard errors.count > 1 else { throw first }
    throw NSError(
      domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError,
      userInfo: [
        NSDetailedErrorsKey: errors,
        NSLocalizedDescriptionKey: "\(self) breaks \(errors.count) rules of its entity: \(first.localizedDescription)",
      ])
  }

  private func failure(of attribute: NSAttributeDescription) -> NSError? {
    // What a transformer cannot read is a value all the same.
    guard let value = value(forKey: attribute.name) ?? instance?.value(forKey: attribute.name) else {
      return attribute.isOptional ? nil : error(NSValidationMissingMandatoryPropertyError, attribute, "has no value")
    }
    let limits = attribute.attribute.validation
    // The limits of a text are those of its length.
    let size: Double?
    switch value {
    case let text as String: size = Double(text.count)
    case let date as Date: size = date.timeIntervalSinceReferenceDate
    case let number as NSNumber: size = number.doubleValue
    default: size = nil
    }
    guard let size else { return nil }
    let isText = value is String
    if let least = limits.minimum?.magnitude, size < least {
      let code =
        isText
        ? NSValidationStringTooShortError
        : value is Date ? NSValidationDateTooSoonError : NSValidationNumberTooSmallError
      return error(code, attribute, "is less than its minimum")
    }
    if let greatest = limits.maximum?.magnitude, size > greatest {
      let code =
        isText
        ? NSValidationStringTooLongError
        : value is Date ? NSValidationDateTooLateError : NSValidationNumberTooLargeError
      return error(code, attribute, "is more than its maximum")
    }
    return nil
  }

  private func failure(of relationship: NSRelationshipDescription) -> NSError? {
    let count = objectIDs(forRelationshipNamed: relationship.name).count
    if count == 0 {
      return relationship.isOptional
        ? nil : error(NSValidationMissingMandatoryPropertyError, relationship, "has no value")
    }
    if count < relationship.minCount {
      return error(NSValidationRelationshipLacksMinimumCountError, relationship, "has too few destinations")
    }
    if relationship.maxCount > 0, count > relationship.maxCount {
      return error(NSValidationRelationshipExceedsMaximumCountError, relationship, "has too many destinations")
    }
    return nil
  }

  private func error(_ code: Int, _ property: NSPropertyDescription, _ fact: String) -> NSError {
    NSError(
      domain: NSCocoaErrorDomain, code: code,
      userInfo: [
        NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: property.name,
        NSValidationValueErrorKey: value(forKey: property.name) ?? NSNull(),
        NSLocalizedDescriptionKey: "'\(property.name)' of \(self) \(fact)",
      ])
  }
}

extension AttributeValue {
  /// The number that is compared with a limit.
  fileprivate var magnitude: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .double(let double), .date(let double): double
    case .string(let text): Double(text)
    default: nil
    }
  }
}
