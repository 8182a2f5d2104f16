/// A reference that does not keep its object, such as a property's to its entity.
///
/// A weak reference would do the same, but an object that has one is from then on counted in a table beside it, which
/// takes several times as long; entities and models are retained and released with every instance.
final class Backlink<Target: AnyObject> {
  /// The object, while it is there: it must call `cut` when it is released.
  private(set) unowned var target: Target?

  init(_ target: Target) { self.target = target }

  func cut() { target = nil }
}
