extension ManagedObjectModel {
  /// Reads a compiled model: a `.mom`, which is a keyed archive of an `NSManagedObjectModel`.
  ///
  /// What Core Data itself computes from a model comes out as from Xcode's own files: tables, columns, indexes and
  /// version hashes. Validation rules are not read.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - file: How errors name the file.
  /// - Throws: `ModelFileError` with the file, and the entity or property that is wrong.
  public init(archive bytes: [UInt8], file: String = "compiled model") throws(ModelFileError) {
    do { self = try ModelArchiveReader.model(bytes) } catch { throw ModelFileError(error, file: file) }
  }

  /// Reads the model that a store keeps of itself, in the column `Z_CONTENT` of its table `Z_MODELCACHE`.
  ///
  /// Stores have one since framework version 637 (iOS 9). It makes a store readable without any other file.
  ///
  /// - Parameters:
  ///   - bytes: The content of the column: a keyed archive, packed as raw DEFLATE.
  ///   - sizeLimit: The most bytes that may come out when it is unpacked.
  ///   - file: How errors name the place.
  /// - Throws: `ModelFileError` with the place, and the entity or property that is wrong.
  public init(
    modelCache bytes: [UInt8], sizeLimit: Int = 64 << 20, file: String = "Z_MODELCACHE"
  ) throws(ModelFileError) {
    let archive: [UInt8]
    do { archive = try Inflater.inflate(bytes, limit: sizeLimit) } catch { throw ModelFileError(error, file: file) }
    try self.init(archive: archive, file: file)
  }
}
