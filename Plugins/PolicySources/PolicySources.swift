import Foundation
import PackagePlugin

/// Compiles an app's files, unedited, into a target.
///
/// The target's folder has a file `PolicySources.txt` with one path on each line, of a Swift file or a folder of them, as
/// seen from that folder. Empty lines and lines that begin with `#` do not count.
@main
struct PolicySources: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let list = try self.list(of: target)
    let lines = try String(contentsOf: list, encoding: .utf8).split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    let tool = try context.tool(named: "policy-sources").url
    var taken: Set<String> = []
    return try lines.flatMap { try files(URL(filePath: $0, relativeTo: list.deletingLastPathComponent())) }.map {
      file in
      let name = file.lastPathComponent
      guard taken.insert(name).inserted else {
        throw Problem(description: "PolicySources.txt names two files called '\(name)'; rename one of them.")
      }
      let output = context.pluginWorkDirectoryURL.appending(path: "Rewritten-\(name)")
      return .buildCommand(
        displayName: "Rewriting \(name)", executable: tool, arguments: [file.path, output.path], inputFiles: [file],
        outputFiles: [output])
    }
  }

  /// The list in the folder of a target's own sources, or above them.
  private func list(of target: any Target) throws -> URL {
    var folder = (target as? any SourceModuleTarget)?.sourceFiles.first { _ in true }?.url.deletingLastPathComponent()
    while let place = folder, place.pathComponents.count > 1 {
      let list = place.appending(path: "PolicySources.txt")
      if FileManager.default.fileExists(atPath: list.path) { return list }
      folder = place.deletingLastPathComponent()
    }
    throw Problem(
      description:
        "The target '\(target.name)' has no PolicySources.txt beside its sources, of which it needs at least one.")
  }

  private func files(_ url: URL) throws -> [URL] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw Problem(description: "PolicySources.txt names '\(url.path)', which does not exist.")
    }
    guard isFolder.boolValue else { return [url.absoluteURL] }
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasSuffix(".swift") }
    return names.sorted().map { url.absoluteURL.appending(path: $0) }
  }
}

private struct Problem: Error, CustomStringConvertible {
  let description: String
}
