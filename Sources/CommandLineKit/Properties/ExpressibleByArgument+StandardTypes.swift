extension String: ExpressibleByArgument {
  /// Takes the word as it is.
  public init?(argument: String) { self = argument }
}

extension Substring: ExpressibleByArgument {
  /// Takes the word as it is.
  public init?(argument: String) { self = argument[...] }
}

extension ExpressibleByArgument where Self: LosslessStringConvertible {
  /// Creates the value that the word describes.
  public init?(argument: String) { self.init(argument) }
}

extension Bool: ExpressibleByArgument {}

extension Int: ExpressibleByArgument {}
extension Int8: ExpressibleByArgument {}
extension Int16: ExpressibleByArgument {}
extension Int32: ExpressibleByArgument {}
extension Int64: ExpressibleByArgument {}
extension UInt: ExpressibleByArgument {}
extension UInt8: ExpressibleByArgument {}
extension UInt16: ExpressibleByArgument {}
extension UInt32: ExpressibleByArgument {}
extension UInt64: ExpressibleByArgument {}

extension Float: ExpressibleByArgument {}
extension Double: ExpressibleByArgument {}
