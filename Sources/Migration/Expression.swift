public import DataModel

/// An expression that gives a destination property its value.
public indirect enum Expression: Sendable, Hashable {
  case constant(AttributeValue?)
  /// `$source`, the source instance.
  case source
  /// A property of what another expression gives, such as `$source.title`.
  case keyPath(Expression, String)
  /// `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", mapping, sources)`.
  case destinationInstances(entityMappingNamed: String, sourceInstances: Expression)

  /// `$source.` and a name.
  public static func source(_ key: String) -> Expression { .keyPath(.source, key) }

  /// The name of the source attribute that this expression copies as it is, if that is all that it does.
  public var copiedSourceKey: String? {
    guard case .keyPath(.source, let key) = self, !key.contains(".") else { return nil }
    return key
  }
}
