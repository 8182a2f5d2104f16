/// Runs the code of a custom stage on the store that the command migrates.
enum StageProgram {
  /// The pipes to the command, which has the store.
  private static let pipes = takePipes()

  /// Tells the command why the code cannot go on.
  static func fail(_ reason: String) { pipes.send(.list([.text("failed"), .text(reason)])) }

  /// Runs closures of some plans, as the command asks for them.
  ///
  /// A closure may leave something in the app's variables for a later one, so that all run in one program.
  static func run(_ plans: [any SchemaMigrationPlan.Type]) -> Never {
    // Before the app's code prints anything.
    let pipes = Self.pipes
    // The command ends the program, or closes the pipes.
    while true {
      guard let words = pipes.receive().list, words.count == 3, let index = words[1].number.map({ Int($0) }),
        let plan = plans.first(where: { ModelBuilder.qualifiedName($0) == words[0].text }),
        plan.stages.indices.contains(index), let moment = words[2].text
      else { exit(64) }
      do {
        let store = RemoteStore(pipes, identifier: "migration")
        let isUnsaved = try plan.stages[index].run(moment, on: store)
        pipes.send(.list([.text("done"), .boolean(isUnsaved)]))
      } catch {
        fail(MigrationStage.reason(error))
      }
    }
  }

  /// Keeps the pipes to the command for its store: what the app prints goes to standard error.
  ///
  /// Programs that the app starts do not get them, so that the command sees the end of this one.
  private static func takePipes() -> StorePipes {
    let pipes = StorePipes(input: fcntl(0, F_DUPFD_CLOEXEC, 3), output: fcntl(1, F_DUPFD_CLOEXEC, 3))
    let nothing = open("/dev/null", O_RDONLY)
    dup2(nothing, 0)
    dup2(2, 1)
    return pipes
  }
}

extension MigrationStage {
  var versions: (from: any VersionedSchema.Type, to: any VersionedSchema.Type) {
    switch self {
    case .lightweight(let from, let to), .custom(let from, let to, _, _): (from, to)
    }
  }

  var isCustom: Bool { if case .custom = self { true } else { false } }

  /// The names of the closures that the stage has.
  var moments: [String] {
    guard case .custom(_, _, let will, let did) = self else { return [] }
    return [will.map { _ in "willMigrate" }, did.map { _ in "didMigrate" }].compactMap(\.self)
  }

  /// Runs a closure on a store.
  ///
  /// - Returns: Whether it ended with changes that it had not saved.
  func run(_ moment: String, on store: any ObjectStore) throws -> Bool {
    guard case .custom(let from, let to, let will, let did) = self else { return false }
    let isBefore = moment == "willMigrate"
    let context = ModelContext(ModelContainer(Schema(versionedSchema: isBefore ? from : to), store))
    try (isBefore ? will : did)?(context)
    return context.hasChanges
  }

  /// The sentence about an error that a closure has thrown.
  static func reason(_ error: any Error) -> String {
    (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
  }
}
