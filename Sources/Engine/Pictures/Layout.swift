internal import Foundation

/// Places for boxes that lines connect: lines pull them together, all push each other away, and at last none covers
/// another.
///
/// It is the method of Fruchterman and Reingold, from places on a spiral, so that the same data always look the same.
struct Layout {
  struct Size {
    var width, height: Double
  }

  struct Place {
    var x, y: Double
  }

  /// The middles of the boxes.
  private(set) var places: [Place]
  private let sizes: [Size]
  private let canvas: Size
  /// The free space around a box.
  private let gap: Double

  /// - Parameter canvas: About how large the picture is to be; it grows where boxes need more.
  init(_ sizes: [Size], _ edges: [(from: Int, to: Int)], canvas: Size, gap: Double) {
    (self.sizes, self.canvas, self.gap) = (sizes, canvas, gap)
    let count = Double(sizes.count)
    places = sizes.indices.map { number in
      let (angle, distance) = (Double(number) * 2.399_963, (Double(number) / count).squareRoot() * 0.45)
      return Place(x: canvas.width * (0.5 + cos(angle) * distance), y: canvas.height * (0.5 + sin(angle) * distance))
    }
    let ideal = (canvas.width * canvas.height / max(count, 1)).squareRoot() * 0.8
    // Every box pushes every other: of very many, fewer rounds have to do.
    let rounds = max(20, min(400, 40_000_000 / max(1, sizes.count * sizes.count)))
    var heat = canvas.width / 8
    for _ in 0..<rounds {
      relax(edges, ideal, heat)
      heat = max(1, heat * 0.985)
    }
    for _ in 0..<rounds where !separate() { break }
    // Nothing is left of the picture, or above it.
    let left = zip(places, sizes).map { $0.x - $1.width / 2 }.min() ?? 0
    let top = zip(places, sizes).map { $0.y - $1.height / 2 }.min() ?? 0
    for place in places.indices {
      places[place].x += gap - left
      places[place].y += gap - top
    }
  }

  /// The size of the picture.
  var size: Size {
    Size(
      width: (zip(places, sizes).map { $0.x + $1.width / 2 }.max() ?? 0) + gap,
      height: (zip(places, sizes).map { $0.y + $1.height / 2 }.max() ?? 0) + gap)
  }

  private mutating func relax(_ edges: [(from: Int, to: Int)], _ ideal: Double, _ heat: Double) {
    var moves = [Place](repeating: Place(x: 0, y: 0), count: places.count)
    for first in places.indices {
      for second in places.indices where second != first {
        let (dx, dy) = (places[first].x - places[second].x, places[first].y - places[second].y)
        let distance = max(1, (dx * dx + dy * dy).squareRoot())
        let force = ideal * ideal / (distance * distance)
        moves[first].x += dx * force
        moves[first].y += dy * force
      }
      // Parts that are not connected stay in the picture.
      moves[first].x += (canvas.width / 2 - places[first].x) * 0.6
      moves[first].y += (canvas.height / 2 - places[first].y) * 0.9
    }
    for edge in edges {
      let (dx, dy) = (places[edge.from].x - places[edge.to].x, places[edge.from].y - places[edge.to].y)
      let force = max(1, (dx * dx + dy * dy).squareRoot()) / ideal
      moves[edge.from].x -= dx * force
      moves[edge.from].y -= dy * force
      moves[edge.to].x += dx * force
      moves[edge.to].y += dy * force
    }
    for place in places.indices {
      let length = max(0.01, (moves[place].x * moves[place].x + moves[place].y * moves[place].y).squareRoot())
      places[place].x += moves[place].x / length * min(length, heat)
      places[place].y += moves[place].y / length * min(length, heat)
      places[place].x = min(max(places[place].x, sizes[place].width / 2), canvas.width - sizes[place].width / 2)
      places[place].y = min(max(places[place].y, sizes[place].height / 2), canvas.height - sizes[place].height / 2)
    }
  }

  /// Moves boxes that overlap apart, the shorter way.
  ///
  /// - Returns: Whether there were any.
  private mutating func separate() -> Bool {
    var hasMoved = false
    for first in places.indices {
      for second in places.indices where second > first {
        let overlapX =
          (sizes[first].width + sizes[second].width) / 2 + gap - abs(places[first].x - places[second].x)
        let overlapY =
          (sizes[first].height + sizes[second].height) / 2 + gap - abs(places[first].y - places[second].y)
        guard overlapX > 0.01, overlapY > 0.01 else { continue }
        hasMoved = true
        if overlapY <= overlapX {
          let direction: Double = places[first].y <= places[second].y ? -1 : 1
          places[first].y += direction * overlapY / 2
          places[second].y -= direction * overlapY / 2
        } else {
          let direction: Double = places[first].x <= places[second].x ? -1 : 1
          places[first].x += direction * overlapX / 2
          places[second].x -= direction * overlapX / 2
        }
      }
    }
    return hasMoved
  }
}
