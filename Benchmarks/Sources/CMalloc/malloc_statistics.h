// Swift's Glibc module has no mallinfo2.
#include <malloc.h>
