internal import DataModel
internal import Migration
internal import PersistentStore
internal import Samples

/// Models in each of their forms: a model that is read can be hashed, laid out, written and migrated to.
enum ModelTarget {
  static func read(_ body: () throws(ModelFileError) -> ManagedObjectModel) throws {
    let model: ManagedObjectModel
    do throws(ModelFileError) {
      model = try body()
    } catch {
      return try promise(!error.description.isEmpty, "an error without words")
    }
    let hashes = model.entityVersionHashesByName
    _ = (model.versionChecksum, model.versionHashesDigest)
    let schema = StoreSchema(model)
    _ = (schema.tableStatements, schema.indexStatements)
    if let xml = try? model.xml() {
      let again = try? ManagedObjectModel(xml: Array(xml.utf8))
      try promise(again?.entityVersionHashesByName == hashes, "its XML reads as another model:\n\(xml)")
    }
    if let archive = try? model.archive() {
      let again = try? ManagedObjectModel(archive: archive)
      try promise(again?.entityVersionHashesByName == hashes, "its archive reads as another model")
    }
    _ = try? MappingModel.inferred(from: model, to: model)
    _ = try? MappingModel.inferred(from: model, to: BooksModel.v2)
    _ = try? MappingModel.inferred(from: BooksModel.v2, to: model)
  }
}
