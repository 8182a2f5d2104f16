internal import JSONPresets
internal import Verification

/// The conditions by which a document's preset is found.
///
/// Hot: there are many presets, and every document is compared with them. The conditions are therefore flat lists.
struct PresetConditions {
  /// The conditions of a preset.
  private struct Entry {
    let isLate: Bool
    /// The members that a document must have for the conditions to hold.
    var members = MemberSet()
    /// The members of which it must have one, for each condition with alternatives.
    var choices: [MemberSet] = []
    /// The places of the tests among all.
    var tests: Range<Int>
  }

  /// Something that a document must have, or must not.
  private struct Test {
    let path: NodePath
    /// The member with which the path begins.
    let key: Int?
    /// The value that is wanted, among the bytes of all; `nil` for any.
    let value: Range<Int>?
    let isNegated: Bool
    let countsNull: Bool
    /// Whether it is the last of a condition, of whose tests one must hold.
    let isLast: Bool
  }

  private var entries: [Entry] = []
  private var tests: [Test] = []
  private var values: [UInt8] = []

  init(of presets: [Preset], _ paths: inout PathNumbering) {
    for preset in presets {
      let start = tests.count
      var members = MemberSet()
      var choices: [MemberSet] = []
      for condition in preset.conditions {
        var choice: MemberSet? = condition.tests.count > 1 ? MemberSet() : nil
        for (place, test) in condition.tests.enumerated() {
          let steps = paths.numbered(test.path)
          let key: Int? = if case .member(let key) = steps.first { key } else { nil }
          if condition.tests.count == 1, !test.isNegated, let key { members.insert(key) }
          if !test.isNegated, let key { choice?.insert(key) } else { choice = nil }
          let value = test.value.map { Array($0.utf8) }
          values += value ?? []
          tests.append(
            Test(
              path: paths.add(steps), key: key, value: value.map { values.count - $0.count..<values.count },
              isNegated: test.isNegated, countsNull: test.countsNull, isLast: place == condition.tests.count - 1))
        }
        if let choice { choices.append(choice) }
      }
      entries.append(
        Entry(isLate: preset.kind.comesLast, members: members, choices: choices, tests: start..<tests.count))
    }
  }

  /// The first preset that an object matches.
  ///
  /// - Parameter isLate: Whether presets are looked at that come after those of all objects in a document.
  func firstMatch(_ node: Int, in document: DocumentView, isLate: Bool) -> Int? {
    firstMatch(node, in: document) { entries[$0].isLate == isLate }
  }

  /// The first of some presets that an object matches.
  func firstMatch(_ node: Int, in document: DocumentView, where isWanted: (Int) -> Bool) -> Int? {
    var members = MemberSet()
    _ = document.hasChild(of: node) { child in
      members.insert(document.nodes[child].key)
      return false
    }
    return entries.withUnsafeBufferPointer { entries in
      tests.withUnsafeBufferPointer { tests in
        values.withUnsafeBufferPointer { values in
          entries.indices.first {
            let entry = entries[$0]
            return isWanted($0) && entry.members.mayBeSubset(of: members)
              && entry.choices.allSatisfy { $0.mayMeet(members) }
              && Self.meets(UnsafeBufferPointer(rebasing: tests[entry.tests]), values, node, members, in: document)
          }
        }
      }
    }
  }

  private static func meets(
    _ tests: UnsafeBufferPointer<Test>, _ values: UnsafeBufferPointer<UInt8>, _ node: Int, _ members: MemberSet,
    in document: DocumentView
  ) -> Bool {
    var isMet = false
    for test in tests {
      isMet = isMet || meets(test, values, node, members, in: document)
      guard test.isLast else { continue }
      guard isMet else { return false }
      isMet = false
    }
    return true
  }

  private static func meets(
    _ test: Test, _ values: UnsafeBufferPointer<UInt8>, _ node: Int, _ members: MemberSet, in document: DocumentView
  ) -> Bool {
    // Most words of a condition with many are missing.
    if let key = test.key, !members.mayContain(key) { return test.value == nil && test.isNegated }
    guard let value = test.value else {
      let isThere = document.hasValue(at: test.path, from: node) { test.countsNull || document.nodes[$0].kind != .null }
      return isThere != test.isNegated
    }
    return document.hasValue(at: test.path, from: node) {
      document.isText($0, UnsafeBufferPointer(rebasing: values[value]))
    }
  }
}
