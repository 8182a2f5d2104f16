/// The rules for tracks inside of documents that no preset knows: services wrap what they answer in objects and in lists of
/// one element, with names of their own.
package enum Envelopes {
  /// The number of arrays and objects around a track, up to which it is looked for.
  package static let depth = 16
  /// The greatest number of bytes of a document in which it is looked for: the answer about one track is small, and every
  /// object in it is compared with all presets.
  package static let sizeLimit = 1 << 20

  /// The members by which a document itself names a title or an artist, so that what is inside is not its track.
  package static let exclusions: Set<String> = Set(
    (Preset.Word.trackTitles + Preset.Word.anyTitles + Preset.Word.artistNames).compactMap {
      if $0.steps.count == 1, case .member(let name) = $0.steps[0] { name } else { nil }
    })
}

extension Preset {
  /// Whether objects inside of documents are compared with it, whatever the names around them: its conditions must say
  /// enough.
  package var isKnownInside: Bool {
    !kind.comesLast && ![Self.v1.name, Self.anyTitle.name, JSONShape.fieldsName].contains(name)
  }
}
