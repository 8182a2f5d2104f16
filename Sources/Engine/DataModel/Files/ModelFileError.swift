package import SwiftSchemas
package import XMLStream

/// A problem because of which a model file is not usable, with its place.
public struct ModelFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file or bundle, as the caller named it.
  package var file: String
  /// The line, where there is one.
  package var line: Int?
  /// The problem.
  package var problem: ModelFileProblem

  /// Creates an error.
  package init(_ problem: ModelFileProblem, file: String, line: Int? = nil) {
    self.file = file
    self.line = line
    self.problem = problem
  }

  /// The place, what is wrong there, and what to do about it.
  public var description: String {
    "\(file):\(line.map { "\($0):" } ?? "") \(problem)"
  }
}

/// The problems that a model file can have.
///
/// The cases hold facts; the sentences are in `description`.
package enum ModelFileProblem: Error, Sendable, Hashable {
  // The file as such.
  case notFound
  /// The advice is about the path or the kind of the file; `nil` if these are not the reason.
  case unreadable(String, advice: String?)
  case tooLarge(limit: Int)
  case notUTF8
  case malformedXML
  case declaresEntities
  /// It has marks of two changes that met.
  case mergeConflict
  /// It names a file that is kept elsewhere.
  case gitLFSPointer
  case tooComplex(limit: Int)
  case notAModel(root: String)
  /// A directory of Xcode 3, which used another format.
  case outdatedFormat
  case noContents

  // What the file says.
  case missingAttribute(subject: String, attribute: String)
  case badValue(subject: String, attribute: String, value: String, expected: String)
  case unknownType(subject: String, type: String)
  case model(ModelError)

  // An archived model: a compiled one, or a store's copy.
  case unpackable
  case unpacksBeyond(limit: Int)
  case notAnArchive(String)
  case notAnArchivedModel(className: String)
  case badArchivedValue(subject: String, key: String, expected: String)
  /// An expression whose text, and therefore the version hash, is not known.
  case unsupportedExpression(subject: String, className: String)
  case archiveTooComplex(limit: Int)

  // A bundle of versions.
  case notABundle
  case noVersions
  case currentVersionUnreadable
  case versionInfoUnreadable
  case currentVersionUnset(versions: [String])
  case unknownVersion(String, versions: [String])

  /// Swift source that does not give a model.
  case swiftSource(SwiftSchemaError)

  // Writing.
  case unwritableText(String)
  /// A part of a model whose archived form is not known.
  case unarchivable(subject: String, part: String)
}

extension ModelFileProblem: CustomStringConvertible {
  /// The problem and the advice, in two sentences.
  package var description: String { "\(problem) \(advice)" }

