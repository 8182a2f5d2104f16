import CoreData
import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

/// Values that apps read from instances and set on them.
struct KeyValueCodingTests {
  @Test func `Values can be cast as on Apple's platforms`() throws {
    try Things.probe { old, _, _ in
      #expect(old.value(forKey: "small") as? Int == 7)
      #expect(old.value(forKey: "small") as? Int16 == 7)
      #expect(old.value(forKey: "small") as? Double == 7)
      #expect((old.value(forKey: "small") as? NSNumber)?.intValue == 7)
      #expect(old.value(forKey: "large") as? Int64 == 9_007_199_254_740_993)
      #expect(old.value(forKey: "real") as? Double == 2.5)
      #expect(old.value(forKey: "single") as? Float == 0.25)
      #expect(old.value(forKey: "price") as? Decimal == Decimal(string: "12.1"))
      #expect((old.value(forKey: "price") as? NSDecimalNumber)?.stringValue == "12.1")
      #expect(old.value(forKey: "flag") as? Bool == true)
      #expect(old.value(forKey: "text") as? String == "näme")
      #expect((old.value(forKey: "text") as? NSString)?.length == 4)
      #expect(old.value(forKey: "day") as? Date == Date(timeIntervalSinceReferenceDate: 86400))
      #expect(old.value(forKey: "day") as? NSDate != nil)
      #expect(old.value(forKey: "bytes") as? Data == Data([1, 255]))
      #expect((old.value(forKey: "id") as? UUID)?.uuidString == "00010203-0405-0607-0809-0A0B0C0D0E0F")
      #expect((old.value(forKey: "link") as? URL)?.absoluteString == "https://example.org/a%20b")
      #expect(old.value(forKey: "object") as? Data == Data([0xAB]))
      #expect((old.value(forKey: "owner") as? NSManagedObject)?.value(forKey: "name") as? String == "Ada")
      #expect(old.value(forKeyPath: "owner.name") as? String == "Ada")
      #expect(old.value(forKeyPath: "owner.things.text") as? NSSet == NSSet(array: ["näme"]))
      #expect(old.value(forKeyPath: "owner.things.@count") as? Int == 1)
    }
  }

  @Test func `An object made for another version of its entity has its values under its keys`() throws {
    // Without the name, the rank is the first attribute.
    let other = TrackModels.model([EntityDescription("Tag", attributes: [AttributeDescription("rank", .integer32)])])
    try Things.probe { _, _, manager in
      let entity = try #require(NSManagedObjectModel(other).entitiesByName["Tag"])
      let tag = NSManagedObject(entity: entity, insertInto: nil)
      tag.setValue(5, forKey: "rank")
      manager.destinationContext.insert(tag)
      #expect(tag.value(forKey: "rank") as? Int == 5)
      tag.setValue(6, forKey: "rank")
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.predicate = NSPredicate(format: "rank == %d AND name == nil", 6)
      #expect(try manager.destinationContext.fetch(request).count == 1)
    }
  }

  @Test func `Values that were read can be set again and are written unchanged`() throws {
    let attributes = Things.model.entity(named: "Thing")?.attributes.map(\.name) ?? []
    let fixture = try Things.probe(attributes: []) { old, new, _ in
      #expect(new.value(forKey: "small") == nil)
      new.setValuesForKeys(old.dictionaryWithValues(forKeys: attributes))
    }
    let columns = attributes.map { "quote(Z\($0.uppercased()))" }.joined(separator: ", ")
    let before = try Database.rows("SELECT \(columns) FROM ZTHING", in: fixture.source)
    #expect(try fixture.rows("SELECT \(columns) FROM ZTHING") == before)
    #expect(before.count == 1)
  }

  @Test func `Setting nil or NSNull clears a value, and a dictionary of values contains NSNull`() throws {
    let fixture = try Things.probe { old, new, _ in
      new.setValue(nil, forKey: "small")
      new.setValue(NSNull(), forKey: "text")
      new.setValue(Optional<Int>.none as Any, forKey: "large")
      new.setValue(NSNull(), forKey: "owner")
      let values = new.dictionaryWithValues(forKeys: ["small", "text", "real"])
      #expect(values["small"] is NSNull)
      #expect(values["text"] is NSNull)
      #expect(values["real"] as? Double == 2.5)
      let repeated = new.dictionaryWithValues(forKeys: ["real", "small", "real"])
      #expect(repeated.count == 2)
      #expect(repeated["real"] as? Double == 2.5)
    }
    #expect(try fixture.rows("SELECT ZSMALL, ZTEXT, ZLARGE, ZOWNER FROM ZTHING") == ["NULL|NULL|NULL|NULL"])
  }

