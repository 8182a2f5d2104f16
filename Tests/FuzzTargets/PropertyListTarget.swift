internal import PersistentStore
internal import PropertyListFormat

/// Property lists, binary and in XML: what was read is written as it was.
enum PropertyListTarget {
  static func read(_ bytes: [UInt8]) throws {
    let value: PropertyList
    do throws(PropertyListError) {
      value = try PropertyList(contentsOf: bytes)
    } catch {
      return try promise(!error.description.isEmpty, "an error without words")
    }
    let written = value.binary()
    try promise((try? PropertyList(binary: written))?.binary() == written, "written, it reads as something else")
    _ = try? KeyedArchive(value)
    guard let properties = value.dictionary else { return }
    let metadata = StoreMetadata(uuid: "", properties: properties)
    _ = (metadata.versionHashes, metadata.versionIdentifiers, metadata.versionHashesVersion)
  }
}
