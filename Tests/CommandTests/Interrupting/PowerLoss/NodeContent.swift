/// The contents of a file or folder on a simulated disk.
struct NodeContent {
  var mode = 0o755
  var bytes: [UInt8] = []
  /// The numbers of files and folders by name.
  var entries: [String: Int] = [:]

  mutating func apply(_ change: SimulatedDisk.Change) {
    switch change {
    case .write(let offset, let new):
      grow(to: offset + new.count)
      bytes.replaceSubrange(offset..<offset + new.count, with: new)
    case .truncate(let size):
      grow(to: size)
      bytes.removeLast(bytes.count - size)
    case .mode(let mode): self.mode = mode
    case .enter(let name, let node): entries[name] = node
    case .leave(let name): entries[name] = nil
    case .move(let name, let other, let node):
      entries[name] = nil
      entries[other] = node
    }
  }

  mutating func grow(to size: Int) {
    if size > bytes.count { bytes += [UInt8](repeating: 0, count: size - bytes.count) }
  }
}
