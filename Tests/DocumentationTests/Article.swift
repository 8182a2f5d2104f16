import Foundation
import TestSupport

/// An article of the documentation, with the parts that tests check.
struct Article {
  let lines: [String]

  init(_ name: String) throws {
    let file = Checkout.root.appending(path: "Sources/Engine/Migration/Migration.docc/\(name).md")
    try self.init(path: file.path(percentEncoded: false))
  }

  init(path: String) throws {
    lines = try Files.text(path).components(separatedBy: "\n")
  }

  /// A code block and the paragraph before it.
  struct Block {
    var language: String
    var caption: String
    var lines: [String] = []
    var text: String { lines.joined(separator: "\n") + "\n" }
  }

  /// The code blocks in order.
  var blocks: [Block] {
    var blocks: [Block] = []
    var open: Block?
    var caption = ""
    for line in lines {
      if let block = open {
        if line == "```" {
          blocks.append(block)
          open = nil
        } else {
          open?.lines.append(line)
        }
      } else if line.hasPrefix("```") {
        open = Block(language: String(line.dropFirst(3)), caption: caption)
      } else if !line.isEmpty {
        caption = line
      }
    }
    return blocks
  }

  /// The cells of all table rows, including the headings.
  var tableRows: [[String]] {
    lines.filter { $0.hasPrefix("| ") }.map { line in
      line.dropFirst().dropLast().components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }
}
