#include "peer.h"

#include <stddef.h>

/* peers_built.inc, by the build: POSENC_PEER_BUILT(name) for each row of peers.inc that could be,
 * POSENC_PEER_MISSING(name, reason) for each that could not, though this architecture has its instructions. */
#define POSENC_PEER_MISSING(name, reason)
#define POSENC_PEER_BUILT(name) extern const peer peer_##name;
#include "peers_built.inc"
#undef POSENC_PEER_BUILT
#undef POSENC_PEER_MISSING

const peer *const peers[] = {
#define POSENC_PEER_BUILT(name) &peer_##name,
#define POSENC_PEER_MISSING(name, reason)
#include "peers_built.inc"
#undef POSENC_PEER_BUILT
#undef POSENC_PEER_MISSING
    NULL};

const peer_missing peers_missing[] = {
#define POSENC_PEER_BUILT(name)
#define POSENC_PEER_MISSING(name, reason) {#name, reason},
#include "peers_built.inc"
    {NULL, NULL}};
