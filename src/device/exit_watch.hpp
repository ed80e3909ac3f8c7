#pragma once

namespace margay::device {

//! To be called where Margay is loaded. On the main thread of the process it makes sure that no call
//! of OpenCL is under way any more when exit handlers begin to run: see device/process_exit.hpp. A
//! main thread that ends before its process (pthread_exit) ends these calls too. Elsewhere it does
//! nothing, and a handler does its best.
void WatchMainThread();

}  // namespace margay::device
