import Primitives
import Testing

struct ShortListTests {
    @Test(arguments: 0...4)
    func `it behaves as an array does`(count: Int) {
        var (list, array) = (ShortList<Int>(), [Int]())
        for number in 0..<count {
            list.append(number)
            array.append(number)
        }
        for index in array.indices {
            list[index] *= 10
            array[index] *= 10
        }
        #expect(Array(list) == array && list.count == array.count && list.first == array.first)
        while !array.isEmpty {
            #expect(list.removeFirst() == array.removeFirst())
            #expect(Array(list) == array)
        }
        #expect(list.isEmpty)
    }

    @Test func `an emptied list can be filled again`() {
        var list: ShortList = [1, 2]
        list.removeFirst()
        list.removeFirst()
        list.append(contentsOf: [3, 4])
        #expect(Array(list) == [3, 4])
    }
}
