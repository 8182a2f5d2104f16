/// A reason why bytes are not a usable property list.
///
/// The cases hold facts; the sentence is in `description`.
package enum PropertyListError: Error, Sendable, Hashable {
  /// The bytes are not a property list of a known kind.
  case notAPropertyList
  /// The last 32 bytes of a binary property list contradict the rest.
  case badTrailer
  /// An object extends beyond the part of the file that holds objects.
  case truncated(offset: Int)
  /// An object has a marker that binary property lists do not have.
  case unknownMarker(UInt8, offset: Int)
  /// An integer is wider than 128 bits, or a reference or count does not fit.
  case badInteger(offset: Int)
  /// A text is not valid in its encoding.
  case badString(offset: Int)
  /// A reference to an object that does not exist.
  case badReference(Int)
  /// A container contains itself.
  case cyclicReference(object: Int)
  /// A dictionary has a key that is not a string.
  case badKey(object: Int)
  /// A dictionary has the same key twice.
  case duplicateKey(String)
  /// The containers are nested too deeply.
  case tooDeep(limit: Int)
  /// Shared objects expand to more than is reasonable for a file of this size.
  case tooManyObjects(limit: Int)
  /// The XML is larger than the parser's limit.
  case tooLarge(limit: Int)
  /// The XML is malformed, or is not a property list.
  case badXML(line: Int, reason: String)
  /// The file is not a keyed archive.
  case notAnArchive
}

extension PropertyListError: CustomStringConvertible {
  /// One sentence with the problem and the place.
  package var description: String {
    switch self {
    case .notAPropertyList: "This is neither a binary nor an XML property list."
    case .badTrailer: "The binary property list is damaged: its last 32 bytes do not fit the rest."
    case .truncated(let offset): "The binary property list is damaged: the object at byte \(offset) is cut off."
    case .unknownMarker(let marker, let offset):
      "The binary property list has an object of the unknown kind \(marker) at byte \(offset)."
    case .badInteger(let offset): "The binary property list has an integer out of range at byte \(offset)."
    case .badString(let offset): "The binary property list has text at byte \(offset) that is not valid."
    case .badReference(let index):
      "The binary property list is damaged: it refers to object \(index), which it does not have."
    case .cyclicReference(let object): "The binary property list is damaged: object \(object) contains itself."
    case .badKey(let object): "Dictionary \(object) of the binary property list has a key that is not a string."
    case .duplicateKey(let key): "A dictionary of the property list has the key '\(key)' twice."
    case .tooDeep(let limit): "The property list is nested more than \(limit) levels deep."
    case .tooManyObjects(let limit): "The property list unfolds to more than \(limit) objects, too many for its size."
    case .tooLarge(let limit): "The XML property list is larger than \(limit >> 20) MiB."
    case .badXML(let line, let reason): "Line \(line) of the XML property list is not usable: \(reason)"
    case .notAnArchive: "The property list is not a keyed archive."
    }
  }
}
