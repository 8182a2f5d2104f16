import CoreData
import Foundation
import Migration

// Migrates a library as an app's own migrator does: with an app's policy, unmodified, instance by instance.
// usage: article-migrate FOLDER SOURCE OUTPUT    the folder has the model and the mapping model
//        article-migrate decode SOURCE
let words = Array(CommandLine.arguments.dropFirst())
if words.first == "decode", words.count == 2 {
  exit(decodeAll(words[1]) > 0 ? 0 : 1)
}
guard words.count == 3 else {
  print("usage: article-migrate FOLDER SOURCE OUTPUT")
  exit(64)
}
var policies = PolicyRegistry()
policies.register(V2MigrationPolicy.self, as: "TrackToTrackMigrationPolicy")
policies.register(RelatedPolicy.self, as: "RelatedPolicy")
let tool = MigrationTool(modelPath: words[0] + "/Tracks.xcdatamodeld", policies: policies)
let status = tool.run(
  words.dropFirst(), print: { print($0) },
  printError: { FileHandle.standardError.write(Data("article-migrate: \($0)\n".utf8)) })
exit(status)
