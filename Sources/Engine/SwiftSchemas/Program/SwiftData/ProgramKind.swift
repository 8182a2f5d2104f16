/// The programs that this module is part of, which do not have the same stores.
enum ProgramKind {
  /// The command's, which reads schemas without any store.
  case schema
  /// The command's, which runs a stage on the store that the command migrates.
  case stage
  /// An app of its own.
  case app

  /// Set by the entry point of the command's programs, before anything else runs.
  nonisolated(unsafe) static var current = app
}

/// Ends the program with a sentence, where Apple's framework ends it, too.
func stop(_ reason: String) -> Never {
  switch ProgramKind.current {
  case .stage: StageProgram.fail(reason)
  case .schema: FileHandle.standardError.write(Data("error: \(reason).\n".utf8))
  case .app: fatalError("\(reason).")
  }
  exit(70)
}

/// Ends the program because a function has no store to work on.
func unavailable(_ function: String = #function) -> Never {
  switch ProgramKind.current {
  case .stage: stop("'\(function)' is not available to a stage")
  case .schema:
    stop(
      "'\(function)' was called while the schema was read, which has no store. "
        + "Make models, versions and plans without it")
  case .app: stop("'\(function)' is not available in this SwiftData")
  }
}
