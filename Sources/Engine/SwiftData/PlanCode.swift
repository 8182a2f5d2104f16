internal import Migration
internal import MigrationDiagnostics
internal import SwiftSchemas

/// The closures of a plan of this program.
struct PlanCode: StageCode, @unchecked Sendable {
  let plan: any SchemaMigrationPlan.Type

  func prepare() {}

  func run(
    _ moment: String, ofStage index: Int, of description: SchemaPlans.Plan, on context: ManagedObjectContext
  ) throws -> Bool {
    let store = RemoteStore(EngineConnection(context, isReadOnly: false), identifier: "migration")
    do {
      return try plan.stages[index].run(moment, on: store)
    } catch {
      throw failure(moment, description.stages[index], MigrationStage.reason(error))
    }
  }
}

extension SchemaMigrationPlan {
  /// The plan as the engine has it.
  static var engineValue: SchemaPlans.Plan {
    SchemaPlans.Plan(
      name: ModelBuilder.qualifiedName(Self.self), schemas: schemas.map { ModelBuilder.qualifiedName($0) },
      stages: stages.map { stage in
        let (from, to) = (stage.versions.from, stage.versions.to)
        return SchemaPlans.Stage(
          kind: stage.isCustom ? .custom : .lightweight, from: ModelBuilder.qualifiedName(from),
          to: ModelBuilder.qualifiedName(to), moments: stage.moments)
      })
  }
}
