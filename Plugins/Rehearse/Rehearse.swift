import Foundation
import PackagePlugin

/// `swift package rehearse --model App.xcdatamodeld`: migrates a store of every version of a model, two ways.
///
/// The words are those of `tracks-migrate rehearse`.
@main
struct Rehearse: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let process = Process()
    process.executableURL = try context.tool(named: "tracks-migrate").url
    process.arguments = ["rehearse"] + arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { exit(process.terminationStatus) }
  }
}
