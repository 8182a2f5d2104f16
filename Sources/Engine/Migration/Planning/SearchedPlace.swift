internal import Foundation
internal import PersistentStore
internal import SystemC

/// The folders around one place of a model, and the search through them.
struct SearchedPlace {
  /// The results of a search.
  struct Findings {
    var files: [ProjectFolder.File] = []
    /// The folders that were looked into.
    var searched: [String] = []
    /// The folders that were not, besides hidden ones, which hold what tools keep.
    var passedOver: [String] = []
    /// Whether the search came to its end.
    var isComplete = true
  }

  /// The number of folders to search, and their depth.
  static let folderLimit = 4000
  private static let depthLimit = 12
  /// The folders with builds, copies and foreign code; those whose names begin with a dot are skipped too.
  private static let skippedNames: Set = ["DerivedData", "Pods", "Carthage", "node_modules"]
  /// The folders that are one document, and never hold a mapping model.
  private static let documentSuffixes = [
    ".xcdatamodeld", ".xcdatamodel", ".momd", ".xcodeproj", ".xcworkspace", ".xcassets",
  ]

  /// The folder of the model, and those above it up to the topmost one.
  private let levels: [String]
  /// The depth of the search below each.
  private let depth: Int
  /// The file that marks the topmost folder as a project, so that all that is below belongs to it.
  private let mark: String?
  /// Whether a person has named the folder, whose bound is then meant.
  private let isNamed: Bool

  /// Finds the project of a model: the nearest folder above it with a `Package.swift`, an Xcode project or a repository.
  ///
  /// Without any, it is the folder above the model's own, unless that is one that many projects share. What is beside the
  /// model's folder then is looked into only where no other model says that it is another app's.
  init(aroundModelAt modelPath: String) {
    let first = FileSystem.split(modelPath).folder
    isNamed = false
    depth = Self.isShared(first) ? 0 : Self.depthLimit
    var levels = [first]
    while levels.count <= Self.depthLimit, let folder = levels.last, !Self.isShared(folder) {
      if let mark = Self.mark(in: folder) {
        (self.levels, self.mark) = (levels, mark)
        return
      }
      levels.append(Self.parent(of: folder))
    }
    let parent = Self.parent(of: first)
    let staysBelow = depth == 0 || Self.isShared(parent)
    (self.levels, mark) = (staysBelow ? [first] : [first, parent], nil)
  }

  /// Takes a folder that a person has named.
  init(_ folder: String) {
    (levels, depth, mark, isNamed) = ([folder], Self.depthLimit, nil, true)
  }

  private var isMarked: Bool { mark != nil || isNamed }

  /// The topmost folder, with the reason for ending there; `nil` if it was named.
  var end: String? {
    guard !isNamed, let top = levels.last else { return nil }
    if let mark { return "'\(top)' (which has '\(mark)')" }
    return depth == 0 ? "'\(top)' (without the folders in it)" : "'\(top)'"
  }

  /// Whether the same folders are searched around another place, whatever their paths.
  func isSame(as other: SearchedPlace) -> Bool {
    levels.count == other.levels.count
      && zip(levels, other.levels).allSatisfy { folder, other in
        FileStatus(other).map { FileStatus(folder)?.isSameFile(as: $0) == true } ?? false
      }
  }

  private static func mark(in folder: String) -> String? {
    names(inFolder: folder)?.filter(isMark).min()
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

  /// Searches upwards from the model, each folder with what is below it except for where the search came from.
  func search(where isWanted: (String) -> Bool) -> Findings {
    var found = Findings()
    var passed: FileStatus?
    for (level, folder) in levels.enumerated() {
      var waiting = [(path: folder, depth: 0)][...]
      while let (next, depth) = waiting.popFirst() {
        guard found.searched.count < Self.folderLimit else {
          found.isComplete = false
          return found
        }
        found.searched.append(next)
        guard let entries = entries(inFolder: next)?.sorted(by: { $0.name < $1.name }) else {
          found.passedOver.append(next)
          continue
        }
        if !isMarked, level > 0, depth > 0, entries.contains(where: { Self.isOwnOfProject($0.name) }) {
          found.searched.removeLast()
          found.passedOver.append(next)
          continue
        }
        for (name, kind) in entries {
          let path = next == "." ? name : next == "/" ? "/\(name)" : "\(next)/\(name)"
          if isWanted(name) {
            found.files.append(ProjectFolder.File(path: path, distance: level + depth, isMarked: isMarked))
          } else if kind != .other, !Self.isDocument(name) {
            if depth == 0, let passed, FileStatus(path)?.isSameFile(as: passed) == true { continue }
            if kind == .folder, depth < self.depth, !Self.isSkipped(name) {
              waiting.append((path, depth + 1))
            } else if self.depth > 0, !name.hasPrefix("."), kind == .folder || FileStatus(path)?.kind == .directory {
              found.passedOver.append(path)
            }
          }
        }
      }
      passed = FileStatus(folder)
    }
    return found
  }

  private static func isDocument(_ name: String) -> Bool {
    name == ".git" || documentSuffixes.contains { name.hasSuffix($0) }
  }

  private static func isSkipped(_ name: String) -> Bool {
    name.hasPrefix(".") || name.hasSuffix(".xcframework") || skippedNames.contains(name)
  }
}
