import CoreData
import Migration

// Migrates a library as an app's own migrator does: with the policy of the article, unmodified, instance by instance.
// usage: article-migrate SAMPLEDATA SOURCE OUTPUT
guard let folder = CommandLine.arguments.dropFirst().first else {
  print("usage: article-migrate SAMPLEDATA SOURCE OUTPUT")
  exit(64)
}
var policies = PolicyRegistry()
policies.register(V2MigrationPolicy.self, as: "TrackToTrackMigrationPolicy")
let tool = MigrationTool(modelPath: folder + "/Tracks/Tracks.xcdatamodeld", policies: policies)
let status = tool.run(
  CommandLine.arguments.dropFirst(2), print: { print($0) },
  printError: { FileHandle.standardError.write(Data("article-migrate: \($0)\n".utf8)) })
exit(status)
