/// A number that is counted of tracks, their documents and their artists, with its names on every surface.
///
/// A case and its entry in ``traits`` are all that is needed to write, read, sum up, compare and show a number: statistics, the
/// texts of a migration, an import and a dry run, pages, metrics, batches and `verify` go through all cases. What counts it
/// is a policy, and once more, by its own reading, `TrackVerification`.
package enum Fact: Int, Sendable, Hashable, CaseIterable {
  case tracks
  case artists
  case links
  /// Tracks whose artist was taken from `artistName`; ``Facts/Group/fallbacks`` has the reasons.
  case fallbackTracks
  /// Tracks that are left without any artist, because they have no `artistName` either.
  case tracksWithoutArtist
  /// Elements of `artists` that were passed over because they have no name.
  case namelessArtists
  /// Keys that occur twice where only one can count, which is the first.
  case duplicateKeys
  /// Ids and images of artists that are longer than 1 MiB, so that the new library does not have them.
  case longValues
  /// Joined names that were split, because there were as many ids as parts.
  case splitNames
  /// Artists whose id or image comes from a later mention, because the first lacks it.
  case lateDetails
  /// Artists whose mentions have different images, of which the first counts.
  case imageConflicts
  /// Artist names that stand with more than one id.
  case nameConflicts
  /// Artist ids that stand with more than one name.
  case idConflicts
  /// Artist names that look like those of several artists, such as "A & B".
  case joinedNames
  /// Groups of artist names that are equal but for case, width, accents or the form of their characters.
  case similarNames
  /// Details that the built-in presets find and chosen paths do not, in sentences.
  case missedArtists
  /// Chosen paths that found nothing, each with the value there, in sentences.
  case unfoundPaths
  /// Tracks of a feed, and artists, by what became of them in the library.
  case addedTracks, replacedTracks, knownTracks, addedArtists
  /// Lines of a feed that are not tracks.
  case rejectedLines
  /// Times in a service's answer that are not dates, so that the tracks have none.
  case unreadTimes
  /// Instances of an app's store, of all entities.
  case instances
  /// Documents in the rejects file.
  case rejects

  /// A group of numbers that are shown together.
  package enum Chapter: Sendable, Hashable {
    /// The contents of the new library.
    case result
    /// The findings in each document by itself.
    case document
    /// The details of artists that several mentions give, and the contradictions between mentions.
    case detail, conflict
    /// The names that a person may mistake; only a dry run looks for them.
    case name
    /// The places that a person has chosen, and that find less than the built-in presets.
    case place
    /// The lines of a feed; only an import has some.
    case feed
    /// The contents of files, which are told with their names.
    case file
  }

  /// The names and the meaning of a number.
  package struct Traits: Sendable {
    /// The name of the counter, from which the key in JSON follows.
    package let name: String
    package let chapter: Chapter
    private let shortLabel: String?
    /// The words after the number in a line of text.
    package let explanation: String
    /// The meaning in a table of numbers.
    package let help: String
    /// The loss of a document, in the singular: `--strict` refuses it, and otherwise the document is kept as a reject.
    package let loss: String?
    /// The key of the examples in JSON; `nil` if none are kept.
    package let examplesKey: String?
    /// Whether it is looked for in every migration, rather than where an option asks for it.
    package let isAlwaysLookedFor: Bool
    /// Whether it is worth a line of a migration's text that there are none.
    package let tellsZero: Bool

    fileprivate init(
      _ name: String, _ chapter: Chapter, label: String? = nil, _ explanation: String = "", help: String,
      loss: String? = nil, examples: String? = nil, isAlwaysLookedFor: Bool = true, tellsZero: Bool = false
    ) {
      (self.name, self.chapter, shortLabel) = (name, chapter, label)
      (self.explanation, self.help, self.loss, examplesKey) = (explanation, help, loss, examples)
      (self.isAlwaysLookedFor, self.tellsZero) = (isAlwaysLookedFor, tellsZero)
    }

    /// The name in a line of text.
    package var label: String { shortLabel ?? name.replacing("_", with: " ") }
  }

  /// The names and the meaning.
  package var traits: Traits {
    switch self {
    case .tracks: Traits("tracks", .result, help: "Tracks that were migrated", tellsZero: true)
    case .artists: Traits("artists", .result, help: "Artists that were created", tellsZero: true)
    case .links: Traits("links", .result, help: "Links that were made", tellsZero: true)
    case .fallbackTracks:
      Traits(
        "fallback_tracks", .result, label: "fallbacks", "tracks that use their artistName",
        help: "Tracks that use their artistName", tellsZero: true)
    case .tracksWithoutArtist:
      Traits(
        "tracks_without_artist", .document, label: "no artist", "tracks without an artistName either",
        help: "Tracks left without an artist")
    case .namelessArtists:
      Traits(
        "nameless_artists", .document, label: "nameless", "artists in the JSON without a name, passed over",
        help: "Artists in JSON without a name", loss: "artist without a name")
    case .duplicateKeys:
      Traits("duplicate_keys", .document, "in the JSON; the first counts", help: "Keys that occur twice in JSON")
    case .longValues:
      Traits(
        "long_values", .document, "ids and images in the JSON over 1 MiB, left out",
        help: "Ids and images in JSON over 1 MiB, left out", loss: "id or image over 1 MiB")
    case .splitNames:
      Traits(
        "split_names", .document, "joined names with as many ids as parts", help: "Joined names split by their ids",
        isAlwaysLookedFor: false)
    case .lateDetails:
      Traits(
        "late_details", .detail, "artists whose id or image a later mention gives",
        help: "Artists whose id or image a later mention gives", examples: "late_details_examples")
    case .imageConflicts:
      Traits(
        "image_conflicts", .detail, "artists with several images; the first counts",
        help: "Artists with several images", examples: "image_conflict_examples")
    case .nameConflicts:
      Traits(
        "name_conflicts", .conflict, "names with several ids", help: "Names with several ids",
        examples: "name_conflict_examples", tellsZero: true)
    case .idConflicts:
      Traits(
        "id_conflicts", .conflict, "ids with several names", help: "Ids with several names",
        examples: "id_conflict_examples")
    case .joinedNames:
      Traits(
        "joined_names", .name, "artists that may be several, such as \"A & B\"",
        help: "Artists that may be several", isAlwaysLookedFor: false)
    case .similarNames:
      Traits(
        "similar_names", .name, "groups of names that look alike",
        help: "Groups of names that look alike", examples: "similar_name_examples", isAlwaysLookedFor: false,
        tellsZero: true)
    case .missedArtists:
      Traits(
        "missed_artists", .place, help: "Details that only the built-in presets find", examples: "missed_artists",
        isAlwaysLookedFor: false)
    case .unfoundPaths:
      Traits(
        "unfound_paths", .place, help: "Paths that find nothing, and members that were not taken",
        examples: "unfound_paths", isAlwaysLookedFor: false)
    case .addedTracks: Traits("added_tracks", .feed, help: "Tracks that were added", isAlwaysLookedFor: false)
    case .replacedTracks:
      Traits("replaced_tracks", .feed, help: "Tracks that were replaced", isAlwaysLookedFor: false)
    case .knownTracks:
      Traits("known_tracks", .feed, help: "Tracks that the library had already", isAlwaysLookedFor: false)
    case .addedArtists: Traits("added_artists", .feed, help: "Artists that were added", isAlwaysLookedFor: false)
    case .rejectedLines: Traits("rejected_lines", .feed, help: "Lines that are not tracks", isAlwaysLookedFor: false)
    case .unreadTimes: Traits("unread_times", .feed, help: "Times that are not dates", isAlwaysLookedFor: false)
    case .instances:
      Traits("instances", .file, help: "Instances in the migrated stores of apps", isAlwaysLookedFor: false)
    case .rejects: Traits("rejects", .file, help: "Tracks in the rejects file")
    }
  }

  /// The name of the counter.
  package var name: String { traits.name }

  /// The key of the number in JSON; `nil` where only the sentences are kept.
  package var key: String? {
    switch traits.chapter {
    case .place: nil
    case .feed: name
    case .result, .document, .detail, .conflict, .name, .file: "\(name)_count"
    }
  }

  /// The numbers of some chapters, in order.
  package static func all(of chapters: Chapter...) -> [Fact] {
    allCases.filter { chapters.contains($0.traits.chapter) }
  }
}
