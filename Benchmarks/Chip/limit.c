// What checking a passcode in a TPM takes at least: Argon2id by libgcrypt, and the commands of a try by tpm2-tss alone.
//
//   limit TCTI    makes a key, an index and an object of its own; then each line of input is one check, and each line of
//                 output has the nanoseconds of the derivation, of the commands, and of connecting and disconnecting
//
// A check is a connection of its own, since a software TPM takes one at a time. The storage key lies in the chip, as ours does.
#include <gcrypt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_tctildr.h>

enum { KEY = 0x81000123, INDEX = 0x01500123 };
static const TPM2B_AUTH pin = {.size = 32, .buffer = "an authorization of 32 bytes...."};
static const TPMT_SYM_DEF cipher = {.algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB};
static TPM2B_PUBLIC object_public;
static TPM2B_PRIVATE object_private;

static void must(TSS2_RC code, const char *what) {
    if (code == TSS2_RC_SUCCESS) return;
    fprintf(stderr, "%s: 0x%x\n", what, code);
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static ESYS_CONTEXT *connect_to(const char *tcti, TSS2_TCTI_CONTEXT **line) {
    ESYS_CONTEXT *chip;
    must(Tss2_TctiLdr_Initialize(tcti, line), "connecting");
    must(Esys_Initialize(&chip, *line, NULL), "Esys_Initialize");
    return chip;
}

static void disconnect(ESYS_CONTEXT *chip, TSS2_TCTI_CONTEXT *line) {
    Esys_Finalize(&chip);
    Tss2_TctiLdr_Finalize(&line);
}

static ESYS_TR found(ESYS_CONTEXT *chip, TPM2_HANDLE handle) {
    ESYS_TR entity;
    must(Esys_TR_FromTPMPublic(chip, handle, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &entity), "reading a public area");
    return entity;
}

static ESYS_TR session(ESYS_CONTEXT *chip, ESYS_TR key, TPM2_SE kind) {
    ESYS_TR made;
    must(Esys_StartAuthSession(chip, key, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, NULL, kind, &cipher,
                               TPM2_ALG_SHA256, &made),
         "StartAuthSession");
    return made;
}

// Makes what is checked; what an earlier run left is replaced.
static void set_up(const char *tcti) {
    TSS2_TCTI_CONTEXT *line;
    ESYS_CONTEXT *chip = connect_to(tcti, &line);
    TPM2B_PUBLIC key_template = {.publicArea = {
        .type = TPM2_ALG_ECC, .nameAlg = TPM2_ALG_SHA256,
        .objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN |
                            TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT,
        .parameters.eccDetail = {
            .symmetric = {.algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB},
            .scheme.scheme = TPM2_ALG_NULL, .curveID = TPM2_ECC_NIST_P256, .kdf.scheme = TPM2_ALG_NULL}}};
    TPM2B_SENSITIVE_CREATE empty = {0};
    TPM2B_DATA no_data = {0};
    TPML_PCR_SELECTION no_selection = {0};
    ESYS_TR old, primary, key, index;
    if (Esys_TR_FromTPMPublic(chip, KEY, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &old) == TSS2_RC_SUCCESS)
        must(Esys_EvictControl(chip, ESYS_TR_RH_OWNER, old, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, KEY, &key), "EvictControl");
    if (Esys_TR_FromTPMPublic(chip, INDEX, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &old) == TSS2_RC_SUCCESS)
        must(Esys_NV_UndefineSpace(chip, ESYS_TR_RH_OWNER, old, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE), "NV_UndefineSpace");
    must(Esys_CreatePrimary(chip, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &empty, &key_template, &no_data,
                            &no_selection, &primary, NULL, NULL, NULL, NULL),
         "CreatePrimary");
    must(Esys_EvictControl(chip, ESYS_TR_RH_OWNER, primary, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, KEY, &key), "EvictControl");
    must(Esys_FlushContext(chip, primary), "FlushContext");

    TPM2B_NV_PUBLIC about = {.nvPublic = {
        .nvIndex = INDEX, .nameAlg = TPM2_ALG_SHA256, .dataSize = 8,
        .attributes = TPMA_NV_OWNERWRITE | TPMA_NV_OWNERREAD | TPMA_NV_NO_DA | (TPM2_NT_PIN_FAIL << TPMA_NV_TPM2_NT_SHIFT)}};
    must(Esys_NV_DefineSpace(chip, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &pin, &about, &index), "NV_DefineSpace");
    TPM2B_MAX_NV_BUFFER counts = {.size = 8, .buffer = {0, 0, 0, 0, 0, 0, 0, 100}};
    must(Esys_NV_Write(chip, ESYS_TR_RH_OWNER, index, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &counts, 0), "NV_Write");

    ESYS_TR trial = session(chip, ESYS_TR_NONE, TPM2_SE_TRIAL);
    must(Esys_TR_SetAuth(chip, index, &pin), "Esys_TR_SetAuth");
    must(Esys_PolicySecret(chip, index, trial, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, NULL, NULL, NULL, 0, NULL, NULL), "PolicySecret");
    TPM2B_DIGEST *policy;
    must(Esys_PolicyGetDigest(chip, trial, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &policy), "PolicyGetDigest");
    must(Esys_FlushContext(chip, trial), "FlushContext");
    TPM2B_PUBLIC object_template = {.publicArea = {
        .type = TPM2_ALG_KEYEDHASH, .nameAlg = TPM2_ALG_SHA256, .authPolicy = *policy,
        .objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_NODA | TPMA_OBJECT_ADMINWITHPOLICY,
        .parameters.keyedHashDetail.scheme.scheme = TPM2_ALG_NULL}};
    TPM2B_SENSITIVE_CREATE half = {.sensitive.data = {.size = 32, .buffer = "half of a key that wraps another"}};
    TPM2B_PRIVATE *made_private;
    TPM2B_PUBLIC *made_public;
    must(Esys_Create(chip, key, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &half, &object_template, &no_data, &no_selection,
                     &made_private, &made_public, NULL, NULL, NULL),
         "Create");
    object_private = *made_private;
    object_public = *made_public;
    Esys_Free(policy);
    Esys_Free(made_private);
    Esys_Free(made_public);
    disconnect(chip, line);
}

static void derive(void) {
    // 64 bytes by the least that OWASP names: 2 passes over 19 MiB, one lane.
    unsigned long numbers[] = {64, 2, 19456, 1};
    unsigned char derived[64];
    gcry_kdf_hd_t derivation;
    gcry_error_t failed = gcry_kdf_open(&derivation, GCRY_KDF_ARGON2, GCRY_KDF_ARGON2ID, numbers, 4, "834912", 6,
                                        "a salt: 16 bytes", 16, NULL, 0, NULL, 0);
    if (!failed) failed = gcry_kdf_compute(derivation, NULL);
    if (!failed) failed = gcry_kdf_final(derivation, sizeof derived, derived);
    must(failed, "Argon2id");
    gcry_kdf_close(derivation);
}

// The commands of a right try, in the order of ours: three before it is counted, and eight.
static void try_once(ESYS_CONTEXT *chip) {
    ESYS_TR index = found(chip, INDEX), key = found(chip, KEY), object;
    TPM2B_MAX_NV_BUFFER *counts;
    must(Esys_NV_Read(chip, ESYS_TR_RH_OWNER, index, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, 8, 0, &counts), "NV_Read");
    Esys_Free(counts);
    Esys_TR_Close(chip, &index);
    Esys_TR_Close(chip, &key);
    index = found(chip, INDEX);
    key = found(chip, KEY);
    ESYS_TR proof = session(chip, key, TPM2_SE_HMAC), policy = session(chip, key, TPM2_SE_POLICY);
    must(Esys_TRSess_SetAttributes(chip, proof, TPMA_SESSION_CONTINUESESSION, 0xFF), "attributes");
    must(Esys_Load(chip, key, proof, ESYS_TR_NONE, ESYS_TR_NONE, &object_private, &object_public, &object), "Load");
    must(Esys_TRSess_SetAttributes(chip, proof, 0, 0xFF), "attributes");
    must(Esys_TR_SetAuth(chip, index, &pin), "Esys_TR_SetAuth");
    must(Esys_PolicySecret(chip, index, policy, proof, ESYS_TR_NONE, ESYS_TR_NONE, NULL, NULL, NULL, 0, NULL, NULL), "PolicySecret");
    must(Esys_TRSess_SetAttributes(chip, policy, TPMA_SESSION_ENCRYPT, 0xFF), "attributes");
    TPM2B_SENSITIVE_DATA *half;
    must(Esys_Unseal(chip, object, policy, ESYS_TR_NONE, ESYS_TR_NONE, &half), "Unseal");
    if (half->size != 32) must(1, "the size of what was sealed");
    Esys_Free(half);
    must(Esys_FlushContext(chip, object), "FlushContext");
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    gcry_check_version(NULL);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    set_up(arguments[1]);
    puts("ready");
    fflush(stdout);
    char word[16];
    while (fgets(word, sizeof word, stdin)) {
        int64_t start = now();
        derive();
        int64_t derived = now();
        TSS2_TCTI_CONTEXT *line;
        ESYS_CONTEXT *chip = connect_to(arguments[1], &line);
        int64_t connected = now();
        try_once(chip);
        int64_t tried = now();
        disconnect(chip, line);
        printf("%lld %lld %lld\n", (long long)(derived - start), (long long)(tried - connected),
               (long long)(connected - derived + now() - tried));
        fflush(stdout);
    }
    return 0;
}
