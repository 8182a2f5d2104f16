internal import DataModel
internal import Expressions

/// Makes entity mappings of the objects of an `xcmapping.xml`.
///
/// It follows the mapping model's own list: Xcode leaves what was deleted behind, even with the same names and numbers.
struct MappingXMLReader {
  struct Model {
    let sourcePath: String?
    let destinationPath: String?
    let entityMappings: [EntityMappingEntry]
  }

  let file: String
  let objects: [MappingObject]
  private var places: [String: Int] = [:]
  /// The places of the objects that the mapping model leads to.
  private var live: Set<Int> = []
  var findings: [MappingModelFinding] = []

  init(_ objects: [MappingObject], file: String) {
    self.objects = objects
    self.file = file
  }

  mutating func mappingModel() throws(MappingModelFileError) -> Model {
    for (place, object) in objects.enumerated() {
      guard places.updateValue(place, forKey: object.identifier) == nil else {
        throw error(.duplicateObject(identifier: object.identifier), object.line)
      }
    }
    let models = objects.filter { $0.type == MappingSchema.mappingModel }
    guard let model = models.first else {
      throw error(.notAMappingModel("it holds no object of type \(MappingSchema.mappingModel)"))
    }
    guard models.count == 1 else { throw error(.severalMappingModels, models[1].line) }
    checkAttributes(of: model, mapping: nil, property: nil)
    let entries = try targets("entitymappings", of: model, MappingSchema.entityMapping).map {
      object throws(MappingModelFileError) in try entityMapping(object)
    }
    let ordered = inOrder(entries)
    reportOrphans(liveNumbers: Set(entries.compactMap(\.number)))
    return Model(
      sourcePath: model.text("sourcemodelpath"), destinationPath: model.text("destinationmodelpath"),
      entityMappings: ordered)
  }

  /// The objects that a relationship leads to, each once, as to-many relationships are sets.
  mutating func targets(
    _ relationship: String, of object: MappingObject, _ type: String
  ) throws(MappingModelFileError) -> [MappingObject] {
    var (targets, seen): ([MappingObject], Set<Int>) = ([], [])
    for identifier in object.relationships[relationship] ?? [] {
      guard let place = places[identifier], objects[place].type == type else {
        throw error(
          .badReference(object: object.subject, relationship: relationship, identifier: identifier), object.line)
      }
      live.insert(place)
      if seen.insert(place).inserted { targets.append(objects[place]) }
    }
    return targets
  }

  /// Sorts by the numbers; those that clash or are missing stay in the order of the file.
  private mutating func inOrder(_ entries: [EntityMappingEntry]) -> [EntityMappingEntry] {
    let namesByNumber = Dictionary(grouping: entries.filter { $0.number != nil }, by: { $0.number ?? 0 })
      .mapValues { $0.map(\.name) }
    for (number, names) in namesByNumber.sorted(by: { $0.key < $1.key }) where names.count > 1 {
      findings.append(
        MappingModelFinding(.numberClash(number, others: Array(names.dropFirst())), mapping: names[0]))
    }
    for entry in entries where entry.number == nil {
      findings.append(MappingModelFinding(.missingNumber, mapping: entry.name))
    }
    let order = entries.indices.sorted {
      (entries[$0].number ?? .max, $0) < (entries[$1].number ?? .max, $1)
    }
    return order.map { entries[$0] }
  }

  private mutating func reportOrphans(liveNumbers: Set<Int>) {
    var numbers = liveNumbers
    for (place, object) in objects.enumerated() where !live.contains(place) {
      switch object.type {
      case MappingSchema.mappingModel: break
      case MappingSchema.entityMapping:
        let name =
          object.text("name")
          ?? EntityMappingEntry.defaultName(
            source: object.text("sourcename"), destination: object.text("destinationname"))
        findings.append(MappingModelFinding(.orphanEntityMapping, mapping: name))
        if let number = object.text("mappingnumber").flatMap({ Int($0) }), !numbers.insert(number).inserted {
          findings.append(MappingModelFinding(.orphanNumberClash(number), mapping: name))
        }
      case MappingSchema.attributeMapping, MappingSchema.relationshipMapping:
        let name = object.text("name") ?? object.identifier
        findings.append(MappingModelFinding(.orphanPropertyMapping, property: name))
      default: findings.append(MappingModelFinding(.unknownObject(type: object.type)))
      }
    }
  }

  mutating func report(_ kind: MappingModelFinding.Kind, mapping: String?, property: String? = nil) {
    findings.append(MappingModelFinding(kind, mapping: mapping, property: property))
  }

  func error(_ problem: MappingModelFileProblem, _ line: Int? = nil) -> MappingModelFileError {
    MappingModelFileError(problem, file: file, line: line)
  }

  /// Reports what Xcode is not known to write.
  mutating func checkAttributes(of object: MappingObject, mapping: String?, property: String?) {
    let known = MappingSchema.attributes[object.type] ?? [:]
    for (name, attribute) in object.attributes.sorted(by: { $0.key < $1.key }) {
      if let expected = known[name] {
        guard attribute.type != expected else { continue }
        let kind = MappingModelFinding.Kind.unexpectedType(attribute: name, type: attribute.type, expected: expected)
        report(kind, mapping: mapping, property: property)
      } else {
        report(.unknownAttribute(name), mapping: mapping, property: property)
      }
    }
    let relationships = MappingSchema.relationships[object.type] ?? []
    for name in object.relationships.keys.sorted() where !relationships.contains(name) {
      report(.unknownAttribute(name), mapping: mapping, property: property)
    }
  }
}
