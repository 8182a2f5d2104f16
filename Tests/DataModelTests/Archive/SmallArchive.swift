import DataModel
import PropertyListFormat

/// The archive of a model with one entity `E` and its properties `a` and `b`, to which fields can be added.
///
/// Without an attribute's fields, `a` is an Integer 16.
struct SmallArchive {
  typealias Fields = (inout TestArchiver) -> PropertyListDictionary

  let propertyList: PropertyList

  init(
    attributeClass: String = "NSAttributeDescription", attribute: Fields = { _ in [:] }, entity: Fields = { _ in [:] },
    model: Fields = { _ in [:] }
  ) {
    var archiver = TestArchiver()
    let names = [archiver.add("a"), archiver.add("b")]
    let first = Self.add(
      attributeClass, ["NSPropertyName": names[0], "NSAttributeType": .integer(100)], attribute, &archiver)
    let second = archiver.add("NSAttributeDescription", ["NSPropertyName": names[1], "NSAttributeType": .integer(700)])
    let properties = archiver.dictionary([("a", first), ("b", second)])
    let name = archiver.add("E")
    let reference = Self.add(
      "NSEntityDescription", ["NSEntityName": name, "NSProperties": properties], entity, &archiver)
    let entities = archiver.dictionary([("E", reference)])
    let root = Self.add("NSManagedObjectModel", ["NSEntities": entities], model, &archiver)
    propertyList = archiver.archive(root: root)
  }

  func model() throws(ModelFileError) -> ManagedObjectModel {
    try ManagedObjectModel(archive: propertyList.binary())
  }

  /// The problem that reading the archive reports.
  var problem: ModelFileProblem? {
    do throws(ModelFileError) { _ = try model() } catch { return error.problem }
    return nil
  }

  private static func add(
    _ className: String, _ fields: PropertyListDictionary, _ more: Fields, _ archiver: inout TestArchiver
  ) -> PropertyList {
    var fields = fields
    for pair in more(&archiver).pairs { fields[pair.key] = pair.value }
    return archiver.add(className, fields)
  }
}
