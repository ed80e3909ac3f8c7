#pragma once

// Private to src/device: the only header that includes OpenCL's. No public header may include it.

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <string>

namespace margay::device {

//! An OpenCL function of one library, with its name for error messages.
template <typename Signature>
struct ApiFunction {
  const char* name = nullptr;
  Signature* pointer = nullptr;
};

#define MARGAY_OPENCL_FUNCTIONS(FUNCTION)  \
  FUNCTION(GetPlatformIDs)                 \
  FUNCTION(GetPlatformInfo)                \
  FUNCTION(GetDeviceIDs)                   \
  FUNCTION(GetDeviceInfo)                  \
  FUNCTION(CreateContext)                  \
  FUNCTION(ReleaseContext)                 \
  FUNCTION(CreateCommandQueue)             \
  FUNCTION(ReleaseCommandQueue)            \
  FUNCTION(CreateBuffer)                   \
  FUNCTION(RetainMemObject)                \
  FUNCTION(ReleaseMemObject)               \
  FUNCTION(SetMemObjectDestructorCallback) \
  FUNCTION(CreateProgramWithSource)        \
  FUNCTION(CreateProgramWithBinary)        \
  FUNCTION(BuildProgram)                   \
  FUNCTION(GetProgramInfo)                 \
  FUNCTION(GetProgramBuildInfo)            \
  FUNCTION(ReleaseProgram)                 \
  FUNCTION(CreateKernel)                   \
  FUNCTION(SetKernelArg)                   \
  FUNCTION(GetKernelInfo)                  \
  FUNCTION(GetKernelWorkGroupInfo)         \
  FUNCTION(ReleaseKernel)                  \
  FUNCTION(EnqueueWriteBuffer)             \
  FUNCTION(EnqueueReadBuffer)              \
  FUNCTION(EnqueueCopyBuffer)              \
  FUNCTION(EnqueueFillBuffer)              \
  FUNCTION(EnqueueMapBuffer)               \
  FUNCTION(EnqueueUnmapMemObject)          \
  FUNCTION(EnqueueNDRangeKernel)           \
  FUNCTION(EnqueueMarkerWithWaitList)      \
  FUNCTION(EnqueueBarrierWithWaitList)     \
  FUNCTION(Flush)                          \
  FUNCTION(Finish)                         \
  FUNCTION(WaitForEvents)                  \
  FUNCTION(GetEventInfo)                   \
  FUNCTION(GetEventProfilingInfo)          \
  FUNCTION(ReleaseEvent)

//! The OpenCL functions of one library: the ICD loader, or a runtime opened directly. Immutable.
struct OpenClApi {
#define MARGAY_DECLARE(function) ApiFunction<decltype(::cl##function)> function;
  MARGAY_OPENCL_FUNCTIONS(MARGAY_DECLARE)
#undef MARGAY_DECLARE

  //! Opens a library by name or path, or returns null and sets `problem`. Thread-safe. The library
  //! is never closed and the result never freed: runtimes keep threads and exit handlers of their
  //! own.
  static const OpenClApi* Load(const std::string& library, std::string* problem);
};

}  // namespace margay::device
