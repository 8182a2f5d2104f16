import DataModel
import PropertyListFormat
import TestSupport
import Testing

@Suite struct HostileArchiveTests {
  private static func problem(_ archive: PropertyList) -> ModelFileProblem? { problem(archive.binary()) }

  private static func problem(_ bytes: [UInt8]) -> ModelFileProblem? {
    do throws(ModelFileError) { _ = try ManagedObjectModel(archive: bytes) } catch { return error.problem }
    return nil
  }

  private func richArchive(_ style: TestModelArchiver.Style) throws -> PropertyList {
    TestModelArchiver.archive(
      try RichModel.model(attributes: [0, 1, 5, 7, 8, 9]), style, expressions: RichModel.expressions,
      predicates: RichModel.predicates)
  }

  private static let wrongValues: [PropertyList] = [
    .uid(1), .uid(.max), .boolean(true), .integer(.max), .integer(-1), .real(.nan), .data([0]), .string("x"),
    .array([.uid(1)]), .dictionary(["$class": .uid(1)]),
  ]

  /// The last case is a reference to the changed object itself.
  @Test(arguments: wrongValues.indices.lowerBound...wrongValues.indices.upperBound)
  func `Every key of every class can have any wrong value without a trap`(index: Int) throws {
    var seen: Set<String> = []
    for style in TestModelArchiver.Style.allCases {
      let archive = try richArchive(style)
      var copy = try #require(archive.dictionary)
      let objects = try #require(archive["$objects"]?.array)
      for (number, object) in objects.enumerated() {
        let kind = object["$class"]?.uid.map { objects[Int($0)]["$classname"]?.string ?? "" } ?? ""
        for key in object.dictionary?.keys ?? [] where seen.insert("\(kind) \(key)").inserted {
          // Each key gets some of the values, and all of them in the long run.
          guard Rounds.areMany || seen.count % 4 == index % 4 else { continue }
          var changed = objects
          var fields = object.dictionary ?? [:]
          fields[key] = index < Self.wrongValues.count ? Self.wrongValues[index] : .uid(UInt64(number))
          changed[number] = .dictionary(fields)
          copy["$objects"] = .array(changed)
          _ = Self.problem(.dictionary(copy))
        }
      }
    }
    #expect(seen.count > 100)
  }

  @Test func `A truncated file throws an error`() throws {
    let bytes = try richArchive(.proxies).binary()
    for length in stride(from: 0, to: bytes.count, by: Rounds.areMany ? 13 : 67) {
      #expect(Self.problem(Array(bytes.prefix(length))) != nil)
    }
  }

  @Test func `Random changes never cause a trap`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("HostileArchiveTests seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for style in TestModelArchiver.Style.allCases {
      let bytes = try richArchive(style).binary()
      for _ in 0..<Rounds.count(40) {
        var flipped = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          flipped[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        _ = Self.problem(flipped)
      }
    }
  }

