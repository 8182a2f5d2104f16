import CommandLineKit
import Diagnostics

/// Runs a command's work, and turns what goes wrong into one line on standard error and an exit status.
func reportingErrors(_ work: () throws -> Void) throws {
  do {
    try work()
  } catch let error as MigrationError {
    let message = ErrorMessage(error)
    Messages.error("\(message.problem). \(message.advice)")
    throw ExitCode(error.exitStatus)
  } catch is BrokenPipe {
    throw ExitCode.success
  } catch let error as OutputError {
    Messages.error("\(error). Check where the output goes.")
    throw ExitCode(74)
  }
}
