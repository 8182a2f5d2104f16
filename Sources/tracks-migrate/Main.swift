import CommandLineKit
import SystemC

/// Where the process begins.
@main
enum Main {
  static func main() {
    // A reader that stops reading ("| head") shows as an error of the write, and ends the command quietly.
    BrokenPipe.ignoreSignal()
    ProcessGuard.prepare()
    let arguments = LaunchArguments.apply(Array(CommandLine.exactArguments.dropFirst()))
    if let error = UnknownCommand.error(in: arguments) { TracksMigrate.exit(withError: error) }
    TracksMigrate.main(arguments)
  }
}
