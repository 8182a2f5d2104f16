internal import DataModel

/// A mapping model as a file holds it: an `.xcmappingmodel` of Xcode, or the `.cdm` that is compiled from it for an app.
///
/// It is read without the models that it leads from and to; `resolve` joins it with them. What the file holds besides,
/// and what is odd about it, is in `findings`.
public struct MappingModelFile: Sendable, Hashable {
  /// The path, as it was named.
  public let path: String
  /// Whether the file is compiled.
  public let isCompiled: Bool
  /// The path of the source model, relative to an Xcode project; compiled files have none.
  public let sourceModelPath: String?
  /// The path of the destination model, relative to an Xcode project; compiled files have none.
  public let destinationModelPath: String?
  /// The entity mappings that the mapping model lists, in the order of their numbers.
  ///
  /// What Xcode's editor left behind when entity mappings were deleted is not among them.
  public let entityMappings: [EntityMappingEntry]
  /// What is odd about the file.
  public let findings: [MappingModelFinding]

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
      throw MappingModelFileError(MappingModelFileProblem(error.problem), file: file)
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
