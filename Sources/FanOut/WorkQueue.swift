/// First in, first out; putting and taking are O(1) over time, and the storage is kept for the next burst.
struct WorkQueue {
    private var items: [Int] = []
    private var head = 0

    var isEmpty: Bool { head == items.count }
    var first: Int? { isEmpty ? nil : items[head] }

    mutating func put(_ item: Int) { items.append(item) }

    mutating func take() {
        head += 1
        if isEmpty || head > 1_024 && head > items.count / 2 {
            items.removeFirst(head)
            head = 0
        }
    }
}
