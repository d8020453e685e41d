/// A sum of doubles that keeps what rounding takes away (Neumaier 1974, a variant of Kahan's summation): the error does
/// not grow with the number of summands.
struct NeumaierSum: Sendable {
    private var sum = 0.0
    private var compensation = 0.0

    var value: Double { sum + compensation }

    mutating func add(_ summand: Double) {
        let total = sum + summand
        if abs(sum) >= abs(summand) {
            compensation += (sum - total) + summand
        } else {
            compensation += (summand - total) + sum
        }
        sum = total
    }
}
