import CoreData
import TestSupport
import Testing

/// What apps ask instances about their changes, and what instances are told.
@Suite("Changes of instances", .serialized)
struct ObjectChangesTests {
  struct Problem: Error {}

  /// A class as apps write it, which counts what it is told.
  final class Item: NSManagedObject {
    nonisolated(unsafe) static var calls: [String] = []
    override func awakeFromInsert() {
      super.awakeFromInsert()
      setValue("new", forKey: "name")
      Self.calls.append("insert")
    }
    override func willSave() { Self.calls.append("willSave") }
    override func didSave() { Self.calls.append("didSave") }
    override func prepareForDeletion() { Self.calls.append("delete") }
    override func validateForInsert() throws {
      try super.validateForInsert()
      if value(forKey: "name") as? String == "bad" { throw Problem() }
    }
  }

  private func context() throws -> NSManagedObjectContext {
    Item.calls = []
    let item = NSEntityDescription()
    (item.name, item.managedObjectClassName) = ("Item", String(reflecting: Item.self))
    let (name, count, others) = (NSAttributeDescription(), NSAttributeDescription(), NSRelationshipDescription())
    (name.name, name.attributeType, name.isOptional) = ("name", .stringAttributeType, false)
    (count.name, count.attributeType, count.defaultValue) = ("count", .integer16AttributeType, 1)
    (others.name, others.destinationEntity, others.maxCount) = ("others", item, 2)
    item.properties = [name, count, others]
    let model = NSManagedObjectModel()
    model.entities = [item]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = NSManagedObjectContext(.mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test func `Changed and committed values are known between saves`() throws {
    let context = try context()
    let item = Item(context: context)
    #expect(item.isInserted && context.insertedObjects == [item] && item.committedValues(forKeys: nil).isEmpty)
    #expect(Set(item.changedValues().keys) == ["name", "count"])
    try context.save()
    #expect(!item.isInserted && !item.hasChanges && !context.hasChanges && item.changedValues().isEmpty)
    item.setValue("other", forKey: "name")
    let friend = Item(context: context)
    item.setValue(Set([friend]), forKey: "others")
    #expect(item.isUpdated && context.updatedObjects == [item] && context.insertedObjects == [friend])
    #expect(Set(item.changedValues().keys) == ["name", "others"] && item.changedValues()["name"] as? String == "other")
    let committed = item.committedValues(forKeys: ["name", "count", "others"])
    #expect(committed["name"] as? String == "new" && committed["count"] as? Int == 1)
    #expect((committed["others"] as? NSSet)?.count == 0)
    try context.save()
    #expect(item.committedValues(forKeys: ["name"])["name"] as? String == "other")
    context.delete(friend)
    #expect(
      Item.calls == ["insert", "willSave", "didSave", "insert", "willSave", "willSave", "didSave", "didSave", "delete"])
  }

  @Test func `Instances are validated by their own rules and by those of their entity`() throws {
    let context = try context()
    let item = Item(context: context)
    item.setValue("bad", forKey: "name")
    #expect(throws: Problem.self) { try context.save() }
    item.setValue(nil, forKey: "name")
    let missing = #expect(throws: NSError.self) { try item.validateForInsert() }
    #expect(missing?.code == NSValidationMissingMandatoryPropertyError)
    #expect(missing?.userInfo[NSValidationKeyErrorKey] as? String == "name")
    item.setValue(Set((0..<3).map { _ in Item(context: context) }), forKey: "others")
    let several = #expect(throws: NSError.self) { try item.validateForUpdate() }
    #expect(several?.code == NSValidationMultipleErrorsError)
    #expect((several?.userInfo[NSDetailedErrorsKey] as? [NSError])?.map(\.code) == [1570, 1590])
  }

  class Parent: NSObject {
    var name: String? = "p"
    let missing: Int? = nil
  }

  final class Child: Parent {
    var parents = [Parent()]
    var info: [String: Any] = ["a": 1]
  }

  @Test func `Plain objects give their properties by name`() throws {
    let child = Child()
    #expect(child.value(forKey: "name") as? String == "p" && child.value(forKey: "missing") == nil)
    #expect(child.value(forKey: "nosuch") == nil && child.value(forKeyPath: "info.a") as? Int == 1)
    #expect((child.value(forKeyPath: "parents.name") as? [Any])?.first as? String == "p")
    // Instances of entities keep their own.
    let item = Item(context: try context())
    #expect(item.value(forKey: "name") as? String == "new")
  }

  @Test func `A source expression can be set to a fetch of the source's instances`() throws {
    let mapping = NSEntityMapping()
    mapping.sourceEntityName = "Item"
    let text =
      "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', 'Item', 'count > 1'), $manager.sourceContext, NO)"
    mapping.sourceExpression = NSExpression(format: text)
    #expect(mapping.sourceExpression?.description.contains("count > 1") == true)
    mapping.sourceExpression = nil
    #expect(mapping.sourceExpression?.description.contains("TRUEPREDICATE") == true)
    mapping.sourceExpression = NSExpression(forConstantValue: 1)
    #expect(mapping.sourceExpression?.description == "1")
    let sum = NSExpression(forFunction: "sum:", arguments: [NSExpression(forConstantValue: [1, 2, 3])])
    #expect(sum.expressionValue(with: nil, context: nil) as? Int == 6)
  }
}
