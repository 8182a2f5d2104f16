/// What can be wrong with the file of a model.
///
/// The raw facts; the sentences are in `description`.
public enum ModelFileProblem: Error, Sendable, Hashable {
  // The file as such.
  case notFound
  case unreadable(String)
  case tooLarge(limit: Int)
  case notUTF8
  case malformedXML
  case declaresEntities
  case tooComplex(limit: Int)
  case notAModel(root: String)
  /// A directory of Xcode 3, which kept models in another format.
  case outdatedFormat
  case noContents

  // What the file says.
  case missingAttribute(subject: String, attribute: String)
  case badValue(subject: String, attribute: String, value: String, expected: String)
  case unknownType(subject: String, type: String)
  /// A type whose columns and version hash are not known for certain.
  case unsupportedType(subject: String, type: String)
  case model(ModelError)

  // An archived model: a compiled one, or the one that a store keeps.
  case unpackable
  case unpacksBeyond(limit: Int)
  case notAnArchive(String)
  case notAnArchivedModel(className: String)
  case badArchivedValue(subject: String, key: String, expected: String)
  /// An expression whose text, and with it the version hash, is not known for certain.
  case unsupportedExpression(subject: String, className: String)
  case archiveTooComplex(limit: Int)

  // A bundle of versions.
  case notABundle
  case noVersions
  case currentVersionUnreadable
  case versionInfoUnreadable
  case currentVersionUnset(versions: [String])
  case unknownVersion(String, versions: [String])

  // Writing.
  case unwritableText(String)
  /// A part of a model of which it is not known how Core Data archives it.
  case unarchivable(subject: String, part: String)
}
