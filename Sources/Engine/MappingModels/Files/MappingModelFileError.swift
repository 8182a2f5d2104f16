package import DataModel
package import MigrationDiagnostics
internal import TerminalOutput

/// A problem because of which a mapping model file is not usable, with its place.
public struct MappingModelFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file, as the caller named it.
  package var file: String
  /// The line, where there is one.
  package var line: Int?
  /// The problem.
  package var problem: MappingModelFileProblem

  init(_ problem: MappingModelFileProblem, file: String, line: Int? = nil) {
    self.file = file
    self.line = line
    self.problem = problem
  }

  /// The place and the problem.
  public var description: String {
    "\(file):\(line.map { "\($0):" } ?? "") \(problem)"
  }

  /// The error as the migration and the command line report it.
  package var migrationError: MigrationError {
    switch problem {
    case .file(.notFound): return MigrationError(.missing, path: file)
    case .file(.unreadable(let reason, let advice)):
      var error = MigrationError(.unreadable, path: file, detail: reason)
      error.advice = advice.map { "\($0)" }
      return error
    case .file(.gitLFSPointer), .file(.mergeConflict):
      var error = refusal(.unusableMappingModel)
      if case .file(let problem) = problem { error.advice = "No data was changed. \(problem.advice)" }
      return error
    // The file itself is valid, and does not match its models.
    case .unusable: return refusal(.invalidMappingModel)
    case .file, .notAMappingModel, .severalMappingModels, .duplicateObject, .repeatedAttribute, .missingAttribute,
      .badValue, .badReference, .unrepresentable, .unwritableExpression, .unwritableText, .tooManyEntityMappings:
      return refusal(.unusableMappingModel)
    }
  }

  private func refusal(_ code: MigrationError.Code) -> MigrationError {
    MigrationError(code, path: file, detail: (line.map { "line \($0): " } ?? "") + "\(problem)")
  }
}

/// The problems that a mapping model file can have.
///
/// The cases hold facts; the sentences are in `description`.
package enum MappingModelFileProblem: Error, Sendable, Hashable {
  /// The file as such is unusable, or is an archive with other contents than expected.
  case file(ModelFileProblem)

  // What an xcmapping.xml says.
  /// The file is about something else.
  case notAMappingModel(String)
  case severalMappingModels
  case duplicateObject(identifier: String)
  case repeatedAttribute(object: String, attribute: String)
  case missingAttribute(object: String, attribute: String)
  case badValue(object: String, attribute: String, value: String, expected: String)
  /// A reference leads nowhere, or to an object of another kind.
  case badReference(object: String, relationship: String, identifier: String)

  /// A compiled mapping model holds something that entity mappings have no place for.
  case unrepresentable(subject: String, key: String, reason: String)

  /// The mapping model cannot be used with its models, for these reasons.
  case unusable([MappingModelFinding])

  // Writing.
  case unwritableExpression(mapping: String, property: String, reason: String)
  case unwritableText(String)
  case tooManyEntityMappings(limit: Int)
}

extension MappingModelFileProblem: CustomStringConvertible {
  /// The problem, in a few words without a full stop.
  package var description: String {
    switch self {
    case .file(let problem): Self.text(problem)
    case .notAMappingModel(let found): "the file is not a mapping model: \(found)"
    case .severalMappingModels: "the file holds several mapping models"
    case .duplicateObject(let identifier): "two objects have the id '\(identifier)'"
    case .repeatedAttribute(let object, let attribute): "\(object) has '\(attribute)' twice"
    case .missingAttribute(let object, let attribute): "\(object) has no '\(attribute)'"
    case .badValue(let object, let attribute, let value, let expected):
      "\(object) has '\(value)' as '\(attribute)', but \(expected) is expected there"
    case .badReference(let object, let relationship, let identifier):
      "\(object) refers to '\(identifier)' as one of its '\(relationship)', but there is no such object of that kind"
    case .unrepresentable(let subject, let key, let reason):
      "\(subject) has '\(key)', which is not supported: \(reason)"
    case .unusable(let findings): findings.map(\.description).joined(separator: "; ")
    case .unwritableExpression(let mapping, let property, let reason):
      "\(mapping), \(property): the expression cannot be written: \(reason)"
    case .unwritableText(let character):
      "the mapping model holds the control character \(character), which XML cannot hold"
    case .tooManyEntityMappings(let limit): "there are more than \(limit) entity mappings"
    }
  }

