/// The word `_P`, in which an archived property repeats in short what its other fields say.
///
/// Every property that Apple's tools archived with these fields has the word that these bits give.
struct PropertyFlags: OptionSet {
  let rawValue: Int64

  /// Set everywhere.
  static let isPacked = PropertyFlags(rawValue: 0x1)
  static let isOptional = PropertyFlags(rawValue: 0x2)
  static let isReadOnly = PropertyFlags(rawValue: 0x4)
  static let isTransient = PropertyFlags(rawValue: 0x8)
  /// Neither predicates nor the warnings that belong to them.
  static let hasNoValidation = PropertyFlags(rawValue: 0x30)
  static let hasNoUserInfo = PropertyFlags(rawValue: 0x40)
  static let hasNoVersionHashModifier = PropertyFlags(rawValue: 0x80)
  static let isOrdered = PropertyFlags(rawValue: 0x400)
}

extension PropertyFlags {
  /// The flags that any kind of property has.
  init(_ property: some PropertyDescription) {
    self = [.isPacked, .hasNoValidation]
    if property.isOptional { insert(.isOptional) }
    if property.isTransient { insert(.isTransient) }
    if property.userInfo.isEmpty { insert(.hasNoUserInfo) }
    if property.versionHashModifier == nil { insert(.hasNoVersionHashModifier) }
  }
}