  /// The problem as a part of a sentence.
  package var clause: String {
    let text = problem.hasSuffix(".") ? problem.dropLast() : problem[...]
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  /// The problem, in one sentence.
  package var problem: String {
    switch self {
    case .notFound: "There is no such file."
    case .unreadable(let reason, _): "The file cannot be read: \(reason)."
    case .tooLarge(let limit): "The file is larger than \(limit >> 20) MiB."
    case .notUTF8: "The file is not text in UTF-8, UTF-16 or Latin-1."
    case .malformedXML: "The XML is not well-formed."
    case .declaresEntities: "The XML declares entities of its own."
    case .mergeConflict: "The file has the marks of a merge conflict."
    case .gitLFSPointer: "The file is a Git LFS pointer, and not the file itself."
    case .tooComplex(let limit): "The XML has more than \(limit) elements, or nests them too deeply."
    case .notAModel(let root): "The file is not a data model: it begins with <\(root)> instead of <model>."
    case .outdatedFormat: "The model is in the format of Xcode 3."
    case .noContents: "The model has no file 'contents'."
    case .missingAttribute(let subject, let attribute): "\(subject) has no '\(attribute)'."
    case .badValue(let subject, let attribute, let value, let expected):
      "\(subject) says \(attribute)=\"\(value)\", but \(expected) is expected there."
    case .unknownType(let subject, let type): "\(subject) has the unknown type '\(type)'."
    case .model(let error): error.problem
    case .unpackable: "The packed model is damaged."
    case .unpacksBeyond(let limit): "The packed model unpacks to more than \(limit) bytes."
    case .notAnArchive(let reason): "The file is not a compiled data model. \(reason)"
    case .notAnArchivedModel(let className):
      "The file is not a data model: it holds an object of class \(className) instead of NSManagedObjectModel."
    case .badArchivedValue(let subject, let key, let expected):
      "\(subject) has no usable value for '\(key)': \(expected) is expected there."
    case .unsupportedExpression(let subject, let className):
      "\(subject) is computed by an expression of class \(className), which is not supported."
    case .archiveTooComplex(let limit):
      "The model refers to its parts more than \(limit) times, or nests them too deeply."
    case .notABundle: "This is neither an .xcdatamodeld, .xcdatamodel, .momd or .mom nor Swift source."
    case .noVersions: "The bundle holds no model version."
    case .currentVersionUnreadable: "The bundle's .xccurrentversion does not name a version."
    case .versionInfoUnreadable: "The bundle's VersionInfo.plist is damaged."
    case .currentVersionUnset(let versions):
      "The bundle does not say which of its versions is current: \(Self.list(versions))."
    case .unknownVersion(let name, let versions):
      "The bundle has no version '\(name)'; it has \(Self.list(versions))."
    case .swiftSource(let error): error.problem
    case .unwritableText(let character): "The model holds the control character \(character), which XML cannot hold."
    case .unarchivable(let subject, let part): "\(subject) has \(part), which cannot be archived."
    }
  }

  /// The advice, in one sentence.
  package var advice: String {
    switch self {
    case .notFound: "Check the path."
    case .unreadable(_, let advice): advice ?? "Check the permissions of the file and of its folders."
    case .notABundle: "Give the path of an .xcdatamodeld, .xcdatamodel, .momd or .mom, or of Swift files with @Model."
    case .tooLarge, .notAModel, .notAnArchivedModel: "Give the path of an .xcdatamodeld, .xcdatamodel, .momd or .mom."
    case .notUTF8, .malformedXML, .currentVersionUnreadable: "Restore the file, or save the model again in Xcode."
    case .unpackable, .unpacksBeyond, .notAnArchive, .badArchivedValue, .archiveTooComplex, .versionInfoUnreadable:
      "Restore the file, or give the path of the model that it was compiled from."
    case .unsupportedExpression: "Give the path of the model that it was compiled from."
    case .declaresEntities: "Remove the declarations; Xcode never writes any."
    case .mergeConflict: "Resolve the conflict in the file, and see that Xcode opens it."
    case .gitLFSPointer: "Get the file itself with: git lfs pull"
    case .tooComplex: "Check that the file really is a data model."
    case .outdatedFormat:
      "Give the .mom or .momd of an app that was built with it, or a store, which has a copy of its model; or open the "
        + "model in a current Xcode once and save it."
    case .noContents, .noVersions: "Restore the missing files."
    case .missingAttribute: "Add it, or save the model again in Xcode."
    case .badValue: "Correct the value in Xcode's model editor."
    case .unknownType: "Choose one of Xcode's types, for example String."
    case .model(let error): error.advice
    case .currentVersionUnset: "Name a version, or choose the current one in Xcode."
    case .unknownVersion: "Name one of these."
    case .swiftSource(let error): error.advice
    case .unwritableText: "Remove it from names, defaults and notes."
    case .unarchivable: "Remove it, or go without the archive; a store is complete without one."
    }
  }

  private static func list(_ names: [String]) -> String {
    names.map { "'\($0)'" }.joined(separator: ", ")
  }
}

extension ModelFileProblem {
  /// The problem of a model file that cannot be read as XML.
  package init(_ error: XMLStreamError) {
    switch error {
    case .tooLarge(let limit): self = .tooLarge(limit: limit)
    case .notUTF8: self = .notUTF8
    case .declaresEntities: self = .declaresEntities
    case .tooComplex(let limit): self = .tooComplex(limit: limit)
    case .malformed: self = .malformedXML
    }
  }
}
