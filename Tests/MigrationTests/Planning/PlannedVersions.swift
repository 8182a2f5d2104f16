import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

/// Versions `V1`, `V2` and so on of a model with one entity, which has one attribute more in each.
///
/// Any of them can be inferred from any other, except where one is broken.
struct PlannedVersions {
  var planner: MigrationPlanner

  /// - Parameter broken: Versions with a required attribute of their own, which inference can give no value.
  init(_ count: Int, broken: Set<Int> = []) {
    planner = MigrationPlanner(
      versions: (1...count).map {
        LoadedModelVersion(name: "V\($0)", model: Self.model($0, isBroken: broken.contains($0)))
      })
  }

  static func model(_ number: Int, isBroken: Bool = false) -> ManagedObjectModel {
    let attributes = (1...number).map { AttributeDescription("a\($0)", .string) }
    let needed = isBroken ? [AttributeDescription("needed\(number)", .date, isOptional: false)] : []
    return TrackModels.model([EntityDescription("Item", attributes: attributes + needed)])
  }

  func version(_ number: Int) -> LoadedModelVersion { planner.versions[number - 1] }

  /// Adds a mapping model between two versions.
  mutating func map(_ source: Int, _ destination: Int, name: String? = nil, entityMapping: String = "ItemToItem") {
    var mapping = EntityMapping.suggested(
      from: MigrationFixture.entity("Item", in: version(source).model),
      to: MigrationFixture.entity("Item", in: version(destination).model))
    mapping.name = entityMapping
    planner.mappings.append(
      LoadedMappingModel(
        name: name ?? "m\(source)\(destination)", sourceVersionName: "V\(source)",
        destinationVersionName: "V\(destination)", mappingModel: MappingModel(entityMappings: [mapping])))
  }

  /// The hops, such as `V1>V2 m12` for one by a mapping model and `V2>V3 inferred`.
  func plan(_ source: Int, _ destination: Int) throws -> [String] {
    Self.words(try planner.plan(from: version(source), to: version(destination)))
  }

  static func words(_ plan: MigrationPlan) -> [String] {
    plan.steps.map { step in
      let method =
        switch step.method {
        case .mapping(let mappings): mappings.map(\.name).joined(separator: " ")
        case .inferred: "inferred"
        }
      return "\(step.source.name)>\(step.destination.name) \(method)"
    }
  }

  /// The reason why there is no route.
  func refusal(_ source: Int, _ destination: Int) -> String {
    let error = #expect(throws: MigrationError.self) {
      try planner.plan(from: version(source), to: version(destination))
    }
    #expect(error?.code == .noMigrationPath)
    return error?.detail ?? ""
  }
}
