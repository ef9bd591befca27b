// What Swift cannot import of libgcrypt: the variadic control call, macros, and an initialisation that has to
// happen in one order.
#ifndef PORTCULLIS_CGCRYPT_SHIM_H
#define PORTCULLIS_CGCRYPT_SHIM_H

#include <gcrypt.h>

/// Initialises libgcrypt unless other code in this process did; returns 0 when the library is too old.
static inline int portcullis_gcry_initialise(void) {
    if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
        return gcry_check_version("1.10.0") != NULL;
    }
    // Begun elsewhere but not finished: its owner finishes it; the library works meanwhile.
    if (gcry_control(GCRYCTL_ANY_INITIALIZATION_P)) {
        return gcry_check_version("1.10.0") != NULL;
    }
    if (!gcry_check_version("1.10.0")) return 0;
    gcry_control(GCRYCTL_SUSPEND_SECMEM_WARN);
    gcry_control(GCRYCTL_INIT_SECMEM, 65536, 0);
    gcry_control(GCRYCTL_RESUME_SECMEM_WARN);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return 1;
}

static inline gcry_error_t portcullis_gcry_set_decryption_tag(gcry_cipher_hd_t handle, const void *tag, size_t size) {
    return gcry_cipher_ctl(handle, GCRYCTL_SET_DECRYPTION_TAG, (void *)tag, size);
}

static inline gcry_error_t portcullis_gcry_mac_reset(gcry_mac_hd_t handle) {
    return gcry_mac_ctl(handle, GCRYCTL_RESET, NULL, 0);
}

static inline gcry_err_code_t portcullis_gcry_code(gcry_error_t error) { return gcry_err_code(error); }

#endif
