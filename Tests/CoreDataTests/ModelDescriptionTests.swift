import CoreData
import TestSupport
import Testing

/// Models that apps put together in code, or change.
@Suite("Models in code")
struct ModelDescriptionTests {
  private func books() throws -> NSManagedObjectModel {
    try #require(
      NSManagedObjectModel(contentsOf: Checkout.root.appending(path: "SampleData/Books/Books.xcdatamodeld")))
  }

  @Test func `A property does not keep its entity, nor an entity its model`() throws {
    func entity() throws -> NSEntityDescription { try #require(try books().entities.first) }
    #expect(try entity().managedObjectModel.entities.isEmpty)
    func attribute() throws -> NSAttributeDescription {
      let entity = try entity()
      let attribute = try #require(entity.attributesByName.values.first)
      #expect(attribute.entity === entity)
      return attribute
    }
    #expect(try attribute().entity == nil)
  }

  /// The model with each description made anew.
  private func copy(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
    var entities: [String: NSEntityDescription] = [:]
    for entity in model.entities {
      let made = NSEntityDescription()
      (made.name, made.isAbstract, made.versionHashModifier) = (
        entity.name, entity.isAbstract, entity.versionHashModifier
      )
      (made.renamingIdentifier, made.uniquenessConstraints) = (entity.renamingIdentifier, entity.uniquenessConstraints)
      made.managedObjectClassName = entity.managedObjectClassName
      made.indexes = entity.indexes.map { NSFetchIndexDescription(name: $0.name, elements: $0.elements) }
      entities[entity.name ?? ""] = made
    }
    for entity in model.entities {
      let made = try #require(entities[entity.name ?? ""])
      made.subentities = entity.subentities.compactMap { entities[$0.name ?? ""] }
      made.properties = entity.properties.filter {
        $0.entity == entity && entity.superentity?.propertiesByName[$0.name] == nil
      }
      .map { property in
        switch property {
        case let attribute as NSAttributeDescription:
          let made = NSAttributeDescription()
          (made.name, made.attributeType) = (attribute.name, attribute.attributeType)
          (made.isOptional, made.isTransient) = (attribute.isOptional, attribute.isTransient)
          (made.defaultValue, made.versionHashModifier) = (attribute.defaultValue, attribute.versionHashModifier)
          made.allowsExternalBinaryDataStorage = attribute.allowsExternalBinaryDataStorage
          return made
        case let relationship as NSRelationshipDescription:
          let made = NSRelationshipDescription()
          (made.name, made.isOptional, made.isOrdered) = (
            relationship.name, relationship.isOptional, relationship.isOrdered
          )
          (made.minCount, made.maxCount, made.deleteRule) = (
            relationship.minCount, relationship.maxCount, relationship.deleteRule
          )
          made.destinationEntity = entities[relationship.destinationEntity?.name ?? ""]
          return made
        default: return property
        }
      }
    }
    for entity in model.entities {
      for (name, relationship) in entity.relationshipsByName {
        let made = entities[entity.name ?? ""]?.relationshipsByName[name]
        made?.inverseRelationship = relationship.inverseRelationship.flatMap {
          entities[relationship.destinationEntity?.name ?? ""]?.relationshipsByName[$0.name]
        }
      }
    }
    let made = NSManagedObjectModel()
    made.entities = Array(entities.values)
    return made
  }

  @Test(arguments: ["Books/Books.xcdatamodeld", "Notes/Notes.xcdatamodeld", "Tracks.xcdatamodeld"])
  func `A model made in code has the hashes of the same model in a file`(name: String) throws {
    let url = Checkout.root.appending(path: "SampleData/\(name)")
    guard let model = NSManagedObjectModel(contentsOf: url) else { return }
    let made = try copy(model)
    #expect(made.entityVersionHashesByName == model.entityVersionHashesByName && made == model)
    #expect(made.versionChecksum == model.versionChecksum)
  }

  @Test func `Changes count until the model is used, and the descriptions stay the same objects`() throws {
    let model = try books()
    let hash = model.entityVersionHashesByName
    let entity = try #require(model.entities.first { !$0.attributesByName.isEmpty })
    let attribute = try #require(entity.attributesByName.values.first)
    attribute.versionHashModifier = "2"
    #expect(model.entityVersionHashesByName != hash)
    #expect(entity.attributesByName[attribute.name] === attribute && model.entitiesByName[entity.name ?? ""] === entity)
    attribute.versionHashModifier = nil
    #expect(model.entityVersionHashesByName == hash)
    let name = attribute.name
    attribute.name = "renamed"
    #expect(entity.attributesByName["renamed"] === attribute && entity.attributesByName[name] == nil)
    #expect(attribute.renamingIdentifier == "renamed")
    #expect(model.entityVersionHashesByName != hash)
  }

  @Test func `Entities that contradict each other are no model, and the error says why`() throws {
    let entity = NSEntityDescription()
    entity.name = "A"
    let relationship = NSRelationshipDescription()
    (relationship.name, relationship.destinationEntity) = ("b", NSEntityDescription())
    entity.properties = [relationship]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let error = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    }
    #expect(error?.localizedDescription.contains("'A.b'") == true, "\(String(describing: error))")
  }

  @Test func `Fetch request templates, indexes and derived attributes are found, and variables substituted`() throws {
    let xml = """
      <?xml version="1.0" encoding="UTF-8"?><model>
      <entity name="A"><attribute name="n" optional="YES" attributeType="Integer 16"/>
      <attribute name="twice" optional="YES" attributeType="Integer 16" derived="YES" derivationExpression="n"/>
      <fetchedProperty name="others" optional="YES"><fetchRequest name="f" entity="A" predicateString="n &gt; 1"/></fetchedProperty>
      <fetchIndex name="byN"><fetchIndexElement property="n" type="Binary" order="descending"/></fetchIndex></entity>
      <fetchRequest name="Small" entity="A" predicateString="n &lt; $LIMIT"/>
      <configuration name="Local"><memberEntity name="A"/></configuration></model>
      """
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("M.xcdatamodel"), withIntermediateDirectories: true)
    try Files.write(xml, to: folder.file("M.xcdatamodel/contents"))
    let model = try #require(NSManagedObjectModel(contentsOf: URL(filePath: folder.file("M.xcdatamodel"))))
    let entity = try #require(model.entitiesByName["A"])
    #expect(entity.indexes.map(\.name) == ["byN"] && entity.indexes[0].elements[0].isAscending == false)
    let derived = try #require(entity.attributesByName["twice"] as? NSDerivedAttributeDescription)
    #expect(derived.derivationExpression?.description == "n")
    #expect(entity.propertiesByName["others"] is NSFetchedPropertyDescription)
    #expect(model.entities(forConfigurationName: "Local") == [entity])
    let request = try #require(
      model.fetchRequestFromTemplate(withName: "Small", substitutionVariables: ["LIMIT": 3]))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = NSManagedObjectContext(.mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    for number in 1...5 {
      NSEntityDescription.insertNewObject(forEntityName: "A", into: context).setValue(number, forKey: "n")
    }
    #expect(try context.count(for: request) == 2)
  }
}
