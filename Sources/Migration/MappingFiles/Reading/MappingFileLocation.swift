internal import Foundation

/// Finds the file that a path to a mapping model stands for.
enum MappingFileLocation {
  static func file(_ path: String) throws(MappingModelFileError) -> String {
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: trimmed, isDirectory: &isDirectory) else {
      throw MappingModelFileError(.notFound, file: path)
    }
    guard isDirectory.boolValue else { return trimmed }
    let file = "\(trimmed)/xcmapping.xml"
    guard FileManager.default.fileExists(atPath: file) else {
      throw MappingModelFileError(.notAMappingModel("the folder has no file 'xcmapping.xml'"), file: path)
    }
    return file
  }
}
