internal import PropertyList

extension ModelArchiver {
  /// The value of new instances.
  mutating func addDefaultValue(
    _ attribute: AttributeDescription, _ subject: String
  ) throws(ModelFileProblem) -> PropertyList {
    guard let value = attribute.defaultValue else { return KeyedArchiveWriter.null }
    switch (attribute.type, value) {
    case (.integer16, .integer(let number)), (.integer32, .integer(let number)), (.integer64, .integer(let number)),
      (.double, .integer(let number)), (.float, .integer(let number)):
      return archive.add(.integer(number))
    case (.double, .double(let number)) where !number.isNaN, (.float, .double(let number)) where !number.isNaN:
      return archive.add(.real(number))
    case (.decimal, .double(let number)):
      guard let decimal = DecimalParts(number) else { break }
      return archive.add(.decimal, decimal.fields)
    case (.boolean, .boolean(let value)): return archive.add(.boolean(value))
    case (.string, .string(let text)): return archive.add(text)
    case (.date, .date(let seconds)): return archive.add(.date, ["NS.time": .real(seconds)])
    case (.binaryData, .data(let bytes)): return archive.add(.data(bytes))
    case (.uuid, .uuid(let bytes)) where bytes.count == 16:
      return archive.add(.uuid, ["NS.uuidbytes": .data(bytes)])
    case (.uri, .uri(let text)):
      return archive.add(.url, ["NS.base": KeyedArchiveWriter.null, "NS.relative": archive.add(text)])
    default: break
    }
    throw .unarchivable(subject: subject, part: "a default value that is none of its type")
  }
}
