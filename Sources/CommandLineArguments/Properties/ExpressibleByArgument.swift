/// A type that can be read from one word of the command line.
///
/// An enumeration with raw values, or one that is `CaseIterable` and `RawRepresentable`, only has to declare the
/// conformance:
///
///     enum Format: String, CaseIterable, ExpressibleByArgument { case table, json }
package protocol ExpressibleByArgument: SendableMetatype {
  /// Creates the value, or returns nil if the word is none.
  init?(argument: String)

  /// The value as help shows it after "default:".
  var defaultValueDescription: String { get }

  /// Every accepted word, for help and completions; empty if they cannot be listed.
  static var allValueStrings: [String] { get }

  /// What shells offer unless the property specifies it.
  static var defaultCompletionKind: CompletionKind { get }
}

extension ExpressibleByArgument {
  /// The value's description.
  package var defaultValueDescription: String { "\(self)" }

  /// No words: any may be accepted.
  package static var allValueStrings: [String] { [] }

  /// Nothing.
  package static var defaultCompletionKind: CompletionKind { .default }
}

extension ExpressibleByArgument where Self: CaseIterable {
  /// The descriptions of all cases.
  package static var allValueStrings: [String] { allCases.map { String(describing: $0) } }

  /// All cases.
  package static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension ExpressibleByArgument where Self: RawRepresentable, RawValue: ExpressibleByArgument {
  /// The description of the raw value.
  package var defaultValueDescription: String { rawValue.defaultValueDescription }
}

extension ExpressibleByArgument where Self: CaseIterable & RawRepresentable, RawValue: ExpressibleByArgument {
  /// The raw values of all cases.
  package static var allValueStrings: [String] { allCases.map { $0.rawValue.defaultValueDescription } }
}

extension RawRepresentable where Self: ExpressibleByArgument, RawValue: ExpressibleByArgument {
  /// Creates the value whose raw value is the word.
  package init?(argument: String) {
    guard let rawValue = RawValue(argument: argument) else { return nil }
    self.init(rawValue: rawValue)
  }
}

extension String: ExpressibleByArgument {
  /// Takes the word as it is.
  package init?(argument: String) { self = argument }
}

extension Substring: ExpressibleByArgument {
  /// Takes the word as it is.
  package init?(argument: String) { self = argument[...] }
}

extension ExpressibleByArgument where Self: LosslessStringConvertible {
  /// Creates the value that the word describes.
  package init?(argument: String) { self.init(argument) }
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
