public import Migration

extension PolicyRegistry {
  /// The policies of this package, by class name.
  ///
  /// Mapping models may name them with or without their module, `Policies`.
  ///
  /// - Parameter trackOptions: The user's options for the migration of tracks.
  public static func builtIn(trackOptions: TrackMigrationOptions = TrackMigrationOptions()) -> PolicyRegistry {
    var registry = PolicyRegistry()
    registry.register(TrackToTrackMigrationPolicy.className) { TrackToTrackMigrationPolicy(options: trackOptions) }
    registry.register(BookToBookMigrationPolicy.className) { BookToBookMigrationPolicy() }
    registry.register(AttachmentToImageAttachmentMigrationPolicyV3toV4.className) {
      AttachmentToImageAttachmentMigrationPolicyV3toV4()
    }
    return registry
  }
}
