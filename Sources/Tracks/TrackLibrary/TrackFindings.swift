internal import Migration
internal import Policies

/// The oddities of the tracks' JSON, and the artists that contradict each other: the same for a migration and an
/// import.
package struct TrackFindings: Sendable, Hashable {
  /// A number of findings of one kind, and the first examples.
  package struct Finding: Sendable, Hashable {
    package let count: Int
    package let examples: [String]
  }

  /// Elements of `artists` that were passed over because they have no name.
  package let namelessArtists: Finding
  /// Keys that occur twice in the JSON; the first counts.
  package let duplicateKeys: Finding
  /// Ids and images that are longer than 1 MiB, so that the new library does not have them.
  package let longValues: Finding
  /// Artists whose id or image comes from a later mention, because the first lacks it.
  package let lateDetails: Finding
  /// Artists whose mentions have different images, of which the first counts.
  package let imageConflicts: Finding
  /// Artist names that stand with more than one id.
  package let nameConflicts: Finding
  /// Artist ids that stand with more than one name.
  package let idConflicts: Finding
  /// In sentences, what artists lose that the built-in presets find, because other places were chosen.
  package let missedArtists: [String]
  /// The chosen paths that found nothing, each with the value there.
  package let unfoundPaths: [String]

  /// Takes what policies have counted.
  init(_ statistics: MigrationStatistics) {
    func finding(_ counter: String) -> Finding {
      Finding(count: statistics[counter], examples: statistics.examples[counter] ?? [])
    }
    namelessArtists = finding(TrackCounter.namelessArtists)
    duplicateKeys = finding(TrackCounter.duplicateKeys)
    longValues = finding(TrackCounter.longValues)
    lateDetails = finding(TrackCounter.lateDetails)
    imageConflicts = finding(TrackCounter.imageConflicts)
    nameConflicts = finding(TrackCounter.nameConflicts)
    idConflicts = finding(TrackCounter.idConflicts)
    missedArtists = statistics.examples[TrackCounter.missedArtists] ?? []
    unfoundPaths = statistics.examples[TrackCounter.unfoundPaths] ?? []
  }
}

extension MigrationReport {
  /// The same of a report, which does not keep all examples.
  package var findings: TrackFindings {
    TrackFindings(
      namelessArtists: .init(count: namelessArtistsCount, examples: []),
      duplicateKeys: .init(count: duplicateKeysCount, examples: []),
      longValues: .init(count: longValuesCount ?? 0, examples: []),
      lateDetails: .init(count: lateDetailsCount, examples: lateDetailsExamples),
      imageConflicts: .init(count: imageConflictsCount ?? 0, examples: imageConflictExamples ?? []),
      nameConflicts: .init(count: nameConflictsCount, examples: nameConflictExamples),
      idConflicts: .init(count: idConflictsCount, examples: idConflictExamples), missedArtists: missedArtists ?? [],
      unfoundPaths: unfoundPaths ?? [])
  }
}

extension TrackFindings {
  fileprivate init(
    namelessArtists: Finding, duplicateKeys: Finding, longValues: Finding, lateDetails: Finding,
    imageConflicts: Finding, nameConflicts: Finding, idConflicts: Finding, missedArtists: [String],
    unfoundPaths: [String]
  ) {
    (self.namelessArtists, self.duplicateKeys, self.longValues) = (namelessArtists, duplicateKeys, longValues)
    (self.lateDetails, self.imageConflicts) = (lateDetails, imageConflicts)
    (self.nameConflicts, self.idConflicts) = (nameConflicts, idConflicts)
    (self.missedArtists, self.unfoundPaths) = (missedArtists, unfoundPaths)
  }
}
