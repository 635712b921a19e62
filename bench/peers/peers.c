#include "peer.h"

#include <string.h>

/* peers_built.inc, by the build: POSENC_PEER_BUILT(name) for each row of peers.inc that could be,
 * POSENC_PEER_MISSING(name, reason) for each that could not, though this architecture has its instructions. */
#define POSENC_PEER_MISSING(name, reason)
#define POSENC_PEER_BUILT(name) extern const peer peer_##name;
#include "peers_built.inc"
#undef POSENC_PEER_BUILT

static const peer *const peers[] = {
#define POSENC_PEER_BUILT(name) &peer_##name,
#include "peers_built.inc"
#undef POSENC_PEER_BUILT
#undef POSENC_PEER_MISSING
};

size_t peer_count(void) { return sizeof peers / sizeof *peers; }

const peer *peer_at(size_t i) { return peers[i]; }

const peer *peer_find(const char *name) {
  for (size_t i = 0; i < peer_count(); i++)
    if (strcmp(peers[i]->name, name) == 0)
      return peers[i];
  return NULL;
}

void peer_each_missing(void (*call)(const char *name, const char *reason, void *data), void *data) {
  (void)call, (void)data; /* where none is missing */
#define POSENC_PEER_BUILT(name)
#define POSENC_PEER_MISSING(name, reason) call(#name, reason, data);
#include "peers_built.inc"
}
