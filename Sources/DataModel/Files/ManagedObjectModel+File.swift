extension ManagedObjectModel {
  /// Reads a model from the XML that Xcode's model editor writes.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file `contents` of an `.xcdatamodel`.
  ///   - file: How errors name the file.
  /// - Throws: `ModelFileError` with the file, the line, and the entity and property that are wrong.
  public init(xml bytes: [UInt8], file: String = "contents") throws(ModelFileError) {
    self = try ModelXMLReader(file: file).model(bytes)
  }

  /// Reads one version of a model.
  ///
  /// - Parameter path: An `.xcdatamodel` or the file `contents` in it, or a `.mom`.
  /// - Throws: `ModelFileError` where there is no model that can be read.
  public init(contentsOfFile path: String) throws(ModelFileError) {
    guard let isDirectory = ModelFiles.isDirectory(path) else { throw ModelFileError(.notFound, file: path) }
    guard isDirectory else {
      if ModelFormat(path, isDirectory: false) == .compiled {
        try self.init(archive: ModelFiles.read(path, limit: ModelFiles.archiveSizeLimit), file: path)
      } else {
        try self.init(xml: ModelFiles.read(path), file: path)
      }
      return
    }
    let contents = "\(path)/contents"
    guard ModelFiles.exists(contents) else {
      // Before version 4, Xcode kept a binary file `elements` there.
      let isOutdated = ModelFiles.exists("\(path)/elements")
      throw ModelFileError(isOutdated ? .outdatedFormat : .noContents, file: path)
    }
    try self.init(xml: ModelFiles.read(contents), file: contents)
  }
}