  /// Describes a problem that the files of models have too, in a few words that need no full stop.
  static func text(_ problem: ModelFileProblem) -> String {
    switch problem {
    case .notAnArchive(let reason): "this is not a keyed archive: \(reason)"
    case .badArchivedValue(let subject, let key, let expected):
      "\(subject) has no usable value for '\(key)': \(expected) is expected there"
    case .unsupportedExpression(let subject, let className):
      "\(subject) holds a part of class \(className), which is not supported"
    case .archiveTooComplex(let limit):
      "the archive refers to its parts more than \(limit) times, or nests them too deeply"
    case .notFound, .unreadable, .tooLarge, .notUTF8, .malformedXML, .declaresEntities, .mergeConflict,
      .gitLFSPointer, .tooComplex, .notAModel, .outdatedFormat, .noContents, .missingAttribute, .badValue, .unknownType,
      .model, .unpackable, .unpacksBeyond,
      .notAnArchivedModel, .notABundle, .noVersions, .currentVersionUnreadable, .versionInfoUnreadable,
      .currentVersionUnset, .unknownVersion, .swiftSource, .unwritableText, .unarchivable:
      problem.clause
    }
  }
}

/// An anomaly of a mapping model file, or of how it matches its models.
package struct MappingModelFinding: Sendable, Hashable {
  /// One of the two models of a mapping model.
  package enum Side: String, Sendable, Hashable {
    case source
    case destination
  }

  /// The anomaly.
  package enum Kind: Sendable, Hashable {
    // Remains of what was deleted in Xcode's editor.
    /// The mapping model does not list this entity mapping.
    case orphanEntityMapping
    /// No entity mapping lists this property mapping.
    case orphanPropertyMapping
    /// Other unlisted entity mappings have the same number.
    case orphanNumberClash(Int)

    // Anomalies that do not affect the migration, or are resolved in a stable way.
    /// Other entity mappings have the same number; their order in the file decides.
    case numberClash(Int, others: [String])
    /// There is no number; such an entity mapping comes last.
    case missingNumber
    /// The file has an object of an unknown kind.
    case unknownObject(type: String)
    /// An object has an unknown attribute or relationship.
    case unknownAttribute(String)
    /// An attribute does not have the type that Xcode writes.
    case unexpectedType(attribute: String, type: String, expected: String)
    /// The type of the entity mapping is unknown, so it follows from the entities.
    case unknownMappingType(String)
    /// There are two mappings for the same property; the last one is used.
    case duplicateProperty
    /// A value in the user info is not text and is described instead.
    case userInfoDescribed(key: String, value: String)

    // How the mapping model matches its models.
    /// There is no mapping for this property: an attribute has its default, and a relationship is empty.
    case unmentionedProperty
    /// The destination entity has no such property, so its mapping is ignored.
    case unknownProperty(nearest: String?)
    /// The value comes from a source property of another name that has the same renaming identifier.
    case renamedProperty(source: String)
    /// No entity mapping creates instances of the destination, so the relationship is empty.
    case noDestinationInstances(entity: String)

    // Anomalies that must not be ignored.
    /// Several entity mappings have this name.
    case duplicateEntityMapping
    /// The entity mapping names no entity.
    case noEntities
    /// The expression cannot be read.
    case unreadableExpression(String)
    /// The filter predicate cannot be read.
    case unreadableFilterPredicate(String)
    /// The user info cannot be read.
    case unreadableUserInfo(String)
    /// A model has no such entity.
    case missingEntity(String, Side, nearest: String?)
    /// The file was made for another version of an entity.
    case versionHashMismatch(entity: String, Side, file: VersionHash, model: VersionHash)
    /// A relationship mapping refers to an entity mapping that does not exist.
    case unknownEntityMapping(String, nearest: String?)
    /// A relationship mapping has a key path, but its entity mapping cannot be determined.
    case unclearEntityMapping
  }

  /// The name of the entity mapping, if it is about one.
  package var entityMappingName: String?
  /// The name of the destination property, if it is about one.
  package var propertyName: String?
  /// The anomaly.
  package var kind: Kind

  init(_ kind: Kind, mapping: String? = nil, property: String? = nil) {
    entityMappingName = mapping
    propertyName = property
    self.kind = kind
  }

  /// Whether it is about a remain of what was deleted in Xcode's editor.
  package var isLeftover: Bool {
    if case .orphanNumberClash = kind { true } else { [.orphanEntityMapping, .orphanPropertyMapping].contains(kind) }
  }

  /// Whether a migration with the mapping model would lose data or fail halfway, so that it must not begin.
  package var isBlocking: Bool {
    switch kind {
    case .duplicateEntityMapping, .noEntities, .unreadableExpression, .unreadableFilterPredicate, .unreadableUserInfo,
      .missingEntity, .versionHashMismatch, .unknownEntityMapping, .unclearEntityMapping:
      true
    case .orphanEntityMapping, .orphanPropertyMapping, .orphanNumberClash, .numberClash, .missingNumber,
      .unknownObject, .unknownAttribute, .unexpectedType, .unknownMappingType, .duplicateProperty, .userInfoDescribed,
      .unmentionedProperty, .unknownProperty, .renamedProperty, .noDestinationInstances:
      false
    }
  }
}

