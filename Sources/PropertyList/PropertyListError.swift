/// Why bytes are not a property list that can be used.
///
/// The raw facts; the sentence is in `description`.
public enum PropertyListError: Error, Sendable, Hashable {
  /// The bytes are no property list of a known kind.
  case notAPropertyList
  /// The last 32 bytes of a binary property list contradict the rest.
  case badTrailer
  /// An object reaches beyond the part of the file that holds objects.
  case truncated(offset: Int)
  /// An object is of a kind that binary property lists do not have.
  case unknownMarker(UInt8, offset: Int)
  /// An integer is wider than 128 bits, or a reference or count does not fit.
  case badInteger(offset: Int)
  /// A text is not valid in its encoding.
  case badString(offset: Int)
  /// A reference leads to an object that the file does not have.
  case badReference(Int)
  /// A container contains itself.
  case cyclicReference(object: Int)
  /// A dictionary has a key that is not a string.
  case badKey(object: Int)
  /// A dictionary has the same key twice.
  case duplicateKey(String)
  /// The containers are nested too deeply.
  case tooDeep(limit: Int)
  /// Shared objects multiply to more than a file of this size can reasonably mean.
  case tooManyObjects(limit: Int)
  /// The XML is larger than the parser takes at once.
  case tooLarge(limit: Int)
  /// The XML is malformed, or is not a property list.
  case badXML(line: Int, reason: String)
  /// The file is no keyed archive.
  case notAnArchive
}
