import CommandLineKit
import Diagnostics
import Migration
import PersistentStore

/// How long to wait for others.
struct WaitOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Wait this long for other runs and for programs that use the library, and say who they are: before the work, and "
        + "again before the library is replaced. Without it, programs are waited for two seconds, and runs not at all.",
      valueName: "seconds"))
  var wait: Double?

  /// A year.
  private static let longest = 31_536_000.0

  mutating func validate() throws {
    if let wait, !(0...Self.longest).contains(wait) {
      throw ValidationError("'--wait' needs a number of seconds from 0 to 31536000.")
    }
  }

  /// The patience that is asked for; whoever is waited for is told on standard error.
  func patience(isQuiet: Bool, _ cancellation: MigrationCancellation) -> Patience {
    var patience = Patience(limit: wait.map { .seconds($0) })
    patience.isCancelled = { cancellation.isCancelled }
    // Two seconds need no words.
    if wait != nil, !isQuiet {
      patience.onWait = { Messages.note("Waiting: \(ErrorMessage($0).problem).") }
    }
    return patience
  }
}
