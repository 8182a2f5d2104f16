import SystemC
import Testing

@Suite("Text that only programs read")
struct IdentifierTextTests {
  private func isOne(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes(IdentifierText.isOne) }

  @Test(arguments: [
    "7", "007", "7.0", "3/12", "3 / 12", "3 of 12", "3 of  12", "7ba5a5f0-5a9c-4b6f-8d59-0c1d2e3f4a5b",
    "7BA5A5F0-5A9C-4B6F-8D59-0C1D2E3F4A5B", "https://example.com/a", "urn:isbn:123", "file:///a",
  ])
  func `Numbers, UUIDs and URIs are`(text: String) { #expect(isOne(text)) }

  @Test(arguments: [
    "", "Seven", "7 Rings", "99 Problems", "7.", "3/", "3 of", "3 off 12", "1/2 Full", "o f", "Re:Birth", "a: b:c",
    "7ba5a5f0-5a9c-4b6f-8d59-0c1d2e3f4a5", "https: //x", "No. 5", "-7", "Ångström:x:y",
  ])
  func `Other text is not`(text: String) { #expect(!isOne(text)) }
}
