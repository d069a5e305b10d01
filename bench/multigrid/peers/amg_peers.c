#define _GNU_SOURCE 1
/* The list of libraries that amg_bench of this build can measure beside spg. */
#include "amg_peer.h"

#include "parse.h"

#include <string.h>

static const amg_peer *const all_peers[] = {
#ifdef SPG_BENCH_HYPRE
    &amg_peer_hypre_host,
#endif
#ifdef SPG_BENCH_HYPRE_DEVICE
    &amg_peer_hypre_device,
#endif
#ifdef SPG_BENCH_GAMG
    &amg_peer_gamg,
#endif
#ifdef SPG_BENCH_AMGX
    &amg_peer_amgx,
    &amg_peer_amgx_aggregation,
#endif
    NULL};

const amg_peer *amg_peer_at(int k) { return all_peers[k]; }

/* Adds what a word means: "none", "all" or a name. */
static bool add(const char *word, spg_place place, const amg_peer *peers[MOST_AMG_PEERS], int *count)
{
    const bool all = strcmp(word, "all") == 0;
    bool known = all || strcmp(word, "none") == 0, fits = known;
    for (int k = 0; all_peers[k] != NULL; k++) {
        const amg_peer *peer = all_peers[k];
        if (!all && strcmp(word, peer->name) != 0) continue;
        known = true;
        if (place != SPG_PLACE_AUTO && peer->works_at != place) continue;
        fits = true;
        bool taken = false;
        for (int j = 0; j < *count; j++) taken = taken || peers[j] == peer;
        if (!taken) peers[(*count)++] = peer;
    }
    if (!known) return complain("--peers: this build has no '%s'; --help lists those it has", word);
    return fits || complain("--peers: '%s' does not work on %s in this build", word,
                            place == SPG_PLACE_DEVICE ? "a device" : "the host");
}

bool amg_peers_choose(const char *list, spg_place place, const amg_peer *peers[MOST_AMG_PEERS], int *count)
{
    char copy[256];
    *count = 0;
    if (list == NULL) return true;
    if (strlen(list) >= sizeof copy) return complain("--peers: '%s' is too long a list", list);
    strcpy(copy, list);
    char *rest = NULL;
    for (char *word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest))
        if (!add(word, place, peers, count)) return false;
    return true;
}

void amg_peers_print_names(FILE *stream)
{
    fputs("\nPeers of this build:", stream);
    if (amg_peer_at(0) == NULL) fputs(" none", stream);
    fputc('\n', stream);
    for (int k = 0; amg_peer_at(k) != NULL; k++) {
        const amg_peer *peer = amg_peer_at(k);
        fprintf(stream, "  %-18s %s %s, on %s\n", peer->name, "version", peer->version(),
                peer->works_at == SPG_PLACE_DEVICE ? "a device" : "the host, one thread");
    }
}
