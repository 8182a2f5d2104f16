/// Turns records with the same columns into JSON objects.
struct JSONObjectEncoder {
  /// For each column what precedes its value: the bracket or comma, the name and the colon.
  private let prefixes: [[UInt8]]

  init(columns: [String] = []) {
    prefixes = columns.enumerated().map { index, column in
      var prefix = [UInt8(ascii: index == 0 ? "{" : ",")]
      JSONText.append(column, to: &prefix)
      prefix.append(UInt8(ascii: ":"))
      return prefix
    }
  }

  /// Appends one object to UTF-8 text, with the names in the order of the columns.
  func append(_ values: [FieldValue], to text: inout [UInt8]) {
    precondition(values.count == prefixes.count, "a record must have a value for each column")
    if values.isEmpty { text.append(UInt8(ascii: "{")) }
    for (prefix, value) in zip(prefixes, values) {
      text.append(contentsOf: prefix)
      JSONText.append(value, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }
}
