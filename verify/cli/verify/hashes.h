/* posenc-verify --hashes: writes hashes.inc to standard output. */
#ifndef POSENC_CLI_HASHES_H
#define POSENC_CLI_HASHES_H

/* The exit status: 0 all tables are as promised, 1 some are not, and their rows are missing. */
int write_hashes(void);

#endif
