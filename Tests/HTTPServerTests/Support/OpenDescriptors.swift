import Glibc

/// How many descriptors this process has open.
func openDescriptors() -> Int {
    guard let folder = unsafe opendir("/proc/self/fd") else { return -1 }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    // Without ".", ".." and the folder itself.
    return count - 3
}
