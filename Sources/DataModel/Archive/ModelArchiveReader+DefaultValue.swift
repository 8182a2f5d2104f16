internal import PropertyList

extension ModelArchiveReader {
  /// The value of new instances.
  ///
  /// The default of a transformable attribute is an object of the app's own and cannot be known here.
  func defaultValue(
    _ object: ArchivedObject, _ type: AttributeType
  ) throws(ModelFileProblem) -> AttributeValue? {
    let key = "NSDefaultValue"
    guard type.hasKnownDefaults, let value = try object.value(key) else { return nil }
    let result: AttributeValue? =
      switch type {
      case .integer16, .integer32, .integer64: try wholeNumber(object, value).map { .integer($0) }
      case .decimal, .double, .float: try number(object, value).map { .double($0) }
      case .boolean: try wholeNumber(object, value).map { .boolean($0 != 0) }
      case .string: try object.archive.text(object.fields[key]).map { .string($0) }
      case .date: try date(object, value).map { .date($0) }
      case .binaryData: try data(object, value).map { .data($0) }
      case .uuid: try uuid(object).map { .uuid($0) }
      case .uri: try uri(object).map { .uri($0) }
      case .undefined, .transformable, .objectID, .composite: nil
      }
    guard let result else { throw object.unexpected(key, "a value of type \(type.xmlName)") }
    return result
  }

  /// A part of the object that is the default value, where the value is no plain one.
  private func part(_ name: String, of object: ArchivedObject) throws(ModelFileProblem) -> PropertyList? {
    try object.archive.object(object.fields["NSDefaultValue"], subject: object.subject)?.value(name)
  }

  /// Numbers may stand as truth values, and whole ones with a fraction, which is cut off.
  private func wholeNumber(_ object: ArchivedObject, _ value: PropertyList) throws(ModelFileProblem) -> Int64? {
    if let integer = value.integer { return integer }
    if let boolean = value.boolean { return boolean ? 1 : 0 }
    return try number(object, value).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
  }

  private func number(_ object: ArchivedObject, _ value: PropertyList) throws(ModelFileProblem) -> Double? {
    if let number = value.real { return number.isNaN ? nil : number }
    if let boolean = value.boolean { return boolean ? 1 : 0 }
    guard let decimal = try object.archive.object(object.fields["NSDefaultValue"], subject: object.subject) else {
      return nil
    }
    return try ArchivedDecimal(decimal)?.value
  }

  private func date(_ object: ArchivedObject, _ value: PropertyList) throws(ModelFileProblem) -> Double? {
    guard let seconds = value.date else { return try part("NS.time", of: object)?.real }
    return seconds
  }

  private func data(_ object: ArchivedObject, _ value: PropertyList) throws(ModelFileProblem) -> [UInt8]? {
    guard let bytes = value.data else { return try part("NS.data", of: object)?.data }
    return bytes
  }

  private func uuid(_ object: ArchivedObject) throws(ModelFileProblem) -> [UInt8]? {
    guard let bytes = try part("NS.uuidbytes", of: object)?.data, bytes.count == 16 else { return nil }
    return bytes
  }

  /// Xcode only knows absolute URLs.
  private func uri(_ object: ArchivedObject) throws(ModelFileProblem) -> String? {
    guard try part("NS.base", of: object) == nil else { return nil }
    return try object.archive.object(object.fields["NSDefaultValue"], subject: object.subject)?.text("NS.relative")
  }
}

extension AttributeType {
  fileprivate var hasKnownDefaults: Bool {
    switch self {
    case .undefined, .transformable, .objectID, .composite: false
    default: true
    }
  }
}
