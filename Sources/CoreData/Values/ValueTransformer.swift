internal import DataModel
internal import Synchronization

/// Turns the values of transformable attributes into data and back.
///
/// Foundation has no such class on Linux. As in an app, a subclass is registered by its name; without one, a
/// transformable attribute gives and takes its raw data.
open class ValueTransformer: NSObject {
  /// The transformer that a name stands for.
  private var named: ValueTransformer?

  /// Creates a transformer.
  public override init() {
    named = nil
  }

  /// Creates one that does what the registered transformer of a name does.
  public convenience init?(forName name: NSValueTransformerName) {
    guard let named = ValueTransformers.transformer(name.rawValue) else { return nil }
    self.init()
    self.named = named
  }

  /// Registers a transformer under a name.
  ///
  /// A transformer is used by the thread that migrates, and by one at a time.
  open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
    ValueTransformers.set(transformer, name.rawValue)
  }

  /// The names of the registered transformers.
  open class func valueTransformerNames() -> [NSValueTransformerName] {
    ValueTransformers.names.map { NSValueTransformerName($0) }
  }

  /// The class of what `transformedValue` gives.
  open class func transformedValueClass() -> AnyClass { NSObject.self }

  /// Whether `reverseTransformedValue` can be used.
  open class func allowsReverseTransformation() -> Bool { true }

  /// Turns an attribute's object into data.
  open func transformedValue(_ value: Any?) -> Any? { named?.transformedValue(value) ?? nil }

  /// Turns data into an attribute's object.
  open func reverseTransformedValue(_ value: Any?) -> Any? { named?.reverseTransformedValue(value) ?? nil }
}

/// The name of a transformer.
public struct NSValueTransformerName: RawRepresentable, Sendable, Hashable {
  /// The name.
  public let rawValue: String

  /// Creates a name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates a name.
  public init(_ rawValue: String) {
    self.rawValue = rawValue
  }
}

/// The registered transformers.
private enum ValueTransformers {
  /// Transformers have no state of the module's; what a subclass keeps is its author's care, as everywhere.
  private struct Table: @unchecked Sendable {
    var transformers: [String: ValueTransformer] = [:]
  }

  private static let table = Mutex(Table())

  static func transformer(_ name: String) -> ValueTransformer? { table.withLock { $0 }.transformers[name] }

  static func set(_ transformer: ValueTransformer?, _ name: String) {
    let change = Table(transformers: transformer.map { [name: $0] } ?? [:])
    table.withLock { $0.transformers[name] = change.transformers[name] }
  }

  static var names: [String] { table.withLock { $0.transformers.keys.sorted() } }
}

extension AttributeDescription {
  private var transformer: ValueTransformer? {
    guard type == .transformable else { return nil }
    return valueTransformerName.flatMap { ValueTransformers.transformer($0) }
  }

  /// The object that the data of this attribute stands for.
  func object(of data: Data) -> Any? {
    guard let transformer else { return data }
    return transformer.reverseTransformedValue(data)
  }

  /// The data that stands for an object, or `nil` where there is no way to make it.
  ///
  /// Data that the transformer cannot take is taken for what it makes.
  func data(of object: Any) -> Data? {
    transformer?.transformedValue(object) as? Data ?? object as? Data
  }
}
