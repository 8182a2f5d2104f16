internal import Foundation

/// An app's Swift file in a form that compiles on Linux, line for line.
///
/// Only what Swift has with Objective-C alone is replaced, so that the app's file can stay as it is; every replacement is
/// told.
package struct PolicySource {
  /// A replaced piece of source code.
  package struct Replacement: Equatable {
    /// The line, from 1.
    package let line: Int
    /// The replaced text.
    package let old: String
    /// The new text; empty if it was left out.
    package let new: String
  }

  /// The file as it is compiled.
  package let text: String
  /// The replacements, in the order of the lines.
  package let replacements: [Replacement]

  /// Rewrites a file.
  package init(_ original: String) {
    let code = CodeMask(original).code
    var edits: [(range: Range<String.Index>, new: String, told: String?)] = []
    /// The same place in the file: the mask has as many bytes.
    func place(_ index: String.Index) -> String.Index {
      original.utf8.index(original.startIndex, offsetBy: code.utf8.distance(from: code.startIndex, to: index))
    }
    func replace(_ pattern: some RegexComponent<Substring>, _ new: (Substring) -> String?) {
      for match in code.matches(of: Self.plain(pattern)) {
        let range = place(match.range.lowerBound)..<place(match.range.upperBound)
        guard let text = new(original[range]), !edits.contains(where: { $0.range.overlaps(range) }) else { continue }
        edits.append((range, text, nil))
      }
    }
    replace(/@NSManaged\b[ \t]*(?:\r?\n[ \t]*)?[^\r\n;]*/) { ManagedMember($0)?.text }
    replace(/@objcMembers\b[ \t]?/) { _ in "" }
    replace(/@objc\b(?:\([^)\r\n]*\))?[ \t]?/) { _ in "" }
    replace(/#keyPath\([^)\r\n]*\)/) { KeyPathText($0.dropFirst("#keyPath(".count).dropLast()).text }
    replace(/#selector\([^()\r\n]*(?:\([^()\r\n]*\))?[^()\r\n]*\)/) { SelectorText($0).text }
    replace(/\bimport[ \t]+CoreData\.\w+/) { _ in "import CoreData" }
    replace(/\bimport[ \t]+os\.\w+/) { _ in "import os" }
    replace(/\bimport[ \t]+(?:UIKit|AppKit|UniformTypeIdentifiers|SwiftUI|Combine|CloudKit|WidgetKit)\b/) { _ in "" }
    // Foundation on Linux finds resources as NSURL; CoreData has the same with Apple's result, and a name of its own.
    let resources = /\burls(?=\(\s*forResourcesWithExtension\b)/
    let findsResources = code.contains(Self.plain(resources))
    replace(resources) { _ in "resourceURLs" }
    // CoreData brings Foundation along; named by both, some of its names are ambiguous.
    let importsCoreData = code.contains(Self.plain(/\bimport[ \t]+CoreData\b/))
    if importsCoreData || findsResources {
      replace(/\bimport[ \t]+Foundation(?![\w.])/) { _ in importsCoreData ? "" : "import CoreData" }
    }
    for addition in PolicyFunctions(code).overrides {
      let index = place(addition.place)
      edits.append((index..<index, addition.text, "the functions of \(addition.className)"))
    }
    edits.sort { $0.range.lowerBound < $1.range.lowerBound }

    var (text, replacements) = ("", [Replacement]())
    var (place, line) = (original.startIndex, 1)
    for edit in edits {
      let before = original[place..<edit.range.lowerBound]
      text += before + edit.new
      line += before.utf8.count { $0 == UInt8(ascii: "\n") }
      let old = original[edit.range]
      replacements.append(
        Replacement(
          line: line, old: edit.told ?? old.trimmingCharacters(in: .whitespacesAndNewlines),
          new: edit.new.trimmingCharacters(in: .whitespacesAndNewlines)))
      line += old.utf8.count { $0 == UInt8(ascii: "\n") }
      place = edit.range.upperBound
    }
    (self.text, self.replacements) = (text + original[place...], replacements)
  }

  /// A pattern of scalars and plain words: a line may end in two scalars, and `os.log` is two words.
  static func plain<Output>(_ pattern: some RegexComponent<Output>) -> Regex<Output> {
    pattern.regex.matchingSemantics(.unicodeScalar).wordBoundaryKind(.simple)
  }
}

/// A property or method that Core Data implements at run time, on Apple's systems.
private struct ManagedMember {
  /// The declaration with an implementation; nil for what is not known.
  let text: String

  init?(_ declaration: Substring) {
    let rest = declaration.dropFirst("@NSManaged".count)
    let gap = rest.prefix { $0.isWhitespace }
    let head = rest.dropFirst(gap.count).replacing(/@objc(?:\([^)\n]*\))?[ \t]+/, with: "")
    // The lines stay the same.
    let breaks = gap.drop { !$0.isNewline }
    if let match = head.wholeMatch(of: /(.*\bvar[ \t]+`?(\w+)`?[ \t]*:[ \t]*[^={\/]*?)[ \t]*(?:\/\/.*)?/) {
      let key = match.output.2
      text =
        "\(breaks)\(match.output.1) { get { managedValue(forKey: \"\(key)\") } set { setManagedValue(newValue, forKey: \"\(key)\") } }"
    } else if let match = head.wholeMatch(of: /(.*\bfunc[ \t]+(\w+)\(([^)]*)\))[ \t]*(?:\/\/.*)?/),
      let call = Self.accessor(match.output.2, match.output.3)
    {
      text = "\(breaks)\(match.output.1) { \(call) }"
    } else {
      return nil
    }
  }

  /// The call that an accessor is, such as `addToNotes(_ value: Note)`.
  private static func accessor(_ name: Substring, _ parameters: Substring) -> String? {
    let parameters = parameters.split(separator: ",").map { parameter in
      parameter.prefix { $0 != ":" }.split(separator: " ")
    }
    let labels = parameters.map { $0.first ?? "" }
    let names = parameters.map { $0.last ?? "" }
    let forms: [(prefix: String, labels: [Substring], call: (String) -> String)] = [
      ("addTo", ["_"], { "addManagedValues(\(names[0]), forKey: \($0))" }),
      ("removeFrom", ["_"], { "removeManagedValues(\(names[0]), forKey: \($0))" }),
      ("insertInto", ["_", "at"], { "insertManagedValues(\(names[0]), at: \(names[1]), forKey: \($0))" }),
      ("removeFrom", ["at"], { "removeManagedValues(at: \(names[0]), forKey: \($0))" }),
      ("replace", ["at", "with"], { "replaceManagedValues(at: \(names[0]), with: \(names[1]), forKey: \($0))" }),
    ]
    guard let form = forms.first(where: { name.hasPrefix($0.prefix) && labels == $0.labels }) else { return nil }
    let key = name.dropFirst(form.prefix.count)
    return form.call("\"\(key.prefix(1).lowercased())\(key.dropFirst())\"")
  }
}

/// The text in place of `#keyPath`.
private struct KeyPathText {
  let text: String

  init(_ path: Substring) {
    // Types begin with a capital, properties do not.
    let parts = path.filter { !$0.isWhitespace }.split(separator: ".").drop { $0.first?.isUppercase ?? false }
    text = "\"\(parts.joined(separator: "."))\""
  }
}

/// The text in place of `#selector`.
private struct SelectorText {
  let text: String

  init(_ selector: Substring) {
    let inside = selector.dropFirst("#selector(".count).dropLast().filter { !$0.isWhitespace }
    let name = inside.prefix { $0 != "(" }.split(separator: ".").last ?? ""
    let labels = inside.drop { $0 != "(" }.dropFirst().dropLast().split(separator: ":").map(String.init)
    text = "Selector(\"\(ObjectiveCName(String(name), labels: labels).selector)\")"
  }
}

/// A file of which only the code is left: what strings and comments hold is blank.
private struct CodeMask {
  /// The code, with as many bytes in each place as the file.
  let code: String

  init(_ text: String) {
    var bytes = Array(text.utf8)
    var place = 0
    /// The strings that the place is in: their quotes, and the parentheses open in their interpolation.
    var strings: [(quotes: Int, hashes: Int, depth: Int)] = []
    var isInString = false
    func at(_ offset: Int) -> UInt8 { place + offset < bytes.count ? bytes[place + offset] : 0 }
    func blank(_ count: Int = 1) {
      for _ in 0..<min(count, bytes.count - place) {
        if bytes[place] != UInt8(ascii: "\n") { bytes[place] = UInt8(ascii: " ") }
        place += 1
      }
    }
    let (quote, hash, slash, star, backslash) = (
      UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "\\")
    )
    while place < bytes.count {
      if isInString, let string = strings.last {
        let hashes = (0..<string.hashes).allSatisfy { at(1 + $0) == hash }
        if bytes[place] == backslash, hashes {
          blank(1 + string.hashes)
          if at(0) == UInt8(ascii: "(") {
            (isInString, strings[strings.count - 1].depth) = (false, 1)
            place += 1
          } else {
            blank()
          }
        } else if bytes[place] == quote, (0..<string.quotes).allSatisfy({ at($0) == quote }),
          (0..<string.hashes).allSatisfy({ at(string.quotes + $0) == hash })
        {
          place += string.quotes + string.hashes
          strings.removeLast()
          // An interpolation that contains this string continues.
          isInString = false
        } else {
          blank()
        }
        continue
      }
      switch bytes[place] {
      case slash where at(1) == slash:
        while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { blank() }
      case slash where at(1) == star:
        var depth = 0
        repeat {
          if at(0) == slash, at(1) == star {
            depth += 1
            blank(2)
          } else if at(0) == star, at(1) == slash {
            depth -= 1
            blank(2)
          } else {
            blank()
          }
        } while depth > 0 && place < bytes.count
      case hash, quote:
        var hashes = 0
        while at(hashes) == hash { hashes += 1 }
        guard at(hashes) == quote else {
          place += 1
          continue
        }
        let isLong = at(hashes + 1) == quote && at(hashes + 2) == quote
        strings.append((isLong ? 3 : 1, hashes, 0))
        place += hashes + (isLong ? 3 : 1)
        isInString = true
      case UInt8(ascii: "(") where !strings.isEmpty:
        strings[strings.count - 1].depth += 1
        place += 1
      case UInt8(ascii: ")") where !strings.isEmpty:
        strings[strings.count - 1].depth -= 1
        isInString = strings[strings.count - 1].depth == 0
        place += 1
      default: place += 1
      }
    }
    code = String(decoding: bytes, as: UTF8.self)
  }
}
