internal import SystemC

/// A file that is closed when this is released.
package final class OpenFile {
  private let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }
}
