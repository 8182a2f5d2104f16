internal import DataModel
public import Migration
internal import MigrationDiagnostics
internal import PersistentStore

/// A mapping of the instances of one model to instances of another: an ordered list of entity mappings.
open class NSMappingModel: NSObject {
  /// The entity mappings.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var entityMappings: [NSEntityMapping]!

  /// Creates a mapping model without entity mappings.
  public override init() {
    entityMappings = []
  }

  /// Wraps a mapping model of the engine.
  public init(_ mappingModel: MappingModel) {
    entityMappings = mappingModel.entityMappings.map { NSEntityMapping($0) }
  }

  /// Finds the mapping model for two models among the `.cdm` and `.xcmappingmodel` files of bundles.
  ///
  /// Files that cannot be read, or that refer to something that the models do not have, are skipped.
  ///
  /// - Parameters:
  ///   - bundles: Where to look. (default: the main bundle)
  ///   - sourceModel: The model to migrate from.
  ///   - destinationModel: The model to migrate to.
  /// - Returns: `nil` if there is none.
  public convenience init?(
    from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
    destinationModel: NSManagedObjectModel?
  ) {
    guard let sourceModel, let destinationModel else { return nil }
    let files = (bundles ?? [.main]).flatMap { MappingFiles.paths(in: $0) }
    for file in files {
      guard let model = MappingFiles.model(file, from: sourceModel, to: destinationModel) else { continue }
      self.init(model)
      return
    }
    return nil
  }

  /// Reads a mapping model, such as a `.cdm`.
  ///
  /// - Returns: `nil` if there is no readable mapping model, and for an `.xcmappingmodel` that needs its models to be read.
  public convenience init?(contentsOf url: URL?) {
    guard let url, let file = try? MappingModelFile(path: url.exactPath),
      let model = file.compiledMappingModel
    else { return nil }
    self.init(model)
  }

  /// Infers the mapping model between two models for a lightweight migration.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` with every reason why the mapping model must be written by hand.
  open class func inferredMappingModel(
    forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
  ) throws -> NSMappingModel {
    guard let source = sourceModel.model, let destination = destinationModel.model else {
      throw MigrationError(.inferenceFailed, detail: "a model without entities is given").cocoaError
    }
    do throws(InferenceError) {
      return NSMappingModel(try MappingModel.inferred(from: source, to: destination))
    } catch {
      throw error.migrationError().cocoaError
    }
  }

  /// The entity mappings by name.
  open var entityMappingsByName: [String: NSEntityMapping] {
    Dictionary(mappings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  var mappings: [NSEntityMapping] { entityMappings ?? [] }

  /// The mapping model in the engine's form.
  var value: MappingModel { MappingModel(entityMappings: mappings.map(\.value)) }
}

/// The mapping models of bundles.
private enum MappingFiles {
  static func paths(in bundle: Bundle) -> [String] {
    let folder = bundle.resourcePath ?? bundle.bundlePath
    let names = FileSystem.names(in: folder) ?? []
    return names.filter { $0.hasSuffix(".cdm") || $0.hasSuffix(".xcmappingmodel") }.sorted().map { "\(folder)/\($0)" }
  }

  static func model(
    _ path: String, from source: NSManagedObjectModel, to destination: NSManagedObjectModel
  ) -> MappingModel? {
    guard let old = source.model, let new = destination.model, let file = try? MappingModelFile(path: path) else {
      return nil
    }
    // A model of unknown name may be the version that the file names.
    let versions = [
      (source.versionName ?? file.sourceModelVersionName ?? "source", old),
      (destination.versionName ?? file.destinationModelVersionName ?? "destination", new),
    ]
    let fits = file.versionPairs(among: versions).contains {
      $0.source == versions[0].0 && $0.destination == versions[1].0
    }
    guard fits else { return nil }
    return try? file.mappingModel(source: old, destination: new)
  }
}
