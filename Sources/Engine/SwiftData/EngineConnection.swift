internal import Migration
internal import MigrationDiagnostics

/// The engine of this program, which is asked as the command is by its programs.
final class EngineConnection: StoreConnection {
  private let server: StageServer
  private let isReadOnly: Bool
  private var answers: [WireValue] = []

  init(_ context: ManagedObjectContext, isReadOnly: Bool) {
    (server, self.isReadOnly) = (StageServer(context: context), isReadOnly)
  }

  func send(_ message: WireValue) throws {
    if isReadOnly, let request = message.list?.first?.text, ["insert", "save"].contains(request) {
      throw StoreFailure(
        description: "changes to a store that existed when it was opened cannot be saved here: make a new store, or "
          + "change this one in a custom stage of a migration plan")
    }
    answers = []
    do {
      try server.answer(message.frame) { bytes in
        if let answer = WireValue(Array(bytes.dropFirst(4))) { answers.append(answer) }
      }
    } catch let error as MigrationError {
      throw StoreFailure(error)
    }
  }

  func receive() throws -> WireValue {
    guard !answers.isEmpty else { throw StoreFailure(description: "the engine has not answered") }
    return answers.removeFirst()
  }
}

extension StoreFailure {
  init(_ error: MigrationError) {
    let message = ErrorMessage(error)
    self.init(description: "\(message.problem). \(message.advice)")
  }
}
