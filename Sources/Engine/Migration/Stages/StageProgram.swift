internal import DataModel
internal import MigrationDiagnostics
internal import SwiftSchemas
internal import SystemC

/// The closures of a plan that is Swift source, which run in a program made of that.
///
/// One program runs all closures of a migration: what a closure leaves in the app's variables is there for later ones.
final class StageProgram: StageCode, @unchecked Sendable {
  private let bundle: ModelBundle
  /// The program between two closures; a migration runs them one after the other.
  private var waiting: StageProcess?

  init(bundle: ModelBundle) { self.bundle = bundle }

  /// Compiles the program before any work: its errors end the migration, too.
  func prepare() throws(MigrationError) { _ = try program() }

  private func program() throws(MigrationError) -> String {
    do { return try bundle.stageProgram() } catch { throw MigrationError(error) }
  }

  func run(
    _ moment: String, ofStage index: Int, of plan: SchemaPlans.Plan, on context: ManagedObjectContext
  ) throws -> Bool {
    func failure(_ reason: String, _ report: [String] = []) -> MigrationError {
      self.failure(moment, plan.stages[index], reason, report)
    }
    let program = try program()
    guard let process = waiting ?? Self.start(program) else {
      throw failure("'\(program)' cannot be run (\(String(cString: strerror(errno))))")
    }
    // One that fails is of no more use.
    waiting = nil
    let server = StageServer(context: context)
    do {
      try process.send(.list([.text(plan.name), .integer(Int64(index)), .text(moment)]))
      while true {
        let message = try process.receive().list ?? []
        switch message.first?.text {
        case "done":
          waiting = process
          return message.last == .boolean(true)
        case "failed": throw failure(message.dropFirst().first?.text ?? "")
        default: break
        }
        // The code hears of no error: a part of a change may have been made, so the migration cannot go on.
        try server.answer(message, process.send)
      }
    } catch let error as StageProcess.Failure {
      throw failure(error.reason, error.report)
    } catch let error as StageServer.Misunderstanding {
      throw failure("\(error)")
    }
  }

  private static func start(_ program: String) -> StageProcess? {
    // Foundation's archives, and the app's own sets, would be in another order in each run. What the app says when it
    // traps would be lost among the registers of the processor.
    // A shell, because 'env' would take a path with an equals sign for a variable.
    let script = "export SWIFT_DETERMINISTIC_HASHING=1 SWIFT_BACKTRACE=enable=no; exec \"$0\" \"$@\""
    return StageProcess(["/bin/sh", "-c", script, program, "stage"])
  }
}
