internal import DataModel
internal import PropertyList

/// Reads user info: an archived dictionary.
struct UserInfoArchive {
  private(set) var texts: [String: String] = [:]
  /// What stands for the values that are no texts.
  private(set) var described: [(key: String, value: String)] = []

  /// Reads an archive whose root is the dictionary.
  init(archive bytes: [UInt8]) throws(ModelFileProblem) {
    guard let root = try ModelArchive(bytes).root(subject: "the user info") else {
      throw .notAnArchive("It holds no dictionary.")
    }
    try self.init(root)
  }

  /// Reads an archived dictionary.
  init(_ dictionary: ArchivedObject) throws(ModelFileProblem) {
    guard dictionary.kind(of: ["NSDictionary"]) != nil, let keys = try dictionary.value("NS.keys")?.array,
      let values = try dictionary.value("NS.objects")?.array, keys.count == values.count
    else { throw dictionary.unexpected("NS.keys", "a dictionary") }
    let archive = dictionary.archive
    for (key, reference) in zip(keys, values) {
      guard let name = try archive.text(key) else { throw dictionary.unexpected("NS.keys", "a text for each key") }
      if let text = try archive.text(reference) {
        texts[name] = text
      } else {
        let description = try Self.description(archive.value(reference), archive, reference)
        texts[name] = description
        described.append((name, description))
      }
    }
  }

  private static func description(
    _ value: PropertyList?, _ archive: ModelArchive, _ reference: PropertyList
  ) throws(ModelFileProblem) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .boolean(let value): value ? "YES" : "NO"
    case nil: ""
    default: "<\(try archive.object(reference, subject: "the user info")?.className ?? "data")>"
    }
  }
}
