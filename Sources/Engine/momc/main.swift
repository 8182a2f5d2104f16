import Foundation
import ModelInspection
import SystemC

// The arguments of Apple's momc; see CompilerCommand.
let command = CompilerCommand(.momc, Array(CommandLine.exactArguments.dropFirst()))
exit(
  command.run(
    print: { print($0) }, printError: { FileHandle.standardError.write(Data("\($0)\n".utf8)) }))
