package import CoreDataExpressions
package import DataModel

/// The content of a mapping model file: Xcode's `.xcmappingmodel`, or the `.cdm` compiled from it.
///
/// It is read without its two models; ``mappingModel(source:destination:)`` combines it with them.
///
///     let file = try MappingModelFile(path: "V1toV2.xcmappingmodel")
///     let mappingModel = try file.mappingModel(source: v1, destination: v2)
public struct MappingModelFile: Sendable, Hashable {
  /// The path, as the caller named it.
  public let path: String
  /// Whether the file is compiled.
  package let isCompiled: Bool
  /// The path of the source model, relative to an Xcode project; compiled files have none.
  package let sourceModelPath: String?
  /// The path of the destination model, relative to an Xcode project; compiled files have none.
  package let destinationModelPath: String?
  /// The entity mappings that the mapping model lists, in the order of their numbers.
  ///
  /// Remains of deleted entity mappings, which Xcode's editor leaves in the file, are not included.
  package let entityMappings: [EntityMappingEntry]
  /// The oddities of the file.
  package let findings: [MappingModelFinding]

  /// Reads a mapping model.
  ///
  /// - Parameter path: An `.xcmappingmodel`, the file `xcmapping.xml` in it, or a `.cdm`.
  /// - Throws: `MappingModelFileError` if there is no readable mapping model.
  public init(path: String) throws(MappingModelFileError) {
    let file = try MappingFileLocation.file(path)
    let bytes: [UInt8]
    do {
      bytes = try ModelFiles.read(file, limit: ModelFiles.archiveSizeLimit)
    } catch {
      throw MappingModelFileError(.file(error.problem), file: file, line: error.line)
    }
    if bytes.starts(with: Array("bplist".utf8)) || file.hasSuffix(".cdm") {
      try self.init(archive: bytes, file: path)
    } else {
      try self.init(xml: bytes, file: path)
    }
  }

  /// Reads a mapping model from the XML of Xcode's mapping model editor.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file `xcmapping.xml` of an `.xcmappingmodel`.
  ///   - file: The name of the file in errors.
  package init(xml bytes: [UInt8], file: String = "xcmapping.xml") throws(MappingModelFileError) {
    var reader = MappingXMLReader(try MappingObjectParser.parse(bytes, file: file), file: file)
    let model = try reader.mappingModel()
    path = file
    isCompiled = false
    sourceModelPath = model.sourcePath
    destinationModelPath = model.destinationPath
    entityMappings = model.entityMappings
    findings = reader.findings
  }

  /// Reads a compiled mapping model: a `.cdm`, which is a keyed archive of an `NSMappingModel`.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - file: The name of the file in errors.
  package init(archive bytes: [UInt8], file: String = "compiled mapping model") throws(MappingModelFileError) {
    var reader = CompiledMappingReader()
    do {
      entityMappings = try reader.entityMappings(bytes)
    } catch {
      throw MappingModelFileError(error, file: file)
    }
    path = file
    isCompiled = true
    sourceModelPath = nil
    destinationModelPath = nil
    findings = reader.findings
  }
}

/// One entity mapping in a file.
package struct EntityMappingEntry: Sendable, Hashable {
  /// The name; by default, it is composed of the names of the entities.
  package var name: String
  /// The place in the order of the mappings, if the file has one.
  package var number: Int?
  /// The kind of the mapping, if the file gives it; otherwise it follows from the entities.
  package var mappingType: EntityMapping.MappingType?
  /// The source entity; `nil` if the destination entity is new.
  package var sourceEntityName: String?
  /// The version hash of the source entity, which only compiled files hold.
  package var sourceEntityVersionHash: VersionHash?
  /// The destination entity; `nil` if the source entity is dropped.
  package var destinationEntityName: String?
  /// The version hash of the destination entity, which only compiled files hold.
  package var destinationEntityVersionHash: VersionHash?
  /// The class of the policy, or `nil` for the default one.
  package var entityMigrationPolicyClassName: String?
  /// Selects the source instances to migrate; `nil` selects all.
  package var filterPredicate: Predicate?
  /// Arbitrary information for the policy.
  package var userInfo: [String: String] = [:]
  /// The mappings of attributes, sorted by name.
  package var attributeMappings: [PropertyMappingEntry] = []
  /// The mappings of relationships, sorted by name.
  package var relationshipMappings: [PropertyMappingEntry] = []

  init(name: String?, source: String?, destination: String?) {
    self.name = name ?? Self.defaultName(source: source, destination: destination)
    sourceEntityName = source
    destinationEntityName = destination
  }

  /// Xcode's default name: `NoteToAttachment`, or the name of the only entity.
  static func defaultName(source: String?, destination: String?) -> String {
    [source, destination].compactMap(\.self).joined(separator: "To")
  }

  /// The type that Xcode's compiler gives a mapping whose type is undefined.
  var impliedMappingType: EntityMapping.MappingType {
    Self.impliedMappingType(
      policy: entityMigrationPolicyClassName, source: sourceEntityName, destination: destinationEntityName)
  }

  static func impliedMappingType(policy: String?, source: String?, destination: String?) -> EntityMapping.MappingType {
    if policy != nil { return .custom }
    guard let source else { return .add }
    guard let destination else { return .remove }
    return source == destination ? .copy : .transform
  }
}

/// One mapping of an attribute or a relationship in a file.
package struct PropertyMappingEntry: Sendable, Hashable {
  /// The source of a value.
  package enum Value: Sendable, Hashable {
    /// From the source property of the same name.
    case autogenerated
    /// No source: an attribute has its default, and a relationship is empty.
    case none
    /// From an expression.
    case expression(Expression)
    /// From the instances that an entity mapping created for those at a key path.
    ///
    /// A missing part is inferred.
    case destinationInstances(entityMappingName: String?, keyPath: Expression?)
    /// From an expression that cannot be read; a finding says why.
    case unreadable
  }

  /// The name of the destination property.
  package var name: String
  /// The source of the value.
  package var value: Value

  init(name: String, value: Value) {
    self.name = name
    self.value = value
  }
}

/// Finds the file for a path to a mapping model.
private enum MappingFileLocation {
  static func file(_ path: String) throws(MappingModelFileError) -> String {
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard let isDirectory = ModelFiles.isDirectory(trimmed) else {
      throw MappingModelFileError(.file(.notFound), file: path)
    }
    guard isDirectory else { return trimmed }
    let file = "\(trimmed)/xcmapping.xml"
    guard ModelFiles.exists(file) else {
      throw MappingModelFileError(.notAMappingModel("the folder has no file 'xcmapping.xml'"), file: path)
    }
    return file
  }
}
