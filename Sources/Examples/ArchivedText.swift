internal import PropertyList

/// Text as a transformable attribute keeps it that has no transformer of its own: a keyed archive.
enum ArchivedText {
  static func bytes(_ text: String) -> [UInt8] {
    var top = PropertyListDictionary()
    top["root"] = .uid(1)
    var archive = PropertyListDictionary()
    archive["$version"] = .integer(100_000)
    archive["$archiver"] = .string("NSKeyedArchiver")
    archive["$top"] = .dictionary(top)
    archive["$objects"] = .array([.string("$null"), .string(text)])
    return PropertyList.dictionary(archive).binary()
  }
}
