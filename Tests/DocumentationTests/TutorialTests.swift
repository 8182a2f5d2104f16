import Foundation
import MyAppMigration
import TestSupport
import Testing

@Suite("The tutorial")
struct TutorialTests {
  private let article: Article
  private let folder: TemporaryFolder

  init() throws {
    article = try Article("Tutorial")
    folder = try TemporaryFolder()
  }

  @Test func `The tutorial shows the actual files of its package`() throws {
    var shown: Set<String> = []
    for block in article.blocks where ["swift", "yaml"].contains(block.language) {
      let path = try #require(block.caption.wholeMatch(of: /`([^`]+)`:/)?.output.1, "\(block.caption)")
      #expect(try block.text == Files.text("\(TutorialFixture.folder)/\(path)"), "\(path)")
      shown.insert(String(path))
    }
    let all = try FileManager.default.subpathsOfDirectory(atPath: TutorialFixture.folder)
    #expect(shown == Set(all.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".yml") }))
  }

  @Test func `The tutorial shows what the command prints`() throws {
    try Files.write(try Files.bytes(TutorialFixture.store), to: folder.file("MyApp.sqlite"))
    let sessions = article.blocks.filter { $0.language == "console" }.flatMap(\.lines)
    var expected: [String] = []
    var actual: [String] = []
    for line in sessions {
      expected.append(line)
      guard line.hasPrefix("$ ") else { continue }
      actual.append(line)
      let words = try #require(line.wholeMatch(of: /\$ swift run .*myapp-migrate (.+)/)?.output.1).split(separator: " ")
      let arguments = words.map { $0.hasPrefix("-") ? String($0) : folder.file(String($0)) }
      let status = MyAppMigrator.makeTool().run(
        arguments, print: { actual.append($0.replacing(folder.path + "/", with: "")) },
        printError: { actual.append("error stream: \($0)") })
      #expect(status == 0)
    }
    #expect(expected == actual)
    #expect(expected.filter { $0.hasPrefix("$ ") }.count >= 2)
  }

  @Test func `The tutorial's package depends on products that exist`() throws {
    let manifest = try Files.text(TutorialFixture.folder + "/Migration/Package.swift")
    let package = try Files.text(Checkout.root.appending(path: "Package.swift").path(percentEncoded: false))
    let products = manifest.matches(of: /\.product\(name: "(\w+)", package: "tracks-migrate"\)/).map(\.output.1)
    #expect(!products.isEmpty)
    for product in products {
      #expect(package.contains(try Regex(#"\.library\(\s*name: "\#(product)""#)), "\(product)")
    }
    let targets = manifest.matches(of: /arget\(\s*name: "([\w-]+)"/).map { String($0.output.1) }
    let folders = try ["Sources", "Tests"].flatMap { folder in
      try Files.listing("\(TutorialFixture.folder)/Migration/\(folder)").filter { $0 != "Stores" }
    }
    #expect(targets.sorted() == folders.sorted())
  }

  @Test func `Every article is in the table of contents`() throws {
    let catalog = Checkout.root.appending(path: "Sources/Engine/Migration/Migration.docc").path(percentEncoded: false)
    let names = try Files.listing(catalog).filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }
    let contents = try Article("Migration").lines
    for name in names where name != "Migration" { #expect(contents.contains("- <doc:\(name)>")) }
  }
}
