internal import PersistentStore
internal import Policies
internal import Verification

extension Verification {
  /// Prepares to compare a library with what a plan says of it.
  init(
    _ plan: LibraryMigrationPlan, _ source: StoreReader, _ result: StoreReader, _ identity: ArtistIdentity
  ) {
    self.init(source: source, sourceModel: plan.source.model, result: result, resultModel: plan.destination)
    trackEntityNames = plan.mappingModel.entityMappings.filter { $0.entityMigrationPolicyClassName != nil }
      .compactMap(\.destinationEntityName)
    identifiesByID = identity == .id
  }
}
