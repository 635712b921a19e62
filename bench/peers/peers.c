#include "peer.h"

#include <stddef.h>

/* CMake writes peers_built.inc: POSENC_PEER_BUILT(name) for each row of peers.inc that is built, and
 * POSENC_PEER_MISSING(name, reason) for each row whose instructions this architecture has but whose library is
 * missing. */
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
