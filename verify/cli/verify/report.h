/* The two forms of a verification's results: text that grows as results come, and JSON at the end. */
#ifndef POSENC_VERIFY_REPORT_H
#define POSENC_VERIFY_REPORT_H

#include <stdio.h>

#include "../../campaign/campaign.h"

void text_begin(FILE *out, const results *r);
campaign_listener text_listener(FILE *out);
void text_end(FILE *out, const results *r);

/* Returns false if it could not be written. */
bool json_write(FILE *out, const results *r);

#endif
