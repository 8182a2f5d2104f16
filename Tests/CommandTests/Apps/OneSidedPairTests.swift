import TestSupport
import Testing

/// One-to-one pairs whose link is in the row of one side alone, as Apple's Notes leaves them.
@Suite("One-to-one pairs with their key on one side")
struct OneSidedPairTests {
  /// A change of the pair, and the link that the new store must have.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The relationships of P and K in the second version; `nil` if it has none.
    let p, k: String?
    /// Counts the links of the new store.
    let count: String

    static func relationship(_ name: String, _ destination: String, _ inverse: String?, _ details: String) -> String {
      let other = inverse.map { " inverseName=\"\($0)\" inverseEntity=\"\(destination)\"" } ?? ""
      return
        "<relationship name=\"\(name)\" optional=\"YES\" deletionRule=\"Nullify\" destinationEntity=\"\(destination)\""
        + "\(other) \(details)/>"
    }

    private static let one = "maxCount=\"1\""

    static let all = [
      Change(
        testDescription: "P's side becomes to-many", p: relationship("one", "K", "two", "toMany=\"YES\""),
        k: relationship("two", "P", "one", one), count: "SELECT count(ZTWO) FROM ZK"),
      Change(
        testDescription: "K's side becomes to-many", p: relationship("one", "K", "two", one),
        k: relationship("two", "P", "one", "toMany=\"YES\""), count: "SELECT count(ZONE) FROM ZP"),
      Change(
        testDescription: "both become to-many", p: relationship("one", "K", "two", "toMany=\"YES\""),
        k: relationship("two", "P", "one", "toMany=\"YES\""), count: "SELECT count(*) FROM Z_1TWO"),
      Change(
        testDescription: "P's side goes", p: nil, k: relationship("two", "P", nil, one),
        count: "SELECT count(ZTWO) FROM ZK"),
      Change(
        testDescription: "K's side goes", p: relationship("one", "K", nil, one), k: nil,
        count: "SELECT count(ZONE) FROM ZP"),
      Change(
        testDescription: "both are renamed, with an identifier on K's side",
        p: relationship("uno", "K", "dos", one), k: relationship("dos", "P", "uno", one + " elementID=\"two\""),
        count: "SELECT min(a, b) FROM (SELECT count(ZUNO) AS a FROM ZP), (SELECT count(ZDOS) AS b FROM ZK)"),
      Change(
        testDescription: "both are renamed, with an identifier on P's side",
        p: relationship("uno", "K", "dos", one + " elementID=\"one\""), k: relationship("dos", "P", "uno", one),
        count: "SELECT min(a, b) FROM (SELECT count(ZUNO) AS a FROM ZP), (SELECT count(ZDOS) AS b FROM ZK)"),
    ]
  }

  @Test(arguments: Change.all, ["ZK SET ZTWO", "ZP SET ZONE"])
  func `No link is lost where the pair becomes another relationship`(change: Change, emptied: String) throws {
    let folder = try TemporaryFolder()
    func entities(_ p: String?, _ k: String?) -> String {
      "<entity name=\"P\">\(p ?? "")</entity><entity name=\"K\">\(k ?? "")</entity>"
    }
    let pair = entities(
      Change.relationship("one", "K", "two", "maxCount=\"1\""), Change.relationship("two", "P", "one", "maxCount=\"1\"")
    )
    let model = try folder.models(
      "B.xcdatamodeld", ["V1": pair, "V2": entities(change.p, change.k)], current: "V2")
    let (store, output) = (folder.file("s.sqlite"), folder.file("o.sqlite"))
    try successfully("fixture", "new", "--model", "\(model):V1", "--rows", "6", store)
    let links = try Database.value("SELECT count(*) FROM ZP JOIN ZK ON ZONE = ZK.Z_PK AND ZTWO = ZP.Z_PK", in: store)
    #expect(links != "0")
    try Database.run("UPDATE \(emptied) = NULL", in: store)
    let result = try CommandRunner([store, "--model", model, "--output", output, "--verify"]).run()
    #expect(result.status == 0, "\(result)")
    #expect(try Database.value(change.count, in: output) == links, "\(result)")
  }
}
