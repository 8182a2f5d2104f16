import TestSupport

/// A disk that distinguishes synced changes from unsynced ones.
///
/// It models the weakest guarantees of a journalling file system. Synced data survives. Any write to a file since its
/// last sync may be missing or partial, in units of 512 bytes. Of the changes to the names in a folder since its last
/// sync, any number of the last ones may be missing. Changes in two folders have no order. A rename happens completely
/// or not at all.
struct SimulatedDisk {
  /// A change that a crash may undo.
  enum Change {
    case write(offset: Int, bytes: [UInt8])
    case truncate(Int)
    case mode(Int)
    case enter(String, Int)
    case leave(String)
    case move(String, to: String, Int)
  }

  /// A file or folder: its synced contents and the later changes.
  struct Node {
    var isFolder: Bool
    var safe = NodeContent()
    var pending: [Change] = []
    /// The contents that programs see.
    var seen = NodeContent()
    /// Its number in the record, which a later node may have too.
    var recordedNumber: UInt64 = 0
  }

  private(set) var nodes: [Int: Node] = [:]
  private let links: [String: String]
  /// File numbers as in the record.
  ///
  /// A file system may reuse them.
  private var nodeNumbers: [UInt64: Int] = [:]
  let root: Int
  private var lastNumber = 0

  /// Makes a disk on which everything is synced.
  init(_ image: FolderImage) throws {
    links = image.links
    root = 0
    nodes[0] = Node(isFolder: true)
    for (relative, mode) in image.folders.sorted(by: { $0.key < $1.key }) {
      if !relative.isEmpty { _ = try make(relative, image.folderNumbers[relative] ?? 0, mode, isFolder: true) }
      if relative.isEmpty { nodeNumbers[image.folderNumbers[""] ?? 0] = 0 }
    }
    for (relative, number) in image.names.sorted(by: { $0.key < $1.key }) {
      guard let file = image.files[number] else { continue }
      if let node = nodeNumbers[number] {
        let (folder, name) = try place(relative)
        change(folder, .enter(name, node))
      } else {
        let node = try make(relative, number, file.mode, isFolder: false)
        change(node, .truncate(0))
        change(node, .write(offset: 0, bytes: file.bytes))
      }
    }
    for number in nodes.keys { makeSafe(number) }
  }

  /// Applies a recorded operation.
  mutating func apply(_ operation: FileOperation) throws {
    switch operation {
    case .write(let file, let offset, let bytes): change(try node(file), .write(offset: offset, bytes: bytes))
    case .truncate(let file, let size): change(try node(file), .truncate(size))
    case .mode(let file, let mode): change(try node(file), .mode(mode))
    case .sync(let file): makeSafe(try node(file))
    case .create(let path, let file, let mode): _ = try make(path, file, mode, isFolder: false)
    case .makeFolder(let path, let file, let mode): _ = try make(path, file, mode, isFolder: true)
    case .remove(let path):
      let (folder, name) = try place(path)
      change(folder, .leave(name))
    case .link(let path, let other):
      let (folder, name) = try place(other)
      change(folder, .enter(name, try find(path)))
    case .rename(let path, let other):
      let ((folder, name), (otherFolder, otherName)) = (try place(path), try place(other))
      guard folder == otherFolder else { throw SceneFailure(description: "a rename from folder to folder: \(path)") }
      change(folder, .move(name, to: otherName, try find(path)))
    }
  }

  private mutating func make(_ path: String, _ number: UInt64, _ mode: Int, isFolder: Bool) throws -> Int {
    lastNumber += 1
    var node = Node(isFolder: isFolder)
    node.recordedNumber = number
    node.safe.mode = mode
    node.seen.mode = mode
    nodes[lastNumber] = node
    nodeNumbers[number] = lastNumber
    let (folder, name) = try place(path)
    change(folder, .enter(name, lastNumber))
    return lastNumber
  }

  private mutating func change(_ number: Int, _ change: Change) {
    nodes[number]?.pending.append(change)
    nodes[number]?.seen.apply(change)
  }

  private mutating func makeSafe(_ number: Int) {
    guard let node = nodes[number] else { return }
    nodes[number]?.safe = node.seen
    nodes[number]?.pending = []
  }

  private func node(_ file: UInt64) throws -> Int {
    guard let number = nodeNumbers[file] else { throw SceneFailure(description: "no file has the number \(file)") }
    return number
  }

  private func find(_ path: String) throws -> Int {
    var number = root
    for name in path.split(separator: "/") {
      guard let next = nodes[number]?.seen.entries[String(name)] else {
        throw SceneFailure(description: "there is no \(path)")
      }
      number = next
    }
    return number
  }

  private func place(_ path: String) throws -> (folder: Int, name: String) {
    let parts = path.split(separator: "/").map(String.init)
    return (try find(parts.dropLast().joined(separator: "/")), parts.last ?? "")
  }

  /// Returns whether a file, or a folder with all its contents, survives a power cut completely.
  func isSafe(_ path: String) throws -> Bool {
    func isSafe(_ number: Int) -> Bool {
      guard let node = nodes[number] else { return false }
      return node.pending.isEmpty && node.seen.entries.values.allSatisfy(isSafe)
    }
    return isSafe(try find(path))
  }

  /// Returns whether all names in a file's folder survive a power cut.
  func hasSafeNames(besides path: String) throws -> Bool {
    nodes[try place(path).folder]?.pending.isEmpty == true
  }

  /// Returns the number in the record of a file of an image.
  func recordedNumber(of number: UInt64) -> UInt64? { Int(exactly: number).flatMap { nodes[$0]?.recordedNumber } }

  /// Returns the folder's contents for a choice of surviving contents for each file and folder.
  func image(_ choose: (Node) -> NodeContent) -> FolderImage {
    var image = FolderImage()
    image.links = links
    var chosen: [Int: NodeContent] = [:]
    func visit(_ number: Int, _ path: String) {
      guard let node = nodes[number] else { return }
      let content = chosen[number] ?? choose(node)
      chosen[number] = content
      guard node.isFolder else {
        image.names[path] = UInt64(number)
        image.files[UInt64(number)] = FolderImage.File(bytes: content.bytes, mode: content.mode)
        return
      }
      image.folders[path] = content.mode
      for (name, child) in content.entries.sorted(by: { $0.key < $1.key }) {
        visit(child, path.isEmpty ? name : "\(path)/\(name)")
      }
    }
    visit(root, "")
    return image
  }
}
