public import DataModel
internal import Expressions

/// Writes mapping models as Xcode's mapping model editor does: the `xcmapping.xml` of an `.xcmappingmodel`.
///
/// Equal mapping models give the same text. What Xcode would generate itself is left to it, and so are the copies of the
/// two models, which Xcode makes when it opens the file. A property mapping without an expression whose property Xcode
/// would generate one for is left out, as an author deletes it there; the migration is the same.
public struct MappingModelWriter: Sendable {
  /// The model that the mapping models lead from.
  public let source: ManagedObjectModel
  /// The model that they lead to.
  public let destination: ManagedObjectModel
  /// The path of the source model, relative to an Xcode project: `App/Model.xcdatamodeld/Model.xcdatamodel`.
  public let sourceModelPath: String
  /// The path of the destination model, relative to an Xcode project.
  public let destinationModelPath: String

  /// Creates a writer of mapping models between two models.
  public init(
    source: ManagedObjectModel, destination: ManagedObjectModel, sourceModelPath: String, destinationModelPath: String
  ) {
    self.source = source
    self.destination = destination
    self.sourceModelPath = sourceModelPath
    self.destinationModelPath = destinationModelPath
  }

  /// Writes a mapping model.
  ///
  /// - Parameters:
  ///   - mappingModel: A mapping model between the writer's two models.
  ///   - file: How errors name the file.
  /// - Throws: `MappingModelFileError` where the mapping model does not fit the models, or holds what has no place in
  ///   the file.
  public func xml(
    of mappingModel: MappingModel, file: String = "xcmapping.xml"
  ) throws(MappingModelFileError) -> String {
    do throws(MappingModelFileProblem) {
      try check(mappingModel)
      var objects = MappingObjectWriter()
      let model = objects.reserve(1)[0]
      let mappings = objects.reserve(mappingModel.entityMappings.count)
      try objects.add(
        MappingSchema.mappingModel, model,
        attributes: [
          ("sourcemodelpath", .string(sourceModelPath)), ("destinationmodelpath", .string(destinationModelPath)),
        ],
        relationships: [("entitymappings", MappingSchema.entityMapping, mappings, isToMany: true)])
      let generator = ExpressionGenerator(
        mappingModel.entityMappings.map { ($0.name, $0.sourceEntityName, $0.destinationEntityName) },
        destination: destination.entitiesByName)
      let names = Set(mappingModel.entityMappings.map(\.name))
      for (place, mapping) in mappingModel.entityMappings.enumerated() {
        let writer = EntityMappingWriter(
          mapping: mapping, number: place + 1, identifier: mappings[place], model: model,
          source: mapping.sourceEntityName.flatMap { source.entity(named: $0) },
          destination: mapping.destinationEntityName.flatMap { destination.entity(named: $0) },
          generator: generator, mappingNames: names)
        try writer.write(to: &objects)
      }
      return objects.document()
    } catch {
      throw MappingModelFileError(error, file: file)
    }
  }

  private func check(_ mappingModel: MappingModel) throws(MappingModelFileProblem) {
    let limit = Int(Int16.max)
    guard mappingModel.entityMappings.count <= limit else { throw .tooManyEntityMappings(limit: limit) }
    let entries = mappingModel.entityMappings.map { mapping in
      var entry = EntityMappingEntry(
        name: mapping.name, source: mapping.sourceEntityName, destination: mapping.destinationEntityName)
      entry.sourceEntityVersionHash = mapping.sourceEntityVersionHash
      entry.destinationEntityVersionHash = mapping.destinationEntityVersionHash
      return entry
    }
    var resolver = MappingResolver(entries, source: source, destination: destination)
    _ = resolver.entityMappings()
    let blocking = resolver.findings.filter(\.isBlocking)
    guard blocking.isEmpty else { throw .unusable(blocking) }
  }
}
