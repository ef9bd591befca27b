// The bare library, for what checking a file's tags costs at least.
#include <gcrypt.h>
