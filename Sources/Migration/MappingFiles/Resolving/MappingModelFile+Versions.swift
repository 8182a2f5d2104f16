public import DataModel

/// Two versions of a model that a mapping model leads between.
public struct ModelVersionPair: Sendable, Hashable {
  /// The name of the version that it leads from.
  public let source: String
  /// The name of the version that it leads to.
  public let destination: String
}

extension MappingModelFile {
  /// The bundle of the source model: `Model.xcdatamodeld`.
  public var sourceModelBundleName: String? { ModelPath(sourceModelPath)?.bundleName }
  /// The name of the source version: `Model 2`.
  public var sourceModelVersionName: String? { ModelPath(sourceModelPath)?.versionName }
  /// The bundle of the destination model: `Model.xcdatamodeld`.
  public var destinationModelBundleName: String? { ModelPath(destinationModelPath)?.bundleName }
  /// The name of the destination version: `Model 3`.
  public var destinationModelVersionName: String? { ModelPath(destinationModelPath)?.versionName }

  /// Finds the versions that the mapping model leads between.
  ///
  /// The file's paths name the versions, which also must have its entities. Where there is no path, as in compiled
  /// files, all versions count whose entities and version hashes fit.
  ///
  /// - Parameter versions: The versions that are known, by their names without `.xcdatamodel` or `.mom`.
  /// - Returns: The pairs, in the order of the versions.
  public func versionPairs(among versions: [(name: String, model: ManagedObjectModel)]) -> [ModelVersionPair] {
    let sources = versions.filter { fits($0.name, $0.model, isSource: true) }
    let destinations = versions.filter { fits($0.name, $0.model, isSource: false) }
    return sources.flatMap { source in
      destinations.filter { $0.name != source.name }
        .map { ModelVersionPair(source: source.name, destination: $0.name) }
    }
  }

  private func fits(_ name: String, _ model: ManagedObjectModel, isSource: Bool) -> Bool {
    if let wanted = isSource ? sourceModelVersionName : destinationModelVersionName, wanted != name { return false }
    let entities = model.entitiesByName
    return entityMappings.allSatisfy { mapping in
      guard let name = isSource ? mapping.sourceEntityName : mapping.destinationEntityName else { return true }
      guard let entity = entities[name] else { return false }
      let hash = isSource ? mapping.sourceEntityVersionHash : mapping.destinationEntityVersionHash
      return hash == nil || hash == entity.versionHash
    }
  }
}

/// The path of a model as Xcode writes it: `App/Model.xcdatamodeld/Model 2.xcdatamodel`.
private struct ModelPath {
  let bundleName: String?
  let versionName: String

  init?(_ path: String?) {
    let parts = path?.split(separator: "/").map(String.init) ?? []
    guard let last = parts.last else { return nil }
    versionName = Self.name(last, without: [".xcdatamodel", ".mom", ".xcdatamodeld", ".momd"])
    let parent = parts.dropLast().last
    bundleName = parent?.hasSuffix(".xcdatamodeld") == true || parent?.hasSuffix(".momd") == true ? parent : nil
  }

  private static func name(_ file: String, without suffixes: [String]) -> String {
    guard let suffix = suffixes.first(where: file.hasSuffix), suffix.count < file.count else { return file }
    return String(file.dropLast(suffix.count))
  }
}
