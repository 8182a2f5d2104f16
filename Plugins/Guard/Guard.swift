import Foundation
import PackagePlugin

/// `swift package guard App.xcdatamodeld`: checks that no shipped version of a model was changed.
///
/// The words are those of `tracks-migrate models guard`.
@main
struct Guard: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let process = Process()
    process.executableURL = try context.tool(named: "tracks-migrate").url
    process.arguments = ["models", "guard"] + arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { exit(process.terminationStatus) }
  }
}
