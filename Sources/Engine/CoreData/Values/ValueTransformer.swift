internal import DataModel
internal import Synchronization

/// Converts the values of transformable attributes to data and back.
///
/// Foundation does not have this class on Linux. As in an app, a subclass is registered by name. Without one, a
/// transformable attribute reads and writes its raw data.
open class ValueTransformer: NSObject {
  /// The registered transformer that this one forwards to.
  private var named: ValueTransformer?

  /// Creates a transformer.
  public override init() {
    named = nil
  }

  /// Creates a transformer that forwards to the registered transformer with this name.
  public convenience init?(forName name: NSValueTransformerName) {
    guard let named = ValueTransformers.transformer(name.rawValue) else { return nil }
    self.init()
    self.named = named
  }

  /// Registers a transformer under a name.
  ///
  /// A transformer is used only by the thread that migrates, one call at a time.
  open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
    ValueTransformers.set(transformer, name.rawValue)
  }

  /// The names of the registered transformers.
  open class func valueTransformerNames() -> [NSValueTransformerName] {
    ValueTransformers.names.map { NSValueTransformerName($0) }
  }

  /// The class of the results of `transformedValue`.
  open class func transformedValueClass() -> AnyClass { NSObject.self }

  /// Whether `reverseTransformedValue` can be used.
  open class func allowsReverseTransformation() -> Bool { true }

  /// Converts an attribute's object to data.
  open func transformedValue(_ value: Any?) -> Any? { named?.transformedValue(value) ?? nil }

  /// Converts data to an attribute's object.
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
  /// Transformers hold no state of this module; the author of a subclass is responsible for its state, as everywhere.
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

  /// The object that this attribute's data represents.
  func object(of data: Data) -> Any? {
    guard let transformer else { return data }
    return transformer.reverseTransformedValue(data)
  }

  /// The data that represents an object, or `nil` if it cannot be created.
  ///
  /// Data that the transformer does not accept is taken to be its output.
  func data(of object: Any) -> Data? {
    transformer?.transformedValue(object) as? Data ?? object as? Data
  }
}
