/// Runs the code of a custom stage on the store that the command migrates.
enum StageProgram {
  /// Whether the program was started for a stage.
  static let isRunning = CommandLine.arguments.dropFirst().first == "stage"
  /// The store that the command migrates.
  private static let store = takeStore()

  /// Tells the command why the code cannot go on.
  static func fail(_ reason: String) { store.send(.list([.text("failed"), .text(reason)])) }

  /// - Parameters:
  ///   - words: The name of the plan, the place of the stage, and the moment.
  ///   - plans: The plans of the app.
  static func run(_ words: ArraySlice<String>, _ plans: [any SchemaMigrationPlan.Type]) -> Never {
    // Before the app's code prints anything.
    let store = Self.store
    let words = Array(words)
    guard words.count == 3, let index = Int(words[1]),
      let plan = plans.first(where: { ModelBuilder.qualifiedName($0) == words[0] }),
      plan.stages.indices.contains(index), case .custom(let from, let to, let will, let did) = plan.stages[index]
    else { exit(64) }
    let isBefore = words[2] == "willMigrate"
    do {
      let schema = Schema(versionedSchema: isBefore ? from : to)
      let context = ModelContext(ModelContainer(schema, store))
      try (isBefore ? will : did)?(context)
      store.send(.list([.text("done"), .boolean(context.hasChanges)]))
    } catch {
      fail((error as? any LocalizedError)?.errorDescription ?? String(describing: error))
    }
    exit(0)
  }

  /// Keeps the pipes to the command for its store: what the app prints goes to standard error.
  ///
  /// Programs that the app starts do not get them, so that the command sees the end of this one.
  private static func takeStore() -> PipedStore {
    let store = PipedStore(input: fcntl(0, F_DUPFD_CLOEXEC, 3), output: fcntl(1, F_DUPFD_CLOEXEC, 3))
    let nothing = open("/dev/null", O_RDONLY)
    dup2(nothing, 0)
    dup2(2, 1)
    return store
  }
}
