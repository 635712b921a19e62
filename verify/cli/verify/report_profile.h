/* The part of the JSON that says where in the sweep's table the errors are. */
#ifndef POSENC_VERIFY_REPORT_PROFILE_H
#define POSENC_VERIFY_REPORT_PROFILE_H

#include <cjson/cJSON.h>

#include "../../campaign/campaign.h"

/* "profile" of the whole report: the edges of positions and columns, and how many rows were compared. */
void profile_add_edges(cJSON *root, const sweep *s);

/* "profile" of an implementation: the largest errors between these edges. */
void profile_add_matrix(cJSON *impl, const impl_result *r, const sweep *s);

#endif
