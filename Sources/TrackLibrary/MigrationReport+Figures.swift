internal import Policies

extension MigrationReport {
  /// The figures of the report, in a fixed order.
  public var figures: [Figure] {
    [
      Figure("tracks_count", Int64(tracksCount), "Tracks that were migrated"),
      Figure("artists_count", Int64(artistsCount), "Artists that were created"),
      Figure("links_count", Int64(linksCount), "Links that were made"),
      Figure("fallback_tracks_count", Int64(fallbackTracksCount), "Tracks that use their artistName"),
    ]
      + FallbackReason.allCases.map { reason in
        Figure(
          "fallback_\(reason.rawValue)_tracks_count", Int64(fallbackTracksCountByReason[reason.rawValue] ?? 0),
          "Of these: \(reason.summary)")
      }
      + [
        Figure("tracks_without_artist_count", Int64(tracksWithoutArtistCount), "Tracks left without an artist"),
        Figure("nameless_artists_count", Int64(namelessArtistsCount), "Artists in JSON without a name"),
        Figure("duplicate_keys_count", Int64(duplicateKeysCount), "Keys that occur twice in JSON"),
      ]
      + [
        longValuesCount.map { Figure("long_values_count", Int64($0), "Ids and images in JSON over 1 MiB, left out") },
        Figure("late_details_count", Int64(lateDetailsCount), "Artists whose id or image a later mention gives"),
        imageConflictsCount.map { Figure("image_conflicts_count", Int64($0), "Artists with several images") },
      ].compactMap { $0 }
      + [
        Figure("name_conflicts_count", Int64(nameConflictsCount), "Names with several ids"),
        Figure("id_conflicts_count", Int64(idConflictsCount), "Ids with several names"),
        Figure("rejects_count", Int64(rejectsCount), "Tracks in the rejects file"),
        Figure("source_size_bytes", sourceSizeBytes, "Size of the old library"),
        Figure("destination_size_bytes", destinationSizeBytes, "Size of the new library"),
        Figure("elapsed_seconds", elapsedSeconds, "Time that it took"),
        Figure("tracks_per_second", tracksPerSecond, "Rate"),
        Figure("peak_memory_bytes", peakMemoryBytes, "Most memory in use"),
      ]
  }
}
