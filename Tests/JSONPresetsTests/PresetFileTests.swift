import Foundation
import JSONPresets
import TestSupport
import Testing

struct PresetFileTests {
  @Test(arguments: Preset.builtIn.map(\.name))
  func `A built-in preset is the same after it was written to a file`(name: String) throws {
    let preset = try #require(Preset.named(name))
    #expect(try Preset(json: Array(preset.json.utf8)) == preset)
  }

  @Test func `The names of built-in presets are unique, and have a fixed order`() {
    let names = Preset.builtIn.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.firstIndex(of: "v1") ?? 0 > names.firstIndex(of: "discogs") ?? 0)
  }

  @Test func `A preset needs only a name, a condition and a place`() throws {
    let text = #"{"name":"mine","detect":"$.ar","artists":[{"path":"$.ar[*]","name":"name"}]}"#
    let preset = try Preset(json: Array(text.utf8))
    #expect(preset.namespace == "mine")
    #expect(preset.artists == [Preset.Source("$.ar[*]", name: "name")])
  }

  @Test(arguments: [
    (#"{"name":"m""#, "the JSON ends too early, at byte 11"), ("[]", "the preset has a value of the wrong type"),
    (#"{"detect":["$.a"],"artists":[]}"#, "the preset has no 'name'"),
    (#"{"name":"m","detect":[],"artists":[]}"#, "detect requires at least one condition"),
    (#"{"name":"m","detect":["$.a"],"artists":[]}"#, "artists requires at least one place"),
    (#"{"name":"m","detect":["$.a"],"artist":[]}"#, "the preset has the unknown key 'artist'; the keys are 'name'"),
    (#"{"name":"m","detect":["$..a"]}"#, "detect is not a path: '..' would need"),
    (
      #"{"name":"m","detect":["$.a"],"artists":[{"path":"$.a[*]","nmae":"name"}]}"#,
      "artists[0] has the unknown key 'nmae'"
    ),
    (#"{"name":"m","detect":["$.a"],"artists":[{"path":"$.a[*]"}]}"#, "artists[0].name requires a path"),
    (
      #"{"name":"m","detect":["$.a"],"artists":[{"path":"$.a[-1]","name":"n"}]}"#,
      "artists[0].path must not have [-1]"
    ),
    (
      #"{"name":"m","detect":["$.a"],"artists":[{"path":"$.a","name":"n[?@.b=='c']"}]}"#,
      "artists[0].name must not have a filter"
    ),
    (#"{"name":"m","kind":"song","detect":["$.a"]}"#, "kind must be one of 'track', 'album'"),
    (
      #"{"name":"m","kind":"album","detect":["$.a"],"artists":[{"path":"$.a","name":"n"}]}"#,
      "artists must be left out"
    ),
    (
      #"{"name":"m","detect":["$.a"],"artists":[{"path":"$.a","name":"n","fixedRole":"chef"}]}"#,
      "artists[0].fixedRole must be one of 'main'"
    ),
    (
      #"{"name":"m","detect":["$.a"],"artists":[{"path":"$.a","name":"n"}],"images":{"format":"x"}}"#,
      "images.format must contain {}"
    ),
  ])
  func `A file that is no preset is refused with the place`(text: String, problem: String) {
    let error = #expect(throws: Preset.FileError.self) { try Preset(json: Array(text.utf8)) }
    #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
  }

  @Test func `A track's title has at most 64 places`() throws {
    func preset(titles count: Int) throws -> Preset {
      let titles = (0..<count).map { "\"t\($0)\"" }.joined(separator: ",")
      let text =
        #"{"name":"m","detect":["$.a"],"artists":[{"path":"$.a[*]","name":"n"}],"trackTitle":[\#(titles)]}"#
      return try Preset(json: Array(text.utf8))
    }
    #expect(throws: Never.self) { try preset(titles: 64) }
    let error = #expect(throws: Preset.FileError.self) { try preset(titles: 65) }
    #expect(error?.description.contains("trackTitle names more than 64 paths") == true)
  }

  @Test func `Images become addresses`() {
    let images = Preset.Images(
      ignored: ["default"], format: "https://x/{}.jpg", replacements: [.init("-", with: "/"), .init("%%", with: "s")])
    #expect(images.address("a-b-%%") == "https://x/a/b/s.jpg")
    #expect(images.address("my-default-1") == nil)
    #expect(Preset.Images().address("u") == "u")
  }

  @Test func `Names lose entities and blanks where the service adds them`() {
    let preset = Preset("m", "", "", ["$.a"]).with { ($0.trimsNames, $0.hasEntities) = (true, true) }
    #expect(preset.cleaned(" Tom &amp; Jerry &#039;s &quot;&#x41;&quot; \u{200b}") == "Tom & Jerry 's \"A\"")
    #expect(preset.cleaned("AT&T &unknown; &#0; &#xD800; &amp;amp;") == "AT&T &unknown; &#0; &#xD800; &amp;")
    #expect(Preset("m", "", "", ["$.a"]).cleaned(" &amp; ") == " &amp; ")
  }
}

/// `docs/presets.md` and `docs/preset.schema.json`.
struct PresetDocumentationTests {
  private static let docs = Checkout.root.appending(path: "docs").path(percentEncoded: false)

  /// The presets of tracks as a table; to take over a change that is wanted, set `RECORD_TRANSCRIPTS` and look at the
  /// difference.
  @Test func `The page lists the presets of tracks in order`() throws {
    let page = try Files.text("\(Self.docs)/presets.md")
    let parts = page.split(separator: "| Preset | For | Matches if |\n|---|---|---|\n", maxSplits: 1)
    let rest = try #require(parts.last).split(separator: "\n", omittingEmptySubsequences: false)
      .drop { $0.hasPrefix("| ") }
    let table = Self.tracks.map { preset in
      let conditions = preset.conditions.map(\.description).joined(separator: ", ").replacing("|", with: "\\|")
      let title = preset.reference.hasPrefix("https:") ? "[\(preset.title)](\(preset.reference))" : preset.title
      return "| `\(preset.name)` | \(title) | `\(conditions)` |\n"
    }
    let expected =
      try #require(parts.first) + "| Preset | For | Matches if |\n|---|---|---|\n" + table.joined()
      + rest.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["RECORD_TRANSCRIPTS"] != nil {
      try Files.write(String(expected), to: "\(Self.docs)/presets.md")
    }
    #expect(page == expected)
  }

  @Test func `The page names all places of tracks inside of documents, and the limits of a search`() throws {
    let page = try Files.text("\(Self.docs)/presets.md").split { $0.isWhitespace }.joined(separator: " ")
    let places = Preset.roots.map { "`\($0.joined(separator: "."))`" }
    let list = places.dropLast().joined(separator: ", ") + " or " + (places.last ?? "")
    #expect(page.contains("under \(list), if that is an object or an array with exactly one element"))
    #expect(page.contains("A document of at most \(Envelopes.sizeLimit >> 20) MiB that is a list"))
    #expect(page.contains("not deeper than \(Envelopes.depth) arrays and objects"))
  }

  @Test(arguments: ["README.md", "docs/site/index.html"])
  func `The number of kinds of answers is told as it is`(page: String) throws {
    let path = Checkout.root.appending(path: page).path(percentEncoded: false)
    let text = try Files.text(path)
    let expected = text.replacing(/\d+ kinds of/) { _ in "\(Self.tracks.count) kinds of" }
    if ProcessInfo.processInfo.environment["RECORD_TRANSCRIPTS"] != nil { try Files.write(expected, to: path) }
    #expect(text.matches(of: /\d+ kinds of/).count == 1)
    #expect(text == expected)
  }

  private static let tracks = Preset.builtIn.filter { $0.kind == .track }

  @Test func `The schema has the keys that the reader knows`() throws {
    let data = Data(try Files.bytes("\(Self.docs)/preset.schema.json"))
    let schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let properties = try #require(schema["properties"] as? [String: Any])
    let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
    let source = try #require(definitions["source"]?["properties"] as? [String: Any])
    let images = try #require((properties["images"] as? [String: Any])?["properties"] as? [String: Any])
    // The reader names its keys when it meets one that it does not know.
    for (keys, json) in [
      (properties.keys, #"{"?":0}"#), (source.keys, #"{"name":"m","detect":"$.a","artists":[{"?":0}]}"#),
      (images.keys, #"{"name":"m","detect":"$.a","images":{"?":0}}"#),
    ] {
      let error = #expect(throws: Preset.FileError.self) { try Preset(json: Array(json.utf8)) }
      let known = error?.description.split(separator: "the keys are ").last?.matches(of: /'(\w+)'/).map { String($0.1) }
      #expect(known?.sorted() == keys.sorted())
    }
    #expect((definitions["role"]?["enum"] as? [String]) == ArtistRole.allCases.map(\.rawValue))
    #expect(((properties["kind"] as? [String: Any])?["enum"] as? [String]) == Preset.Kind.allCases.map(\.rawValue))
  }
}
