import TestSupport

/// The part of the unsynced changes that survives a power cut.
enum PowerLoss {
  /// The number of variants for each instant: nothing survives, everything survives, and the rest are random.
  static let variantCount = 12

  static func image(of disk: SimulatedDisk, variant: Int, _ generator: inout SeededGenerator) -> FolderImage {
    switch variant {
    case 0: return disk.image { $0.safe }
    case 1: return disk.image { $0.seen }
    default: return disk.image { random($0, &generator) }
    }
  }

  private static func random(_ node: SimulatedDisk.Node, _ generator: inout SeededGenerator) -> NodeContent {
    var content = node.safe
    let count = node.pending.count
    guard count > 0 else { return content }
    if node.isFolder {
      for change in node.pending.prefix(Int.random(in: 0...count, using: &generator)) { content.apply(change) }
      return content
    }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: break
    case 1: content = node.seen
    case 2: for change in node.pending.prefix(Int.random(in: 0...count, using: &generator)) { content.apply(change) }
    default: for change in node.pending { apply(change, to: &content, &generator) }
    }
    return content
  }

  private static func apply(
    _ change: SimulatedDisk.Change, to content: inout NodeContent, _ generator: inout SeededGenerator
  ) {
    guard case .write(let offset, let bytes) = change else {
      if Bool.random(using: &generator) { content.apply(change) }
      return
    }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: content.apply(change)
    case 1: break
    // The file has grown already, but its bytes are missing.
    case 2: content.grow(to: offset + bytes.count)
    default: tear(offset, bytes, unit: Bool.random(using: &generator) ? 512 : 4096, &content, &generator)
    }
  }

  private static func tear(
    _ offset: Int, _ bytes: [UInt8], unit: Int, _ content: inout NodeContent, _ generator: inout SeededGenerator
  ) {
    var place = 0
    while place < bytes.count {
      let end = min(bytes.count, (offset + place) / unit * unit + unit - offset)
      if Bool.random(using: &generator) {
        content.apply(.write(offset: offset + place, bytes: Array(bytes[place..<end])))
      }
      place = end
    }
  }
}
