import Foundation
import MyAppMigration

let status = MyAppMigrator.makeTool().run(
  CommandLine.arguments.dropFirst(),
  print: { print($0) },
  printError: { FileHandle.standardError.write(Data("myapp-migrate: \($0)\n".utf8)) })
exit(status)
