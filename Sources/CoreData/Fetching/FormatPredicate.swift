internal import Expressions
internal import Synchronization

/// What a predicate was made of, for as long as there is somebody who can ask.
///
/// The predicate's code holds this object, and so does that of its copies.
final class FormatPredicate {
  let content: PredicateContent
  private weak var predicate: NSPredicate?
  private var key: ObjectIdentifier?

  init(_ content: PredicateContent) {
    self.content = content
  }

  deinit {
    guard let key else { return }
    // A later predicate may have come to lie at the same place.
    Self.table.withLock { if $0[key]?.object == nil { $0[key] = nil } }
  }

  /// A weak reference may be followed at any time, even while the object goes.
  private struct Entry: @unchecked Sendable {
    weak var object: FormatPredicate?
  }

  private static let table = Mutex<[ObjectIdentifier: Entry]>([:])

  /// Remembers that a predicate, whose code holds this object, was made of it.
  func belongs(to predicate: NSPredicate) {
    let key = ObjectIdentifier(predicate)
    (self.key, self.predicate) = (key, predicate)
    let entry = Entry(object: self)
    Self.table.withLock { $0[key] = entry }
  }

  /// What a predicate was made of.
  static func of(_ predicate: NSPredicate) -> FormatPredicate? {
    let key = ObjectIdentifier(predicate)
    guard let found = table.withLock({ $0[key] })?.object, found.predicate === predicate else { return nil }
    return found
  }

  /// Tells whether the predicate is true for an object; one that cannot be evaluated is not.
  func isTrue(of object: Any?, _ bindings: [String: Any]?) -> Bool {
    let handle = object as? NSManagedObject
    do {
      guard case .parsed(let predicate, let variables) = content, let value = ExpressionValue(any: object) else {
        throw PredicateFailure(content)
      }
      var context = EvaluationContext(object: value, variables: variables)
      for (name, value) in bindings ?? [:] { context.variables[name] = ExpressionValue(any: value) }
      return try predicate.evaluate(in: context)
    } catch {
      handle?.record("a predicate cannot be evaluated: \(error)")
      return false
    }
  }
}

/// Why a predicate cannot be used.
struct PredicateFailure: Error, CustomStringConvertible {
  let description: String

  init(_ content: PredicateContent) {
    if case .invalid(let reason) = content {
      description = reason
    } else {
      description = "it is asked of no known value"
    }
  }
}
