/// Runs the code of a custom stage on the store that the command migrates.
enum StageProgram {
  /// The pipes to the command, which has the store.
  private static let pipes = takePipes()

  /// Tells the command why the code cannot go on.
  static func fail(_ reason: String) { pipes.send(.list([.text("failed"), .text(reason)])) }

  /// - Parameters:
  ///   - words: The name of the plan, the place of the stage, and the moment.
  ///   - plans: The plans of the app.
  static func run(_ words: ArraySlice<String>, _ plans: [any SchemaMigrationPlan.Type]) -> Never {
    // Before the app's code prints anything.
    let pipes = Self.pipes
    let words = Array(words)
    guard words.count == 3, let index = Int(words[1]),
      let plan = plans.first(where: { ModelBuilder.qualifiedName($0) == words[0] }),
      plan.stages.indices.contains(index), plan.stages[index].isCustom
    else { exit(64) }
    do {
      let store = RemoteStore(pipes, identifier: "migration")
      let isUnsaved = try plan.stages[index].run(words[2], on: store)
      pipes.send(.list([.text("done"), .boolean(isUnsaved)]))
    } catch {
      fail(MigrationStage.reason(error))
    }
    exit(0)
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
