internal import DataModel
package import MappingModels
package import MigrationDiagnostics
internal import PersistentStore

extension MappingDraft {
  /// The draft of the mapping model between two models.
  package init(from source: NamedModel, to destination: NamedModel) {
    self.init(from: source.model, to: destination.model)
  }

  /// The draft as the `xcmapping.xml` of an `.xcmappingmodel`, which Xcode and `mapc` read.
  ///
  /// - Throws: `MigrationError` where a text of the models cannot be written in XML.
  package func xml(from source: NamedModel, to destination: NamedModel) throws(MigrationError) -> String {
    let writer = MappingModelWriter(
      source: source.model, destination: destination.model, sourceModelPath: source.xcodePath,
      destinationModelPath: destination.xcodePath)
    do {
      return try writer.xml(of: mappingModel)
    } catch {
      throw error.migrationError
    }
  }

  /// Writes the draft to a new `.xcmappingmodel`.
  ///
  /// - Parameter sources: What the models are from, which limits the permissions of what is written.
  /// - Throws: `MigrationError`, `outputExists` where there is something at that path; nothing is overwritten.
  package func write(
    toNewFolder path: String, from source: NamedModel, to destination: NamedModel, sources: [String]
  ) throws(MigrationError) {
    try FileSystem.write(
      try xml(from: source, to: destination), named: "xcmapping.xml", inNewFolder: path, from: sources)
  }
}

extension NamedModel {
  /// The path of the model's `.xcdatamodel`, as a mapping model names it: `Model.xcdatamodeld/Model 2.xcdatamodel`.
  ///
  /// That of a compiled model is where its source usually is; a store has none, and the path is for the author to mend.
  fileprivate var xcodePath: String {
    if name.hasSuffix(".xcdatamodel/contents") { return String(name.dropLast("/contents".count)) }
    guard let versionName else { return "\(name).xcdatamodel" }
    let suffix = ":\(versionName)"
    guard name.hasSuffix(suffix) else {
      return name.hasSuffix(".mom") ? "\(name.dropLast(4)).xcdatamodel" : name
    }
    let bundle = String(name.dropLast(suffix.count))
    let source = bundle.hasSuffix(".momd") ? "\(bundle.dropLast(5)).xcdatamodeld" : bundle
    return "\(source)/\(versionName).xcdatamodel"
  }
}
