/// Who may do what with a file besides its owner and its group, as Linux keeps it (`linux/posix_acl_xattr.h`).
struct AccessControlList {
  /// The extended attribute that holds it.
  static let attribute = "system.posix_acl_access"

  /// The number 2 in four bytes, then of each entry the tag and the rights in two bytes each, and an id in four.
  private(set) var bytes: [UInt8]

  private enum Tag: UInt8 {
    case user = 0x02, group = 0x04, namedGroup = 0x08, mask = 0x10, others = 0x20
  }

  /// Takes the attribute's value; `nil` where it is none that is known.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 4, bytes.count % 8 == 4, bytes.starts(with: [2, 0, 0, 0]) else { return nil }
    self.bytes = bytes
  }

  private func entries(_ tags: Tag...) -> [Int] {
    stride(from: 4, to: bytes.count, by: 8).filter { index in tags.contains { $0.rawValue == bytes[index] } }
  }

  /// The rights that all entries of some kinds have.
  private func common(_ tags: Tag...) -> UInt32 {
    tags.flatMap { entries($0) }.reduce(7) { $0 & UInt32(bytes[$1 + 2]) }
  }

  /// Leaves the file's group the rights that everybody has.
  mutating func limitGroup() {
    for index in entries(.group) { bytes[index + 2] &= UInt8(common(.others)) }
  }

  /// The permissions of a file that cannot have the list: nobody may do more than the list allows.
  ///
  /// Without it those whom it names are members of the group, or others. And the group's three bits of a file with a list
  /// are not the group's rights, but the most that anybody in the list has.
  func permissions(insteadOf mode: UInt32) -> UInt32 {
    mode & ~0o077 | common(.group, .mask, .user, .namedGroup) << 3 & mode | common(.others, .user, .namedGroup) & mode
  }
}
