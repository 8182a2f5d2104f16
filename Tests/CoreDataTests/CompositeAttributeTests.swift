import CoreData
import TestSupport
import Testing

@Suite("Composite attributes under Apple's names")
struct CompositeAttributeTests {
  private func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
    return attribute
  }

  /// A model in code with a composite of two values.
  private func model() -> NSManagedObjectModel {
    let position = NSCompositeAttributeDescription()
    (position.name, position.isOptional) = ("pos", true)
    position.elements = [attribute("x", .doubleAttributeType), attribute("label", .stringAttributeType)]
    let entity = NSEntityDescription()
    entity.name = "Place"
    entity.properties = [attribute("name", .stringAttributeType), position]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }

  @Test func `A composite in code is one attribute of its entity, with its elements`() throws {
    let entity = try #require(model().entitiesByName["Place"])
    #expect(Set(entity.attributesByName.keys) == ["name", "pos"])
    let position = try #require(entity.attributesByName["pos"] as? NSCompositeAttributeDescription)
    #expect(position.attributeType == .compositeAttributeType)
    #expect(position.elements.map(\.name) == ["x", "label"])
    #expect(entity.versionHash.count == 32)
  }

  @Test func `Values are dictionaries, elements are set by key path, and a store keeps both`() throws {
    let folder = try TemporaryFolder()
    let url = URL(filePath: folder.file("Places.sqlite"))
    let container = NSPersistentContainer(name: "Places", managedObjectModel: model())
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.viewContext
    for (name, value) in [("a", ["x": 1.5, "label": "home"]), ("b", ["x": 2.5]), ("c", nil)]
      as [(String, [String: Any]?)]
    {
      let place = NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
      place.setValue(name, forKey: "name")
      place.setValue(value, forKey: "pos")
      if name == "b" { place.setValue("away", forKeyPath: "pos.label") }
      #expect(
        (place.changedValues()["pos"] as? [String: Any])?.count == value.map { _ in 2 }, "\(place.changedValues())")
    }
    try context.save()
    #expect(
      try Database.rows("SELECT ZNAME, ZX, ZLABEL FROM ZPLACE ORDER BY 1", in: url.path)
        == ["a|1.5|home", "b|2.5|away", "c|NULL|NULL"])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Place")
    request.predicate = NSPredicate(format: "pos.x > %@ AND pos.label != nil", 2 as NSNumber)
    let found = try #require(try context.fetch(request).first)
    #expect(found.value(forKey: "name") as? String == "b" && found.value(forKeyPath: "pos.x") as? Double == 2.5)
    let value = try #require(found.value(forKey: "pos") as? [String: Any])
    #expect(value["label"] as? String == "away")
    request.predicate = NSPredicate(format: "pos == nil")
    #expect(try context.fetch(request).map { $0.value(forKey: "name") as? String } == ["c"])
  }
}
