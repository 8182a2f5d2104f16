internal import Expressions
internal import PropertyList

extension ModelArchiver {
  /// The fields of an attribute.
  ///
  /// Validation is left out: how Xcode archives the limits that it knows could not be seen.
  mutating func fields(
    _ attribute: AttributeDescription, of entity: EntityDescription
  ) throws(ModelFileProblem) -> PropertyListDictionary {
    let subject = "Attribute '\(entity.name).\(attribute.name)'"
    var fields = fields(attribute, of: entity, also: attribute.isDerived ? .isReadOnly : [])
    let className = try valueClassName(attribute, subject)
    fields["NSAttributeType"] = .integer(Int64(attribute.type.rawValue))
    fields["NSAttributeValueClassName"] = archive.add(optional: className)
    fields["NSDefaultValue"] = try addDefaultValue(attribute, subject)
    fields["NSValueTransformerName"] = archive.add(optional: attribute.valueTransformerName)
    fields["NSFlagsKey"] = .integer(
      (attribute.allowsExternalBinaryDataStorage ? 4 : 0) | (attribute.preservesValueInHistoryOnDeletion ? 16 : 0))
    for (name, key) in Self.editorKeys where attribute.editorAttributes[name].flatMap({ Bool(xcodeText: $0) }) == true {
      fields[key] = .boolean(true)
      // What the packed flags say of these is not known; the fields say everything without them.
      fields["_P"] = nil
    }
    guard let text = attribute.derivationExpression else { return fields }
    fields["NSDerivationExpression"] = try addDerivation(text, subject)
    let predicate = try attribute.derivationFilterPredicate.map { text throws(ModelFileProblem) in
      try addHashedPredicate(text, subject)
    }
    fields["NSFilteringPredicate"] = predicate ?? KeyedArchiveWriter.null
    return fields
  }

  private static let editorKeys = [
    ("spotlightIndexingEnabled", "NSIndexedBySpotlight"), ("allowsCloudEncryption", "NSAllowsCloudEncryption"),
  ]

  private func valueClassName(
    _ attribute: AttributeDescription, _ subject: String
  ) throws(ModelFileProblem) -> String? {
    switch attribute.type {
    case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
    case .decimal: "NSDecimalNumber"
    case .string: "NSString"
    case .date: "NSDate"
    case .binaryData: "NSData"
    case .uuid: "NSUUID"
    case .uri: "NSURL"
    case .transformable: attribute.editorAttributes["customClassName"]
    case .undefined: nil
    case .objectID, .composite: throw .unarchivable(subject: subject, part: "the type \(attribute.type.xmlName)")
    }
  }

  /// The text of a derivation is all that its version hash is made of, so it must be the expression's own.
  private mutating func addDerivation(_ text: String, _ subject: String) throws(ModelFileProblem) -> PropertyList {
    guard let expression = try? Expression(format: text), expression.description == text else {
      throw .unarchivable(subject: subject, part: "the expression '\(text)'")
    }
    return try add(expression, subject)
  }

  private mutating func addHashedPredicate(_ text: String, _ subject: String) throws(ModelFileProblem) -> PropertyList {
    guard let predicate = try? Predicate(format: text), predicate.description == text else {
      throw .unarchivable(subject: subject, part: "the predicate '\(text)'")
    }
    return try add(predicate, subject)
  }
}
