internal import DataModel

/// The values of a row, on their way to the instance.
struct StoredValues: Sendable {
  /// The values of the attributes in the order of the layout.
  var attributes: [AttributeValue?] = []
  /// The attributes whose data lies in a file that was not read yet.
  var externalFileNames: [Int: String] = [:]

  /// The bytes that the values take up, as far as they matter.
  var byteCount: Int { attributes.reduce(0) { $0 + ($1?.byteCount ?? 0) } }
}

extension ManagedObject {
  /// Has the values of its row from now on.
  func take(_ values: StoredValues) {
    attributeValues = values.attributes
    for (index, name) in values.externalFileNames { externalFileNames[index] = name }
  }
}
