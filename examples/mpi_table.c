/* Many processes, on one machine or on several, write one table to an .npy file by MPI. Build the program with Debian's
 * libopenmpi-dev and openmpi-bin, or with any other MPI, and write 5000 rows of 512 columns with 4 processes:
 *
 *     mpicc mpi_table.c $(pkg-config --cflags --libs posenc) -o mpi_table && mpirun -n 4 ./mpi_table pe.npy 5000 512
 *
 * A row depends on its position alone, so the file has the same bits for any number of processes. Each process needs
 * 64 MiB for rows, for a table of any size.
 */
#include <mpi.h>
#include <posenc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 128, PIECE = 1 << 24 }; /* bytes of the header; the most elements of one write */

static float piece[PIECE];
static char part[4096]; /* the file's name until it is complete */

/* Deletes the unfinished file and ends all processes. */
static _Noreturn void fail(const char *what, const char *why) {
  fprintf(stderr, "mpi_table: %s: %s\n", what, why);
  MPI_File_delete(part, MPI_INFO_NULL);
  MPI_Abort(MPI_COMM_WORLD, 1);
  abort();
}

/* MPI returns errors of files. By default, all its other errors end the program. */
static void check(int error) {
  char why[MPI_MAX_ERROR_STRING];
  int length;
  if (error != MPI_SUCCESS) {
    MPI_Error_string(error, why, &length);
    fail(part, why);
  }
}

static void check_posenc(posenc_status status) {
  char why[256];
  if (status != POSENC_OK) {
    posenc_last_error(why, sizeof why);
    fail("posenc", why);
  }
}

/* Writes the header of NumPy's format, version 1.0: a magic string, the length of the rest, and a dictionary, padded
 * with spaces and a newline so that elements start at a multiple of 64 bytes. */
static void write_header(MPI_File file, int64_t rows, int64_t d_model) {
  char header[HEADER];
  const int length = snprintf(header, sizeof header,
      "\x93NUMPY%c%c%c%c{'descr': '<f4', 'fortran_order': False, 'shape': (%lld, %lld), }", 1, 0, HEADER - 10, 0,
      (long long)rows, (long long)d_model);
  memset(header + length, ' ', sizeof header - (size_t)length);
  header[HEADER - 1] = '\n';
  check(MPI_File_write_at(file, 0, header, HEADER, MPI_BYTE, MPI_STATUS_IGNORE));
}

int main(int count, char **arguments) {
  int rank, ranks;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int64_t rows = count == 4 ? atoll(arguments[2]) : 0, d_model = count == 4 ? atoll(arguments[3]) : 0;
  if (rows < 1 || rows > POSENC_MAX_POSITION) {
    if (rank == 0)
      fprintf(stderr, "usage: mpi_table FILE.npy ROWS D_MODEL, with 1 to 2^32 rows\n");
    MPI_Finalize();
    return 2;
  }
  if (snprintf(part, sizeof part, "%s.part", arguments[1]) >= (int)sizeof part)
    fail(arguments[1], "the name is too long");

  /* [part: ranks] */
  posenc_spec spec;
  posenc_plan *plan;
  check_posenc(posenc_spec_init(&spec, d_model, NULL)); /* NULL: the paper's table; or a preset's name */
  check_posenc(posenc_plan_create(&plan, &spec, NULL)); /* each process has its own plan: frequencies, no table */
  const int64_t begin = rows * rank / ranks, end = rows * (rank + 1) / ranks, most = PIECE / d_model;

  MPI_File file;
  check(MPI_File_open(MPI_COMM_WORLD, part, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
  check(MPI_File_set_size(file, HEADER + rows * d_model * (MPI_Offset)sizeof(float)));
  if (rank == 0)
    write_header(file, rows, d_model);
  for (int64_t first = begin; first < end; first += most) {
    const int64_t now = end - first < most ? end - first : most;
    const MPI_Offset at = HEADER + first * d_model * (MPI_Offset)sizeof(float);
    check_posenc(posenc_fill(plan, first, now, piece, d_model));
    check(MPI_File_write_at(file, at, piece, (int)(now * d_model), MPI_FLOAT, MPI_STATUS_IGNORE));
  }
  check(MPI_File_close(&file));
  check(MPI_Barrier(MPI_COMM_WORLD)); /* all processes have written and closed it */
  /* [end: ranks] */

  if (rank == 0) {
    if (rename(part, arguments[1]) != 0)
      fail(arguments[1], "the finished table could not be given its name");
    printf(
        "%s: %lld x %lld float32, written by %d processes\n", arguments[1], (long long)rows, (long long)d_model, ranks);
  }
  posenc_plan_destroy(plan);
  MPI_Finalize();
  return 0;
}
