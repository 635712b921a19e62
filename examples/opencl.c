/* The kernels of positions.cl, run by the first OpenCL device. The program compares their sines and cosines with the
 * correctly rounded values, at positions from -2^32 to 2^32. Build and run it in this directory, with an installed
 * posenc and an OpenCL driver (Debian: ocl-icd-opencl-dev, and pocl-opencl-icd, which computes on the CPU):
 *
 *     cc opencl.c $(pkg-config --cflags --libs posenc OpenCL) -lm -o opencl && ./opencl
 *
 * Exit status 1: a value is off by more than 8.5e-08, or there is no OpenCL device, or a call failed.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <posenc.h>
#include <stdio.h>
#include <stdlib.h>

enum { D = 128, N = D / 2, HALF = 16384, ROWS = 2 * HALF + 1 };

static const double LARGEST_ERROR = 8.5e-8; /* docs/kernels.md states it */

static int64_t positions[ROWS];
static uint64_t fractions[N];
static double correct[ROWS * D];
static float values[ROWS * D];

static void fail(const char *call, const char *reason) {
  fprintf(stderr, "opencl: %s: %s\n", call, reason);
  exit(1);
}

static void check_posenc(posenc_status status, const char *call) {
  char reason[256];
  if (status != POSENC_OK) {
    posenc_last_error(reason, sizeof reason);
    fail(call, reason);
  }
}

static void check(cl_int status, const char *call) {
  char reason[64];
  if (status != CL_SUCCESS) {
    snprintf(reason, sizeof reason, "error %d; CL/cl.h has its name", (int)status);
    fail(call, reason);
  }
}

/* Fills the positions, the fractions of the frequencies, and the correctly rounded values. */
static void prepare(void) {
  for (int64_t i = -HALF; i <= HALF; i++)
    positions[i + HALF] = i * i * i / 1024; /* dense around 0, up to 2^32 */

  posenc_spec spec;
  posenc_spec_init(&spec, D, NULL);
  spec.base = 500000;
  spec.dtype = POSENC_DTYPE_F64;
  posenc_plan *plan;
  double whole[N], rest[N]; /* not needed for float32 values at integer positions */
  check_posenc(posenc_plan_create(&plan, &spec, NULL), "posenc_plan_create");
  check_posenc(posenc_plan_phases(plan, whole, fractions, rest), "posenc_plan_phases");
  check_posenc(posenc_fill_at(plan, positions, ROWS, correct, D), "posenc_fill_at");
  posenc_plan_destroy(plan);
}

static cl_device_id first_device(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_uint found = 0;
  char version[256], name[256];
  /* Without a platform, some loaders return an error and others only count 0. */
  if (clGetPlatformIDs(1, &platform, &found) != CL_SUCCESS || found == 0)
    fail("clGetPlatformIDs", "there is no OpenCL driver; Debian has one for the CPU, pocl-opencl-icd");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  check(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL), "clGetPlatformInfo");
  check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
  printf("%s: %s\n", version, name);
  return device;
}

/* Compiles positions.cl. The driver reads the file, so that it also finds what the file includes. */
static cl_program compile(cl_context context, cl_device_id device) {
  const char *source = "#include \"positions.cl\"\n";
  cl_int status;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  check(status, "clCreateProgramWithSource");
  status = clBuildProgram(program, 1, &device, "-I .", NULL, NULL);
  if (status == CL_BUILD_PROGRAM_FAILURE) {
    static char log[1 << 16];
    check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL), "clGetProgramBuildInfo");
    fail("clBuildProgram", log);
  }
  check(status, "clBuildProgram");
  return program;
}

/* A buffer of the device; with `data`, a copy of it. */
static cl_mem buffer(cl_context context, size_t size, void *data) {
  cl_int status;
  cl_mem memory = clCreateBuffer(context, data ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR : 0, size, data, &status);
  check(status, "clCreateBuffer");
  return memory;
}

/* Runs the kernel `name`, and returns the largest error of its values, or NaN if one is NaN. */
static double error_of(const char *name, cl_program program, cl_command_queue queue, const cl_mem arguments[3]) {
  cl_int status;
  cl_kernel kernel = clCreateKernel(program, name, &status);
  check(status, "clCreateKernel");
  for (cl_uint i = 0; i < 3; i++)
    check(clSetKernelArg(kernel, i, sizeof arguments[i], &arguments[i]), "clSetKernelArg");
  const size_t size[2] = {ROWS, N};
  const float unset = NAN; /* in values that the kernel does not write */
  check(clEnqueueFillBuffer(queue, arguments[2], &unset, sizeof unset, 0, sizeof values, 0, NULL, NULL),
      "clEnqueueFillBuffer");
  check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(queue, arguments[2], CL_TRUE, 0, sizeof values, values, 0, NULL, NULL),
      "clEnqueueReadBuffer");
  check(clReleaseKernel(kernel), "clReleaseKernel");

  double largest = 0;
  for (size_t i = 0; i < ROWS * D; i++) {
    const double error = fabs(values[i] - correct[i]);
    if (error > largest || isnan(error))
      largest = error;
  }
  return largest;
}

int main(void) {
  prepare();
  cl_device_id device = first_device();
  cl_int status;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  cl_program program = compile(context, device);
  const cl_mem arguments[3] = {
      buffer(context, sizeof positions, positions),
      buffer(context, sizeof fractions, fractions),
      buffer(context, sizeof values, NULL),
  };

  const double error = error_of("table", program, queue, arguments);
  const double error_by_words = error_of("table_by_words", program, queue, arguments);
  printf("off by at most %.2g; by 32-bit words: %.2g\n", error, error_by_words);
  if (!(error <= LARGEST_ERROR && error_by_words <= LARGEST_ERROR))
    fail("positions.cl", "a value is off by more than 8.5e-08");

  for (int i = 0; i < 3; i++)
    clReleaseMemObject(arguments[i]);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}
