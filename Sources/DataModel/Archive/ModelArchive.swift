package import PropertyList

/// The objects of an archived model, handed out one at a time.
///
/// Objects refer to each other in cycles and may be shared. Nothing here follows references by itself, and whatever is
/// read is counted: an archive can neither trap its reader in a circle nor make a little data look like a lot.
package final class ModelArchive {
  private let archive: KeyedArchive
  private let limit: Int
  private var spent = 0

  package init(_ bytes: [UInt8]) throws(ModelFileProblem) {
    do { archive = try KeyedArchive(contentsOf: bytes) } catch { throw .notAnArchive("\(error)") }
    // Apple's archives share hardly anything but names, so there is less to read than there are bytes.
    limit = 200_000 + 2 * bytes.count
  }

  /// The object that all others hang on.
  package func root(subject: String) throws(ModelFileProblem) -> ArchivedObject? {
    try object(archive.top["root"], subject: subject)
  }

  /// What a reference leads to; nothing for `nil`, and for references that lead nowhere.
  package func value(_ reference: PropertyList?) throws(ModelFileProblem) -> PropertyList? {
    try spend(1)
    let value = archive.object(reference)
    if case .null = value { return nil }
    return value
  }

  /// The object that a reference leads to, unless that is a plain value.
  package func object(_ reference: PropertyList?, subject: String) throws(ModelFileProblem) -> ArchivedObject? {
    guard case .dictionary(let fields) = try value(reference) else { return nil }
    let description = try value(fields["$class"])
    let names = (description?["$classes"]?.array ?? []).compactMap(\.string)
    let name = description?["$classname"]?.string
    return ArchivedObject(
      archive: self, subject: subject, classNames: names.isEmpty ? [name].compactMap(\.self) : names, fields: fields)
  }

  /// The text that a reference leads to: a plain one, or one that could be changed.
  package func text(_ reference: PropertyList?) throws(ModelFileProblem) -> String? {
    let value = try value(reference)
    guard let text = value?.string ?? value?["NS.string"]?.string else { return nil }
    // Texts are shared, and will be copied and hashed.
    try spend(text.utf8.count / 16)
    return text
  }

  /// A name: a text, or a field of the object that it names.
  package func name(
    _ reference: PropertyList?, or key: String, subject: String
  ) throws(ModelFileProblem) -> String? {
    if let object = try object(reference, subject: subject), let name = try object.optional(key) { return name }
    return try text(reference)
  }

  /// Counts what is read.
  package func spend(_ amount: Int) throws(ModelFileProblem) {
    spent += amount
    guard spent <= limit else { throw .archiveTooComplex(limit: limit) }
  }
}
