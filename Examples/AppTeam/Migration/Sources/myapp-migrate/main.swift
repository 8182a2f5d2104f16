import Foundation
import MigrationTesting
import MyAppMigration

let tool = MyAppMigrator.makeTool()
let arguments = CommandLine.arguments.dropFirst()

if arguments.first == "rehearse" {
  // Stores of every version, made anew, and the stores that are named: migrated directly and from version to version.
  var rehearsal = MigrationRehearsal(tool: tool)
  rehearsal.storePaths = Array(arguments.dropFirst())
  let results = try rehearsal.run()
  print(results.text)
  try Data(results.junit.utf8).write(to: URL(filePath: "rehearsal.xml"))
  try Data(results.markdown.utf8).write(to: URL(filePath: "rehearsal.md"))
  exit(results.allSatisfy(\.isPassed) ? 0 : 3)
}

let status = tool.run(
  arguments,
  print: { print($0) },
  printError: { FileHandle.standardError.write(Data("myapp-migrate: \($0)\n".utf8)) })
exit(status)