  @Test func `Number types are converted to the attribute's type`() throws {
    let fixture = try Things.probe { _, new, _ in
      new.setValue(UInt8(200), forKey: "small")
      new.setValue(true, forKey: "large")
      new.setValue(CGFloat(1.5), forKey: "real")
      new.setValue(NSNumber(value: 3), forKey: "single")
      new.setValue(Decimal(string: "0.75"), forKey: "price")
      new.setValue(0, forKey: "flag")
    }
    #expect(
      try fixture.rows("SELECT ZSMALL, ZLARGE, ZREAL, ZSINGLE, ZPRICE, ZFLAG FROM ZTHING") == ["200|1|1.5|3.0|0.75|0"])
  }

  nonisolated(unsafe) private static let unacceptable: [(String, Any)] = [
    ("real", Date()), ("small", "5"), ("small", 70_000), ("text", 5), ("day", 5.0), ("id", "no"), ("bytes", "text"),
    ("link", "https://example.org"), ("object", Date()), ("owner", "Ada"), ("tags", ["x"]), ("price", "1"),
    ("flag", Data()), ("missing", 1),
  ]

  @Test(arguments: unacceptable.indices)
  func `A value of the wrong type is an error that names entity, property and row`(index: Int) throws {
    let (key, value) = Self.unacceptable[index]
    let error = try #require(throws: MigrationError.self) {
      try Things.probe { _, new, _ in new.setValue(value, forKey: key) }
    }
    #expect(error.code == .policyFailed)
    #expect(error.subject.entity == "Thing")
    #expect(error.subject.property == key)
    #expect(error.subject.row == 1)
  }

  @Test func `Reading an unknown key is an error`() throws {
    let error = try #require(throws: MigrationError.self) {
      try Things.probe { old, _, _ in #expect(old.value(forKey: "nothing") == nil) }
    }
    #expect(error.subject.property == "nothing")
  }

  @Test func `A key path that continues after a plain value is an error that names the key`() throws {
    let error = try #require(throws: MigrationError.self) {
      try Things.probe { old, _, _ in #expect(old.value(forKeyPath: "owner.name.first") == nil) }
    }
    #expect(error.code == .policyFailed)
    #expect(error.subject.property == "first")
    #expect(error.detail?.contains("a path of keys leads to 'first' of a plain value") == true, "\(error)")
    // The rest of a path after nil is nil and not an error.
    try Things.probe { _, new, _ in
      new.setValue(nil, forKey: "owner")
      #expect(new.value(forKeyPath: "owner.name.first") == nil)
    }
  }

  @Test func `An instance reports its state, is never a fault and equals only itself`() throws {
    try Things.probe { old, new, manager in
      #expect(old.isEqual(old) && !old.isEqual(new) && !old.isEqual("text") && !old.isEqual(nil))
      #expect(!old.isFault && !old.isInserted && !old.isDeleted && !old.hasChanges)
      #expect(!new.isFault && new.isInserted && !new.isDeleted && new.hasChanges)
      let tag = Things.tag("a", 1, manager)
      manager.destinationContext.delete(tag)
      #expect(!tag.isFault && !tag.isInserted && tag.isDeleted && tag.hasChanges)
    }
  }

  @Test func `A subclass can return values for unknown keys`() throws {
    final class Owner: NSManagedObject {
      override func value(forUndefinedKey key: String) -> Any? { key + "!" }
    }
    try Things.probe { old, _, manager in
      let owners = try manager.sourceContext.fetch(NSFetchRequest<Owner>(entityName: "Owner"))
      #expect(owners.first?.value(forKey: "hello") as? String == "hello!")
    }
  }

  @Test func `An object without a context keeps its values until it is inserted`() throws {
    let fixture = try Things.probe { _, new, manager in
      let entity = NSEntityDescription.entity(forEntityName: "Owner", in: manager.destinationContext)
      let owner = NSManagedObject(entity: try #require(entity), insertInto: nil)
      #expect(owner.managedObjectContext == nil)
      #expect(!owner.isInserted)
      owner.setValue("Grace", forKey: "name")
      #expect(owner.value(forKey: "name") as? String == "Grace")
      manager.destinationContext.insert(owner)
      #expect(owner.isInserted)
      #expect(owner.managedObjectContext === manager.destinationContext)
      new.setValue(owner, forKey: "owner")
    }
    #expect(try fixture.rows("SELECT ZNAME FROM ZOWNER JOIN ZTHING ON ZOWNER = ZOWNER.Z_PK") == ["Grace"])
  }

  @Test func `A value that sets another one when it is released can be replaced`() {
    final class Echo {
      let owner: NSManagedObject
      init(_ owner: NSManagedObject) { self.owner = owner }
      deinit { owner.setValue("echo", forKey: "text") }
    }
    let object = NSManagedObject(entity: NSEntityDescription(), insertInto: nil)
    object.setValue(Echo(object), forKey: "value")
    object.setValue(1, forKey: "value")
    #expect(object.value(forKey: "value") == nil)
  }

  @Test func `A value of the wrong type is an error once its object is inserted`() throws {
    let error = try #require(throws: MigrationError.self) {
      try Things.probe { _, _, manager in
        let entity = NSEntityDescription.entity(forEntityName: "Owner", in: manager.destinationContext)
        let owner = NSManagedObject(entity: try #require(entity), insertInto: nil)
        owner.setValue(5, forKey: "name")
        manager.destinationContext.insert(owner)
      }
    }
    #expect(error.subject.property == "name")
  }

  @Test func `An instance without a context cannot be associated`() throws {
    let error = try #require(throws: MigrationError.self) {
      try Things.probe { old, new, manager in
        manager.associate(
          sourceInstance: old, withDestinationInstance: NSManagedObject(entity: new.entity, insertInto: nil),
          for: manager.currentEntityMapping)
      }
    }
    #expect(error.code == .policyFailed)
  }

  @Test func `A class finds its entity by its name`() throws {
    final class Owner: NSManagedObject {}
    final class Stranger: NSManagedObject {}
    let fixture = try Things.probe { _, _, manager in
      Owner(context: manager.destinationContext).setValue("Ada", forKey: "name")
    }
    #expect(try fixture.rows("SELECT ZNAME FROM ZOWNER") == ["Ada"])
    #expect(throws: MigrationError.self) { try Things.probe { _ = Stranger(context: $2.destinationContext) } }
  }

  @Test func `Objects cast to format arguments print as text`() {
    let id = UUID()
    #expect(String(format: "<%@>", id as CVarArg) == "<\(id.uuidString)>")
    #expect(String(format: "%@ %@", [1, 2] as CVarArg, "x") == "[1, 2] x")
  }

  @Test func `Instances have identities and can be deleted`() throws {
    let fixture = try Things.probe { old, new, manager in
      #expect(old.objectID != new.objectID)
      #expect(old != new)
      #expect(manager.destinationContext.object(with: new.objectID) === new)
      let existing = try manager.sourceContext.existingObject(with: old.objectID)
      #expect(existing === old)
      #expect(throws: MigrationError.self) { try manager.sourceContext.existingObject(with: new.objectID) }
      #expect(new.objectID.uriRepresentation().absoluteString == "x-coredata:///Thing/p1")
      let tag = Things.tag("gone", 1, manager)
      manager.destinationContext.delete(tag)
      #expect(tag.isDeleted)
    }
    #expect(try fixture.rows("SELECT count(*) FROM ZTAG") == ["0"])
  }

  @Test(arguments: ["Nothing", ""])
  func `Inserting an unknown entity is an error and not a trap`(entity: String) throws {
    let error = try #require(throws: MigrationError.self) {
      try Things.probe { _, new, manager in
        let made = NSEntityDescription.insertNewObject(forEntityName: entity, into: manager.destinationContext)
        made.setValue(1, forKey: "x")
        new.setValue(made, forKey: "owner")
      }
    }
    #expect(error.subject.entity == entity)
  }
}
