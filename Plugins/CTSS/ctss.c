#include "CTSS.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#if defined(__APPLE__)
#define LOADER "libtss2-tctildr.0.dylib"
#else
#define LOADER "libtss2-tctildr.so.0"
#endif

// The first members of every TCTI's context. The TCTI specification fixes them since its version 1.
typedef struct {
    uint64_t magic;
    uint32_t version;
    uint32_t (*transmit)(void *context, size_t size, const uint8_t *command);
    uint32_t (*receive)(void *context, size_t *size, uint8_t *response, int32_t timeout);
} tcti_context;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t (*initialise)(const char *name, void **context);
static void (*finalise)(void **context);

static void load(void) {
    // The libraries write each failed attempt to standard error, which is the terminal on which a lock screen is drawn.
    // Only this variable keeps them from it.
    if (!getenv("TSS2_LOG")) setenv("TSS2_LOG", "all+none", 0);
    void *library = dlopen(LOADER, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    initialise = (uint32_t(*)(const char *, void **))dlsym(library, "Tss2_TctiLdr_Initialize");
    finalise = (void (*)(void **))dlsym(library, "Tss2_TctiLdr_Finalize");
}

int ctss_load(void) {
    pthread_once(&once, load);
    return initialise && finalise ? 0 : -1;
}

int ctss_has_library(const char *file) {
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return 0;
    dlclose(library);
    return 1;
}

uint32_t ctss_connect(const char *name, void **connection) {
    *connection = NULL;
    return initialise(name, connection);
}

uint32_t ctss_send(void *connection, const uint8_t *bytes, size_t count) {
    return ((tcti_context *)connection)->transmit(connection, count, bytes);
}

uint32_t ctss_receive(void *connection, uint8_t *bytes, size_t *count) {
    return ((tcti_context *)connection)->receive(connection, count, bytes, -1);
}

void ctss_disconnect(void *connection) { finalise(&connection); }
