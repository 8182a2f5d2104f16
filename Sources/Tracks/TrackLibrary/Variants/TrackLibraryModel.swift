package import DataModel
internal import Migration
package import MigrationDiagnostics
package import PersistentStore
internal import Policies

/// The model that a track library was written with: one of our own, or another that has what a migration needs.
package struct TrackLibraryModel: Sendable, Hashable {
  /// The version that the model is, or is like.
  package let version: TrackModelVersion
  /// The model itself.
  package let model: ManagedObjectModel
  /// Whether the model is the library's own rather than exactly one of ours.
  package let hasCustomModel: Bool

  /// Recognises the model of a store by its version hashes, or else by the model that the store contains.
  ///
  /// - Throws: `MigrationError` with `unknownVersion` or `newerVersion` when neither is that of a track library.
  package init(of store: StoreReader) throws(MigrationError) {
    if let version = TrackModelVersion(versionHashes: store.metadata.versionHashes) {
      self.init(version: version, model: version.model, hasCustomModel: false)
      return
    }
    let model: ManagedObjectModel?
    do {
      model = try store.writtenModel()
    } catch {
      throw Self.unknown(store, error.detail ?? "the model that it keeps cannot be read")
    }
    guard let model else { throw Self.unknown(store, nil) }
    guard let version = TrackModelVersion(like: model) else {
      throw Self.unknown(store, "the model that it keeps is none of a track library")
    }
    self.init(version: version, model: model, hasCustomModel: true)
  }

  private init(version: TrackModelVersion, model: ManagedObjectModel, hasCustomModel: Bool) {
    self.version = version
    self.model = model
    self.hasCustomModel = hasCustomModel
  }

  private static func unknown(_ store: StoreReader, _ problem: String?) -> MigrationError {
    let hashes = store.metadata.versionHashes
    let names = hashes.keys.sorted()
    // Hashes do not tell older versions from newer ones. A store that has all entities of the newest version, with
    // other contents, can only be a later version.
    let isNewer = TrackModelVersion.current.model.entities.allSatisfy { hashes[$0.name] != nil }
    let isNewerFormat = (store.metadata.versionHashesVersion ?? 0) > 3
    let entities = names.isEmpty ? "it names no entities" : "its entities are \(names.joined(separator: ", "))"
    return MigrationError(
      isNewer || isNewerFormat ? .newerVersion : .unknownVersion, path: store.file.path,
      detail: entities + (problem.map { ", and \($0)" } ?? ""))
  }
}

extension TrackModelVersion {
  /// The version that a model resembles, as far as a migration and the queries need it.
  ///
  /// A model that resembles both is treated as the older version: its tracks still have JSON that has not been read.
  init?(like model: ManagedObjectModel) {
    guard let track = model.entity(named: "Track") else { return nil }
    if Self.hasText("json", track), Self.hasText("artistName", track) {
      self = .v1
    } else if Self.hasArtists(track, in: model) {
      self = .v2
    } else {
      return nil
    }
  }

  private static func hasText(_ name: String, _ entity: EntityDescription) -> Bool {
    guard let attribute = entity.attribute(named: name) else { return false }
    return attribute.type == .string && !attribute.isTransient && !attribute.isDerived
  }

  private static func hasArtists(_ track: EntityDescription, in model: ManagedObjectModel) -> Bool {
    guard let artists = track.relationship(named: "artists"), let artist = model.entity(named: "Artist"),
      let tracks = artist.relationship(named: "tracks"), hasText("name", artist)
    else { return false }
    return leads(artists, to: "Artist", inverse: "tracks") && leads(tracks, to: "Track", inverse: "artists")
  }

  private static func leads(_ relationship: RelationshipDescription, to entity: String, inverse: String) -> Bool {
    relationship.isToMany && !relationship.isTransient && relationship.destinationEntityName == entity
      && relationship.inverseName == inverse
  }
}

extension LoadedModelVersion {
  /// The version of a library, with the library's own model.
  init(_ library: TrackLibraryModel) { self.init(name: library.version.rawValue, model: library.model) }
}

struct LibraryMigrationPlan {
  /// The model that the library was written with.
  let source: TrackLibraryModel
  /// The model that it is migrated to.
  let destination: ManagedObjectModel
  /// The mapping of the source's instances to those of the destination.
  let mappingModel: MappingModel
  /// The parts of the old model that the new one cannot keep, as text for people.
  let remarks: [String]

  /// Plans the migration of a library of the first version.
  ///
  /// - Throws: `MigrationError` with `inferenceFailed` if the library's own model has no room for artists.
  init(for library: TrackLibraryModel, path: String) throws(MigrationError) {
    source = library
    guard library.hasCustomModel else {
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

  /// The plan as the migration of any store has it: one hop.
  var hop: MigrationPlan {
    let (old, new) = (LoadedModelVersion(source), TrackModelVersion.current.rawValue)
    let mapping = LoadedMappingModel(
      name: "\(old.name) to \(new)", sourceVersionName: old.name, destinationVersionName: new,
      mappingModel: mappingModel, findings: remarks)
    return .hop(from: old, to: LoadedModelVersion(name: new, model: destination), by: mapping)
  }

  /// Everything is migrated unchanged, except that each kind of track gets its artists from its JSON.
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

  /// Without a copy of its own model, only its app can later determine what the library is.
  private static func cacheRemarks(_ model: ManagedObjectModel) -> [String] {
    do throws(ModelFileProblem) {
      _ = try model.modelCache()
      return []
    } catch {
      return ["the new library keeps no copy of its model, so that only its app can read it: \(error.problem)"]
    }
  }

  static func refusal(_ detail: String, _ path: String) -> MigrationError {
    var error = MigrationError(.inferenceFailed, path: path, detail: detail)
    error.advice =
      "No data was changed. Give both versions of its model with \(.model), and a mapping model for them with \(.mapping)."
    return error
  }
}
