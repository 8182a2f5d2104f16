internal import PersistentStore

/// Finds the file that a path to a mapping model stands for.
enum MappingFileLocation {
  static func file(_ path: String) throws(MappingModelFileError) -> String {
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard let status = FileStatus(trimmed) else { throw MappingModelFileError(.notFound, file: path) }
    guard status.kind == .directory else { return trimmed }
    let file = "\(trimmed)/xcmapping.xml"
    guard FileStatus(file) != nil else {
      throw MappingModelFileError(.notAMappingModel("the folder has no file 'xcmapping.xml'"), file: path)
    }
    return file
  }
}
