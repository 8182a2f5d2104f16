public import Foundation

/// The options of an observation.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: UInt

  /// Creates options from bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The value after the change.
  public static let new = Self(rawValue: 1)
  /// The value before the change.
  public static let old = Self(rawValue: 2)
  /// The value at the beginning, in a call of its own.
  public static let initial = Self(rawValue: 4)
  /// A call before each change; there is none here.
  public static let prior = Self(rawValue: 8)
}

/// The kind of a change.
public enum NSKeyValueChange: UInt, Sendable {
  case setting = 1
  case insertion, removal, replacement
}

/// A change of a property.
public struct NSKeyValueObservedChange<Value> {
  /// The kind of the change.
  public typealias Kind = NSKeyValueChange

  /// Always that the property was set.
  public let kind: Kind
  /// The value after the change, if the options ask for it.
  public let newValue: Value?
  /// The value before the change, if the options ask for it.
  public let oldValue: Value?
  /// The changed places of a collection; nil here.
  public var indexes: IndexSet? { nil }
  /// Whether the change is still to come.
  public var isPrior: Bool { false }
}

/// Calls a handler of changes for as long as it is kept.
public final class NSKeyValueObservation: NSObject {
  private var call: (() -> Void)?

  init(_ call: @escaping () -> Void) { self.call = call }

  func notify() { call?() }

  /// Calls the handler no more.
  public func invalidate() { call = nil }
}

/// A class that tells of the changes of its properties.
///
/// Objective-C has key-value observing for all objects. Here, ``NSMigrationManager`` tells of the two properties that
/// Core Data documents as observable.
public protocol KeyValueObservable: AnyObject {
  /// Calls a closure whenever a property may have changed, until the observation is gone.
  func addObservation(_ observation: NSKeyValueObservation)
}

extension KeyValueObservable {
  /// Calls a handler whenever a property has changed, on the thread that changes it.
  ///
  /// - Returns: What has to be kept for as long as the handler is to be called.
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    func change(from old: Value?, to new: Value) -> NSKeyValueObservedChange<Value> {
      NSKeyValueObservedChange(
        kind: .setting, newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil)
    }
    var known = self[keyPath: keyPath]
    let observation = NSKeyValueObservation { [weak self] in
      guard let self else { return }
      let (old, new) = (known, self[keyPath: keyPath])
      guard !areEqual(old, new) else { return }
      known = new
      changeHandler(self, change(from: old, to: new))
    }
    if options.contains(.initial) { changeHandler(self, change(from: nil, to: known)) }
    addObservation(observation)
    return observation
  }
}

/// Whether two values are the same object, or equal.
private func areEqual<Value>(_ first: Value, _ second: Value) -> Bool {
  if let first = first as? any Equatable { return first.isEqual(to: second) }
  return false
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}
