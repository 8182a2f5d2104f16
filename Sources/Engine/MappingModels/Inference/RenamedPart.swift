/// The part of a property's key path that was renamed, which is where a renaming identifier has to be set.
///
/// Each attribute of a composite has an identifier of its own, and so has the attribute that is a composite.
package struct RenamedPart: Sendable, Hashable {
  /// The key path up to the part, as it is now.
  package let name: String
  /// The name that the part had, which is the identifier that it needs.
  package let identifier: String

  /// Compares a property's names; `nil` where no single identifier leads from the one to the other.
  package init?(from old: String, to new: String) {
    let (olds, news) = (old.split(separator: "."), new.split(separator: "."))
    guard let end = news.indices.last, olds.count == news.count else { return nil }
    let different = news.indices.filter { olds[$0] != news[$0] }
    guard different.count <= 1 else { return nil }
    let place = different.first ?? end
    (name, identifier) = (news[...place].joined(separator: "."), String(olds[place]))
  }
}