extension MappingModelFinding: CustomStringConvertible {
  /// The place and the anomaly: "NoteToNote, title: …".
  package var description: String {
    let place = [entityMappingName, propertyName].compactMap(\.self).joined(separator: ", ")
    return place.isEmpty ? sentence : "\(place): \(sentence)"
  }

  /// The anomaly, without the place.
  package var sentence: String {
    switch kind {
    case .orphanEntityMapping: "the file holds this entity mapping, but the mapping model does not list it"
    case .orphanPropertyMapping: "the file holds this property mapping, but no entity mapping lists it"
    case .orphanNumberClash(let number): "an entity mapping that is not listed has the number \(number) too"
    case .numberClash(let number, let others):
      "the number \(number) is also that of \(others.map(Self.quoted).joined(separator: ", ")); "
        + "the order in the file decides"
    case .missingNumber: "there is no number, so it comes last"
    case .unknownObject(let type): "an object of the type '\(type)' is not understood"
    case .unknownAttribute(let name): "'\(name)' is not understood"
    case .unexpectedType(let attribute, let type, let expected):
      "'\(attribute)' is said to be of type '\(type)' instead of '\(expected)'"
    case .unknownMappingType(let type): "the mapping type '\(type)' is not known"
    case .duplicateProperty: "there are several mappings for this property; the last one counts"
    case .userInfoDescribed(let key, let value): "the user info '\(key)' is not text; it is read as '\(value)'"
    case .unmentionedProperty:
      "no mapping is for this property, so it has its default or is empty"
    case .unknownProperty(let nearest):
      "the destination has no such property, so the mapping is left out\(NearestNames.hint(nearest))"
    case .renamedProperty(let source):
      "the value comes from '\(source)', which has the same renaming identifier; Core Data may leave it empty instead"
    case .noDestinationInstances(let entity): "no entity mapping makes instances of '\(entity)', so it is empty"
    case .duplicateEntityMapping: "several entity mappings have this name, so that nothing can tell them apart"
    case .noEntities: "the entity mapping has neither a source nor a destination"
    case .unreadableExpression(let reason): "the expression cannot be read: \(reason)"
    case .unreadableFilterPredicate(let reason): "the filter predicate cannot be read: \(reason)"
    case .unreadableUserInfo(let reason): "the user info cannot be read: \(reason)"
    case .missingEntity(let name, let side, let nearest):
      "the \(side.rawValue) model has no entity '\(name)'\(NearestNames.hint(nearest))"
    case .versionHashMismatch(let entity, let side, let file, let model):
      "the mapping model was made for another version of the \(side.rawValue) entity '\(entity)': "
        + "\(file) instead of \(model)"
    case .unknownEntityMapping(let name, let nearest):
      "there is no entity mapping '\(name)'\(NearestNames.hint(nearest))"
    case .unclearEntityMapping: "there is a key path, but no entity mapping that its instances are mapped by"
    }
  }

  private static func quoted(_ name: String) -> String { "'\(name)'" }
}
