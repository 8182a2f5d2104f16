internal import Foundation
internal import PersistentStore
internal import SystemC

/// The folder of the project that a model belongs to, and the files in it.
///
/// An app is built with all mapping models of its project, and Core Data takes each that fits, wherever its source is.
struct ProjectFolder {
  /// A file, with the number of folders between it and the model.
  struct File {
    let path: String
    let distance: Int
  }

  /// The number of folders to search, and their depth.
  private static let folderLimit = 4000
  private static let depthLimit = 12
  /// The folders with builds, copies and foreign code; those whose names begin with a dot are skipped too.
  private static let skippedNames: Set = ["DerivedData", "Pods", "Carthage", "node_modules"]
  private static let skippedSuffixes = [
    ".xcdatamodeld", ".xcdatamodel", ".momd", ".xcodeproj", ".xcworkspace", ".xcassets", ".xcframework",
  ]

  /// The topmost folder.
  let path: String
  /// The folder of the model.
  private let modelFolder: String
  /// The number of levels from the model's folder up to the topmost one.
  private let height: Int
  /// The depth of the search.
  private let depth: Int
  /// Whether something marks the project, so that all that is below belongs to it.
  let isMarked: Bool

  /// Finds the project of a model: the nearest folder above it with a `Package.swift`, an Xcode project or a repository.
  ///
  /// Without any, it is the folder above the model's own, unless that is one that many projects share. What is beside the
  /// model's folder then is looked into only where no other model says that it is another app's.
  init(ofModelAt modelPath: String) {
    modelFolder = FileSystem.split(modelPath).folder
    depth = Self.isShared(modelFolder) ? 0 : Self.depthLimit
    var (folder, height) = (modelFolder, 0)
    while height < Self.depthLimit, !Self.isShared(folder) {
      if Self.isProject(folder) {
        (path, self.height, isMarked) = (folder, height, true)
        return
      }
      (folder, height) = (Self.parent(of: folder), height + 1)
    }
    let parent = Self.parent(of: modelFolder)
    let staysBelow = depth == 0 || Self.isShared(parent)
    (path, self.height) = staysBelow ? (modelFolder, 0) : (parent, 1)
    isMarked = false
  }

  private static func isProject(_ folder: String) -> Bool {
    guard let names = SystemC.names(inFolder: folder) else { return false }
    return names.contains(where: isMark)
  }

  private static func isMark(_ name: String) -> Bool {
    name == "Package.swift" || name == ".git" || name.hasSuffix(".xcodeproj")
  }

  /// Whether a name in a folder says that the folder belongs to another app than the one beside it.
  private static func isOwnOfProject(_ name: String) -> Bool {
    isMark(name) || [".xcdatamodeld", ".xcdatamodel", ".momd", ".mom"].contains { name.hasSuffix($0) }
  }

  /// Whether a folder holds things of many projects: the root, a home, or one for everybody's temporary files.
  private static func isShared(_ folder: String) -> Bool {
    guard let status = FileStatus(folder), status.mode & 0o1002 != 0o1002 else { return true }
    return ["/", NSHomeDirectory()].contains { FileStatus($0)?.isSameFile(as: status) == true }
  }

  private static func parent(of folder: String) -> String {
    let name = folder.split(separator: "/").last ?? ""
    if name == "." { return folder == "." ? ".." : folder + "/.." }
    if name == ".." || name.isEmpty { return folder + "/.." }
    return FileSystem.split(folder).folder
  }

  /// The files that are wanted, the nearest first, and whether some of the folders were not looked into.
  func files(where isWanted: (String) -> Bool) -> (files: [File], isComplete: Bool) {
    // Upwards from the model, each folder with what is below it except for where the search came from.
    var files: [File] = []
    var remaining = Self.folderLimit
    var isComplete = true
    var (folder, passed) = (modelFolder, FileStatus?.none)
    for level in 0...height {
      var waiting = [(path: folder, depth: 0)]
      while !waiting.isEmpty {
        let (next, depth) = waiting.removeFirst()
        guard remaining > 0 else {
          isComplete = false
          break
        }
        remaining -= 1
        let entries = (entries(inFolder: next) ?? []).sorted { $0.name < $1.name }
        if !isMarked, level > 0, depth > 0, entries.contains(where: { Self.isOwnOfProject($0.name) }) { continue }
        for (name, isFolder) in entries {
          let path = next == "." ? name : next == "/" ? "/\(name)" : "\(next)/\(name)"
          if isWanted(name) {
            files.append(File(path: path, distance: level + depth))
          } else if isFolder, depth < self.depth, !Self.isSkipped(name) {
            if depth == 0, let passed, FileStatus(path)?.isSameFile(as: passed) == true { continue }
            waiting.append((path, depth + 1))
          }
        }
      }
      passed = FileStatus(folder)
      folder = Self.parent(of: folder)
    }
    return (files.enumerated().sorted { ($0.1.distance, $0.0) < ($1.1.distance, $1.0) }.map(\.1), isComplete)
  }

  private static func isSkipped(_ name: String) -> Bool {
    name.hasPrefix(".") || skippedNames.contains(name) || skippedSuffixes.contains { name.hasSuffix($0) }
  }

  /// The files below a folder that are wanted, in order; `nil`, with `errno` set, if the folder cannot be listed.
  static func files(below folder: String, where isWanted: (String) -> Bool) -> [String]? {
    guard SystemC.names(inFolder: folder) != nil else { return nil }
    return ProjectFolder(folder).files(where: isWanted).files.map(\.path)
  }

  private init(_ folder: String) {
    (path, modelFolder, height, depth, isMarked) = (folder, folder, 0, Self.depthLimit, true)
  }
}
