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

  // A bundle of versions.
  case notABundle
  case noVersions
  case currentVersionUnreadable
  case currentVersionUnset(versions: [String])
  case unknownVersion(String, versions: [String])

  // Writing.
  case unwritableText(String)
}
