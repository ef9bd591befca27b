#pragma once

/// The commit that this was built from, or "unknown".
const char *cbuild_commit(void);
