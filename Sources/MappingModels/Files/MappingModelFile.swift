package import CoreDataExpressions
package import DataModel

/// A mapping model as a file holds it: an `.xcmappingmodel` of Xcode, or the `.cdm` that is compiled from it for an app.
///
/// It is read without the models that it leads from and to; `resolve` joins it with them. What the file holds besides,
/// and what is odd about it, is in `findings`.
public struct MappingModelFile: Sendable, Hashable {
  /// The path, as it was named.
  public let path: String
  /// Whether the file is compiled.
  package let isCompiled: Bool
  /// The path of the source model, relative to an Xcode project; compiled files have none.
  package let sourceModelPath: String?
  /// The path of the destination model, relative to an Xcode project; compiled files have none.
  package let destinationModelPath: String?
  /// The entity mappings that the mapping model lists, in the order of their numbers.
  ///
  /// What Xcode's editor left behind when entity mappings were deleted is not among them.
  package let entityMappings: [EntityMappingEntry]
  /// What is odd about the file.
  package let findings: [MappingModelFinding]

  /// Reads a mapping model.
  ///
  /// - Parameter path: An `.xcmappingmodel`, the file `xcmapping.xml` in it, or a `.cdm`.
  /// - Throws: `MappingModelFileError` where there is no mapping model that can be read.
  public init(path: String) throws(MappingModelFileError) {
    let file = try MappingFileLocation.file(path)
    let bytes: [UInt8]
    do {
      bytes = try ModelFiles.read(file, limit: ModelFiles.archiveSizeLimit)
    } catch {
      throw MappingModelFileError(.file(error.problem), file: file)
    }
    if bytes.starts(with: Array("bplist".utf8)) || file.hasSuffix(".cdm") {
      try self.init(archive: bytes, file: path)
    } else {
      try self.init(xml: bytes, file: path)
    }
  }

  /// Reads a mapping model from the XML that Xcode's mapping model editor writes.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file `xcmapping.xml` of an `.xcmappingmodel`.
  ///   - file: How errors name the file.
  public init(xml bytes: [UInt8], file: String = "xcmapping.xml") throws(MappingModelFileError) {
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
  ///   - file: How errors name the file.
  public init(archive bytes: [UInt8], file: String = "compiled mapping model") throws(MappingModelFileError) {
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

/// One entity mapping as a file holds it.
package struct EntityMappingEntry: Sendable, Hashable {
  /// The name, which is made of the names of the entities unless somebody chose one.
  package var name: String
  /// The place in the order of the work, where the file gives one.
  package var number: Int?
  /// What is done with the instances, where the file says so; otherwise it follows from the entities.
  package var mappingType: EntityMapping.MappingType?
  /// The source entity; nothing where the destination is new.
  package var sourceEntityName: String?
  /// The version of the source entity, which only compiled files hold.
  package var sourceEntityVersionHash: VersionHash?
  /// The destination entity; nothing where the source is dropped.
  package var destinationEntityName: String?
  /// The version of the destination entity, which only compiled files hold.
  package var destinationEntityVersionHash: VersionHash?
  /// The class of the policy, or `nil` for the default one.
  package var entityMigrationPolicyClassName: String?
  /// Which instances of the source entity are migrated; without one, all.
  package var filterPredicate: Predicate?
  /// Free notes for the policy.
  package var userInfo: [String: String] = [:]
  /// Where the values of attributes come from, sorted by name.
  package var attributeMappings: [PropertyMappingEntry] = []
  /// Where the destinations of relationships come from, sorted by name.
  package var relationshipMappings: [PropertyMappingEntry] = []

  init(name: String?, source: String?, destination: String?) {
    self.name = name ?? Self.defaultName(source: source, destination: destination)
    sourceEntityName = source
    destinationEntityName = destination
  }

  /// The name that Xcode gives: `NoteToAttachment`, or that of the only entity.
  static func defaultName(source: String?, destination: String?) -> String {
    [source, destination].compactMap(\.self).joined(separator: "To")
  }

  /// What Xcode's compiler makes of a mapping whose type is undefined.
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

/// One mapping of an attribute or a relationship as a file holds it.
package struct PropertyMappingEntry: Sendable, Hashable {
  /// How a file says where a value comes from.
  package enum Value: Sendable, Hashable {
    /// From the source property of the same name.
    case autogenerated
    /// From nowhere: an attribute has its default, and a relationship is empty.
    case none
    /// From an expression.
    case expression(Expression)
    /// From what the instances that a key path leads to become under an entity mapping.
    ///
    /// Either part may be left to be found out.
    case destinationInstances(entityMappingName: String?, keyPath: Expression?)
    /// From an expression that cannot be read; a finding says why.
    case unreadable
  }

  /// The name of the destination property.
  package var name: String
  /// Where the value comes from.
  package var value: Value

  init(name: String, value: Value) {
    self.name = name
    self.value = value
  }
}

/// Finds the file that a path to a mapping model stands for.
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
