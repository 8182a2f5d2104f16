import CommandLineKit
import Diagnostics
import SystemC

/// Runs a command's work, and turns what goes wrong into one line on standard error and an exit status.
///
/// If a signal has asked the process to end, it ends by that, whatever came of the work.
func reportingErrors(_ work: () throws -> Void) throws {
  defer { Interruption.endIfAsked() }
  do {
    try work()
    // What is in place is not taken back; but whoever wants an end shall not take it for undone.
    if EndRequest.isMade { Messages.note("The signal came after the work was complete.") }
  } catch let error as MigrationError {
    let message = ErrorMessage(error)
    Messages.error("\(message.problem). \(message.advice)")
    throw ExitCode(error.exitStatus)
  } catch is BrokenPipe {
    throw ExitCode.success
  } catch let error as OutputError {
    // Nobody has read it, and that is why somebody wants an end.
    if !EndRequest.isMade { Messages.error("\(error). Check where the output goes.") }
    throw ExitCode(74)
  }
}

/// Does the same for a question about a library: a signal does not end it before it has tidied up.
func answering(_ work: () throws -> Void) throws {
  Interruption.listen()
  try reportingErrors(work)
}
