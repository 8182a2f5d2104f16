internal import DataModel
package import Migration
internal import Policies

/// The mapping models between the versions of the track library.
package enum TrackMapping {
  /// From v1 to v2: the policy makes the artists, so `Artist` has no source of its own.
  package static var v1ToV2: MappingModel {
    let (v1, v2) = (TrackModel.v1, TrackModel.v2)
    guard let source = v1.entity(named: "Track"), let track = v2.entity(named: "Track"),
      let artist = v2.entity(named: "Artist")
    else { preconditionFailure("the track models lack their entities") }
    return MappingModel(entityMappings: [
      // Xcode wants the module.
      .suggested(from: source, to: track, policy: "Policies.\(TrackToTrackMigrationPolicy.className)"),
      EntityMapping(mappingType: .add, source: nil, destination: artist),
    ])
  }
}
