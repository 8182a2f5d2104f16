import Foundation
import ModelInspection

// The arguments of Apple's momc; see CompilerCommand.
let command = CompilerCommand(.momc, Array(CommandLine.arguments.dropFirst()))
exit(
  command.run(
    print: { print($0) }, printError: { FileHandle.standardError.write(Data("\($0)\n".utf8)) }))