  @Test func `Redirected references never cause a trap`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("HostileArchiveTests seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let archive = try richArchive(.copies)
    var copy = try #require(archive.dictionary)
    let objects = try #require(archive["$objects"]?.array)
    for _ in 0..<Rounds.count(40) {
      var changed = objects
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let index = Int.random(in: objects.indices, using: &generator)
        guard var fields = objects[index].dictionary, let key = fields.keys.randomElement(using: &generator) else {
          continue
        }
        fields[key] = .uid(UInt64.random(in: 0..<UInt64(objects.count), using: &generator))
        changed[index] = .dictionary(fields)
      }
      copy["$objects"] = .array(changed)
      _ = Self.problem(.dictionary(copy))
    }
  }

  @Test func `Reading circular references terminates`() {
    // An expression that is its own argument.
    let expression = SmallArchive(attributeClass: "NSDerivedAttributeDescription") { archiver in
      let (function, selector) = (archiver.reserve(), archiver.add("count:"))
      archiver.fill(
        function, "NSFunctionExpression", ["NSSelectorName": selector, "NSArguments": archiver.list([function])])
      return ["NSDerivationExpression": function]
    }
    #expect(expression.problem == .archiveTooComplex(limit: 64))
    // A predicate that contains itself.
    let predicate = SmallArchive(attributeClass: "NSFetchedPropertyDescription") { archiver in
      let (compound, name) = (archiver.reserve(), archiver.add("E"))
      archiver.fill(
        compound, "NSCompoundPredicate",
        ["NSCompoundPredicateType": .integer(0), "NSSubpredicates": archiver.list([compound])])
      let request = archiver.add("NSFetchRequest", ["NSPredicate": compound])
      return ["NSFetchRequest": request, "_NSFetchRequestEntityName": name]
    }
    #expect(predicate.problem == .archiveTooComplex(limit: 64))
    // A proxy that stands for itself.
    let proxy = SmallArchive(entity: { archiver in
      let proxy = archiver.reserve()
      archiver.fill(proxy, "_NSPropertyDescriptionProxy", ["NSUnderlyingProperty": proxy])
      return ["NSProperties": archiver.dictionary([("a", proxy)])]
    })
    #expect(
      proxy.problem
        == .badArchivedValue(subject: "Entity 'E'", key: "NSProperties", expected: "a dictionary of properties"))
    // A dictionary whose keys are in itself.
    let dictionary = SmallArchive(model: { archiver in
      let dictionary = archiver.reserve()
      archiver.fill(
        dictionary, "NSKnownKeysDictionary1", ["searchMapping": dictionary, "keys": dictionary, "values": dictionary])
      return ["NSEntities": dictionary]
    })
    #expect(dictionary.problem != nil)
  }

  @Test func `An entity that is its own ancestor throws an error`() {
    let archive = SmallArchive(entity: { archiver in
      let name = archiver.add("E")
      return ["NSSuperentity": archiver.add("NSEntityDescription", ["NSEntityName": name])]
    })
    #expect(archive.problem == .model(.inheritanceCycle(entity: "E")))
  }

  @Test func `An entity below another of its own name throws an error`() {
    let archive = SmallArchive(model: { archiver in
      let name = archiver.add("E")
      let root = archiver.add("NSEntityDescription", ["NSEntityName": name])
      let child = archiver.add("NSEntityDescription", ["NSEntityName": name, "NSSuperentity": root])
      return ["NSEntities": archiver.dictionary([("E", root), ("F", child)])]
    })
    #expect(archive.problem == .model(.duplicateEntity("E")))
  }

  @Test func `Shared parts of an archive are not expanded exponentially`() {
    // Every level holds the one below twice: 2 to the power of 40 comparisons.
    let predicate = SmallArchive(attributeClass: "NSFetchedPropertyDescription") { archiver in
      var part = TestPredicate.always.archived(by: &archiver)
      for _ in 0..<40 {
        part = archiver.add(
          "NSCompoundPredicate",
          ["NSCompoundPredicateType": .integer(1), "NSSubpredicates": archiver.list([part, part])])
      }
      let (request, name) = (archiver.add("NSFetchRequest", ["NSPredicate": part]), archiver.add("E"))
      return ["NSFetchRequest": request, "_NSFetchRequestEntityName": name]
    }
    #expect(isTooComplex(predicate.problem))
    // 2 000 entities that share a dictionary of 2 000 attributes.
    let entities = SmallArchive(model: { archiver in
      let names = (0..<2000).map { archiver.add("n\($0)") }
      let attribute = archiver.add("NSAttributeDescription", ["NSAttributeType": .integer(700)])
      let properties = archiver.add(
        "NSDictionary", ["NS.keys": .array(names), "NS.objects": .array(names.map { _ in attribute })])
      let entities = names.map {
        archiver.add("NSEntityDescription", ["NSEntityName": $0, "NSProperties": properties])
      }
      return ["NSEntities": archiver.add("NSDictionary", ["NS.keys": .array(names), "NS.objects": .array(entities)])]
    })
    #expect(isTooComplex(entities.problem))
    // A long text that 2 000 attributes share and that would be hashed for each of them.
    let text = SmallArchive(entity: { archiver in
      let names = (0..<2000).map { archiver.add("n\($0)") }
      let modifier = archiver.add(String(repeating: "m", count: 1 << 20))
      let attributes = names.map { name in
        archiver.add(
          "NSAttributeDescription",
          ["NSPropertyName": name, "NSAttributeType": .integer(700), "NSVersionHashModifier": modifier])
      }
      let properties = archiver.add("NSDictionary", ["NS.keys": .array(names), "NS.objects": .array(attributes)])
      return ["NSProperties": properties]
    })
    #expect(isTooComplex(text.problem))
  }

  private func isTooComplex(_ problem: ModelFileProblem?) -> Bool {
    if case .archiveTooComplex = problem { true } else { false }
  }

  @Test func `Deep inheritance is refused before it exhausts memory`() {
    let archive = SmallArchive(model: { archiver in
      let names = (0..<20_000).map { archiver.add("E\($0)") }
      let attribute = archiver.add("NSAttributeDescription", ["NSAttributeType": .integer(700)])
      let entities = names.map { _ in archiver.reserve() }
      for (index, entity) in entities.enumerated() {
        let properties = archiver.add(
          "NSDictionary", ["NS.keys": .array([names[index]]), "NS.objects": .array([attribute])])
        archiver.fill(
          entity, "NSEntityDescription",
          [
            "NSEntityName": names[index], "NSProperties": properties,
            "NSSuperentity": index == 0 ? TestArchiver.null : entities[index - 1],
          ])
      }
      return ["NSEntities": archiver.add("NSDictionary", ["NS.keys": .array(names), "NS.objects": .array(entities)])]
    })
    #expect(archive.problem == .model(.tooManyInheritedProperties(limit: 200_000)))
  }
}
