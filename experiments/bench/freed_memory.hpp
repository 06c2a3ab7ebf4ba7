#pragma once

namespace rootdk {

// From here on free() keeps what it gets, for the next malloc(), as long as this process lives; call
// it before there are other threads.
//
// Why: the peer allocates every intermediate result anew in each step. As glibc is set, large ones go
// back to the kernel at once, and fetching them again page by page took most of the peer's step: we
// would time the kernel, not the library. Ours allocates nothing in a step.
//
// False when malloc does not take such orders: that of a sanitizer does not.
bool keep_freed_memory();

}  // namespace rootdk
