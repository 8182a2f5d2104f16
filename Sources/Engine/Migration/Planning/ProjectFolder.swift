internal import PersistentStore

/// The folders of the project that a model belongs to, and the files in them.
///
/// An app is built with all mapping models of its project, and Core Data takes each that fits, wherever its source is. A
/// model that is reached by a symbolic link has two projects: the one that it is linked into, and that of its target.
struct ProjectFolder {
  /// A file.
  struct File {
    let path: String
    /// The number of folders between it and the model.
    var distance: Int
    /// Whether something marks it and the model as parts of one project.
    var isMarked: Bool
  }

  /// The names of the model: the one that was given, and that of its target.
  let modelNames: [String]
  private let places: [SearchedPlace]

  /// Finds the project of a model, and that of the target if a link leads there.
  init(ofModelAt modelPath: String) {
    let paths = [modelPath, FileSystem.resolved(modelPath)].compactMap(\.self)
    modelNames = paths.map { FileSystem.split($0).name }
    let found = paths.map { SearchedPlace(aroundModelAt: $0) }
    places = found.count == 2 && found[0].isSame(as: found[1]) ? [found[0]] : found
  }

  /// Takes a folder for a whole project.
  init(_ folder: String) {
    (modelNames, places) = ([], [SearchedPlace(folder)])
  }

  /// Returns the files that are wanted, the nearest first, and the bounds of the search.
  func files(where isWanted: (String) -> Bool) -> (files: [File], bounds: SearchBounds) {
    let found = places.map { $0.search(where: isWanted) }
    var files: [File] = []
    var bounds = SearchBounds()
    for (place, result) in zip(places, found) {
      for file in result.files {
        if found.count > 1, let status = FileStatus(file.path),
          let index = files.firstIndex(where: { FileStatus($0.path)?.isSameFile(as: status) == true })
        {
          files[index].distance = min(files[index].distance, file.distance)
          files[index].isMarked = files[index].isMarked || file.isMarked
        } else {
          files.append(file)
        }
      }
      bounds.add(
        SearchBounds(
          ends: [place.end].compactMap(\.self), passedOver: result.passedOver, isComplete: result.isComplete))
    }
    if found.count > 1 {
      // What the one search passes over, the other may have looked into.
      let searched = Set(found.flatMap(\.searched).compactMap(FileIdentity.init))
      var seen: Set<FileIdentity> = []
      bounds.passedOver.removeAll { path in
        guard let folder = FileIdentity(path) else { return false }
        return searched.contains(folder) || !seen.insert(folder).inserted
      }
    }
    return (files.enumerated().sorted { ($0.1.distance, $0.0) < ($1.1.distance, $1.0) }.map(\.1), bounds)
  }
}

/// A file or folder under any name.
private struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64

  init?(_ path: String) {
    guard let status = FileStatus(path) else { return nil }
    (device, number) = (status.device, status.fileNumber)
  }
}
