import CoreData
import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

/// Actions of apps' policies other than setting values.
struct NSPolicyTests {
  private struct Refusal: LocalizedError { let errorDescription: String? = "no, thanks" }
  private struct Silent: Error {}

  @Test func `An error that a policy throws appears in the message`() throws {
    let errors: [(any Error, String)] = [
      (NSError(domain: "D", code: 5, userInfo: [NSLocalizedDescriptionKey: "no such thing"]), "no such thing (D 5)"),
      (Refusal(), "no, thanks"), (Silent(), "Silent()"),
    ]
    for (thrown, text) in errors {
      let error = try #require(throws: MigrationError.self) { try Things.probe { _, _, _ in throw thrown } }
      #expect(error.code == .policyFailed)
      #expect(error.detail == text)
      #expect(error.subject.row == 1)
      let cancelled = try #require(throws: MigrationError.self) {
        try Things.probe { $2.cancelMigrationWithError(thrown) }
      }
      #expect(cancelled.detail == text)
    }
    let error = try #require(throws: MigrationError.self) {
      try Things.probe { _, _, _ in throw MigrationError(.strictFindings) }
    }
    #expect(error.code == .strictFindings)
  }

  @Test func `A manager returns its models, mappings and associations`() throws {
    try Things.probe { old, new, manager in
      #expect(manager.sourceModel == manager.destinationModel)
      #expect(manager.currentEntityMapping.name == "ThingToThing")
      #expect(manager.mappingModel.entityMappingsByName["ThingToThing"] === manager.currentEntityMapping)
      let mapping = manager.currentEntityMapping
      #expect(manager.sourceEntity(for: mapping)?.name == "Thing")
      #expect(manager.destinationEntity(for: mapping) == new.entity)
      #expect(manager.sourceInstances(forEntityMappingName: "ThingToThing", destinationInstances: [new]) == [old])
      #expect(manager.destinationInstances(forEntityMappingName: "ThingToThing") == [new])
      #expect(manager.destinationInstances(forEntityMappingName: "none").isEmpty)
      #expect(mapping.attributeMappings?.count == 12)
      #expect(mapping.relationshipMappings == nil)
      #expect(mapping.userInfo == nil)
      #expect(mapping.sourceEntityVersionHash == old.entity.versionHash)
    }
  }

  @Test func `Objects that a policy kept can be asked when the migration is over`() throws {
    var instances: [NSManagedObject] = []
    var context: NSManagedObjectContext?
    var attribute: NSAttributeDescription?
    try Things.probe { old, new, manager in
      instances = [old, new]
      context = manager.destinationContext
      attribute = new.entity.attributesByName["text"]
    }
    for instance in instances {
      #expect(instance.value(forKey: "text") as? String == "näme")
      #expect(instance.entity.name == "Thing")
      #expect(instance.managedObjectContext?.hasChanges != nil)
      #expect(instance.managedObjectContext === instance.managedObjectContext)
      #expect((instance.value(forKey: "tags") as? NSSet)?.count == 0)
    }
    instances[0].setValue("later", forKey: "text")
    #expect(instances[0].value(forKey: "text") as? String == "later")
    #expect(context?.registeredObjects.contains(instances[1]) == true)
    instances = []
    #expect(context?.registeredObjects.isEmpty == true)
    context = nil
    // Its entity is there only as long as the model is.
    #expect(attribute?.entity.map { $0.name == "Thing" } != false)
    #expect(attribute?.name == "text")
  }

  @Test func `The user info is shared with the engine and keeps values with other keys`() throws {
    try Things.probe { _, _, manager in
      #expect(manager.userInfo == nil)
      manager.userInfo = [:]
      manager.userInfo?["filled"] = 1
      #expect(manager.userInfo?.count == 1)
      manager.userInfo = ["text": 1, 7: "number"]
      manager.userInfo?["more"] = NSMutableDictionary()
      (manager.userInfo?["more"] as? NSMutableDictionary)?["x"] = "y"
      #expect(manager.userInfo?.count == 3)
      #expect(manager.userInfo?[7] as? String == "number")
      #expect((manager.userInfo?["more"] as? NSMutableDictionary)?["x"] as? String == "y")
      manager.userInfo = nil
      #expect(manager.userInfo == nil)
    }
  }

  @Test func `The default policy uses a mapping that a policy has changed`() throws {
    final class Policy: NSEntityMigrationPolicy {
      override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        for attribute in mapping.attributeMappings ?? [] where attribute.name == "text" {
          attribute.valueExpression = NSExpression(format: "uppercase:(%K)", "$source.text")
          attribute.valueExpression = NSExpression(format: "uppercase:($source.text)")
        }
        let added = NSPropertyMapping()
        added.name = "owner"
        mapping.relationshipMappings = [added]
      }
    }
    var fixture = try PolicyFixture(Things.model, Things.rows)
    fixture.registry.register("Policy") { Policy() }
    try fixture.migrate(to: Things.model, fixture.mapping("Thing", in: Things.model, policy: "Policy"))
    #expect(try fixture.rows("SELECT ZTEXT, ZOWNER FROM ZTHING") == ["NÄME|NULL"])
  }

  @Test func `A policy's expressions can use the source, the manager and constants`() throws {
    try Things.probe { old, new, manager in
      func value(_ expression: NSExpression) -> Any? {
        expression.expressionValue(with: old, context: ["source": old, "manager": manager, "extra": 5])
      }
      #expect(value(NSExpression(format: "$source.owner.name")) as? String == "Ada")
      #expect(value(NSExpression(forKeyPath: "owner.name")) as? String == "Ada")
      #expect(value(NSExpression(forConstantValue: 5)) as? Int == 5)
      #expect(value(NSExpression(forConstantValue: nil)) == nil)
      #expect(value(NSExpression(format: "small + %d", 2)) as? Int == 9)
      #expect(
        value(
          NSExpression(
            format:
              "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'ThingToThing', $source)"
          )
        ) as? [NSManagedObject] == [new])
      let plain = NSExpression(format: "$extra * 2").expressionValue(with: nil, context: ["extra": 21])
      #expect(plain as? Int == 42)
      #expect(NSExpression(format: "1 +").expressionValue(with: nil, context: nil) == nil)
    }
  }

  @Test func `A policy answers function calls in expressions`() throws {
    var fixture = try PolicyFixture(Things.model, Things.rows)
    fixture.registry.register("Probe") {
      ProbePolicy { _, _, _ in
      } answer: { selector, arguments in
        selector == "shout:"
          ? ((arguments.first as? NSManagedObject)?.value(forKey: "text") as? String).map { $0 + "!" } : nil
      }
    }
    var mapping = fixture.mapping("Thing", in: Things.model, policy: "Probe")
    mapping.attributeMappings = [
      PropertyMapping(
        name: "text",
        valueExpression: .function(
          target: .variable("entityPolicy"), selector: "shout:", arguments: [.variable("source")]))
    ]
    try fixture.migrate(to: Things.model, mapping)
    #expect(try fixture.rows("SELECT ZTEXT FROM ZTHING") == ["näme!"])
  }

  @Test func `All seven methods are called in three passes`() throws {
    final class Policy: NSEntityMigrationPolicy {
      static nonisolated(unsafe) var calls: [String] = []
      override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        Self.calls.append("begin")
      }
      override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
      ) throws {
        Self.calls.append("create")
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
      }
      override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        Self.calls.append("endInstanceCreation")
      }
      override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
      ) throws {
        Self.calls.append("relate")
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
      }
      override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        Self.calls.append("endRelationshipCreation")
      }
      override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        Self.calls.append("validate")
      }
      override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws { Self.calls.append("end") }
    }
    var fixture = try PolicyFixture(Things.model, Things.rows)
    fixture.registry.register("Policy") { Policy() }
    try fixture.migrate(to: Things.model, fixture.mapping("Thing", in: Things.model, policy: "Policy"))
    #expect(
      Policy.calls == [
        "begin", "create", "endInstanceCreation", "relate", "endRelationshipCreation", "validate", "end",
      ])
  }
}
