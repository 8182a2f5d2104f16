/// What one thread hands over to another: from then on, it is used by nobody else, or never changes.
struct HandedOver<Content>: @unchecked Sendable {
  let content: Content

  init(_ content: Content) {
    self.content = content
  }
}
