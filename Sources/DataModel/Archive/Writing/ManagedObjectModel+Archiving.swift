internal import PropertyList

extension ManagedObjectModel {
  /// The model as a compiled one, the content of a `.mom`: a keyed archive of an `NSManagedObjectModel`.
  ///
  /// The same model always gives the same bytes. Left out is what the archives of Apple's tools hold and a model here
  /// does not: validation rules, sort descriptors, default values of transformable attributes, and the version of the
  /// compiler.
  ///
  /// - Throws: `ModelFileProblem.unarchivable` where the model has something of which it is not known how Core Data
  ///   archives it.
  public func archive() throws(ModelFileProblem) -> [UInt8] {
    try ModelArchiver.archive(self, as: .compiled).binary()
  }

  /// The model as a store keeps it of itself, in the column `Z_CONTENT` of its table `Z_MODELCACHE`.
  ///
  /// It is the keyed archive of a model that lists what entities inherit too, packed as raw DEFLATE.
  ///
  /// - Throws: `ModelFileProblem`, as ``archive()`` does, and where the archive is too large to be read again. A store
  ///   is complete without it.
  public func modelCache() throws(ModelFileProblem) -> [UInt8] {
    try Deflater.deflate(ModelArchiver.archive(self, as: .modelCache).binary())
  }
}
