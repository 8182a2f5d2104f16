internal import DataModel
internal import Diagnostics
internal import Migration
internal import PersistentStore
internal import Policies

/// What a library becomes, and how.
struct LibraryMigrationPlan {
  /// The model that the library was written with.
  let source: TrackLibraryModel
  /// The model that it will have.
  let destination: ManagedObjectModel
  /// How the instances of the one become those of the other.
  let mappingModel: MappingModel
  /// What of the old model the new one cannot have, for people.
  let remarks: [String]

  /// Plans the migration of a library of the first version.
  ///
  /// - Throws: `MigrationError` with `inferenceFailed` when the library's own model leaves no room for artists.
  init(for library: TrackLibraryModel, path: String) throws(MigrationError) {
    source = library
    guard library.isVariant else {
      (destination, mappingModel, remarks) = (TrackModel.v2, TrackMapping.v1ToV2, [])
      return
    }
    var derivation = TrackModelDerivation(library.model)
    do {
      destination = try derivation.derivedModel()
      mappingModel = try Self.mappingModel(from: library.model, to: destination)
    } catch {
      throw Self.refusal("\(error)", path)
    }
    remarks = derivation.remarks + Self.cacheRemarks(destination)
  }

  /// Makes sure that the whole work can be done by statements: the policy adds to what they have moved.
  func check(_ schema: StoreSchema, path: String) throws(MigrationError) {
    let batches = mappingModel.entityMappings.filter { $0.entityMigrationPolicyClassName != nil }.map(\.name)
    do throws(BulkRefusal) {
      _ = try BulkPlan(
        mappingModel, source: schema, destination: StoreSchema(destination), batchMappings: Set(batches))
    } catch {
      throw Self.refusal(error.reasons.map(\.description).joined(separator: "; "), path)
    }
  }

  /// Everything is carried over as it is, except that each kind of track gets its artists from its JSON.
  private static func mappingModel(
    from source: ManagedObjectModel, to destination: ManagedObjectModel
  ) throws -> MappingModel {
    var mappingModel = try MappingModel.inferred(from: source, to: destination)
    let lineages = destination.lineages
    for index in mappingModel.entityMappings.indices {
      let mapping = mappingModel.entityMappings[index]
      guard let name = mapping.destinationEntityName, mapping.sourceEntityName != nil,
        lineages[name]?.contains("Track") == true
      else { continue }
      mappingModel.entityMappings[index].mappingType = .custom
      mappingModel.entityMappings[index].entityMigrationPolicyClassName = TrackToTrackMigrationPolicy.className
    }
    return mappingModel
  }

  /// Without its own model in it, nobody but its app can tell later what the library is.
  private static func cacheRemarks(_ model: ManagedObjectModel) -> [String] {
    do throws(ModelFileProblem) {
      _ = try model.modelCache()
      return []
    } catch {
      return ["the new library keeps no copy of its model, so that only its app can read it: \(error.problem)"]
    }
  }

  private static func refusal(_ detail: String, _ path: String) -> MigrationError {
    var error = MigrationError(.inferenceFailed, path: path, detail: detail)
    error.advice =
      "No data was changed. Give both versions of its model with --model, and a mapping model for them with --mapping."
    return error
  }
}
