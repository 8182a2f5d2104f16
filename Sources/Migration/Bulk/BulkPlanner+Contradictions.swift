extension BulkPlanner {
  /// Whether what is given to one side may be taken away again by what is given to the other.
  ///
  /// Instances are connected one after the other, and each sets all that its relationship leads to. So both sides have to
  /// say the same wherever both say something.
  func contradict(_ own: [BulkContribution], _ inverse: [BulkContribution]) -> Bool {
    for (some, others) in [(own, inverse), (inverse, own)] {
      let byOwner = Dictionary(grouping: others, by: \.owner.index)
      for contribution in some {
        for target in contribution.targets {
          if byOwner[target.index, default: []].contains(where: { !$0.mirrors(contribution) }) { return true }
        }
      }
    }
    return false
  }
}
