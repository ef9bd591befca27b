"""Reads a keystore file with nothing but its specification (Format.md) and its key file.

    python3 decode.py STORE KEYFILE

Prints one JSON object: the header's numbers, the slots, and every item with its class, version and value (base64).
Anything that does not verify ends it with a message and status 1. Written for clarity: slow, and not safe against
somebody who measures time.
"""

import base64
import hashlib
import hmac
import json
import struct
import sys

# AES-256, FIPS 197: encryption only, which is all that the modes below need.


def double(byte):
    return (byte << 1) ^ (0x11B if byte & 0x80 else 0)


def make_sbox():
    sbox, p, q = [0x63] * 256, 1, 1
    while True:
        p ^= double(p)
        q ^= q << 1
        q ^= q << 2
        q ^= q << 4
        q &= 0xFF
        if q & 0x80:
            q ^= 0x09
        turned = q
        for shift in range(1, 5):
            turned ^= (q << shift | q >> (8 - shift)) & 0xFF
        sbox[p] = turned ^ 0x63
        if p == 1:
            return sbox


SBOX = make_sbox()


class AES256:
    def __init__(self, key):
        assert len(key) == 32
        words, constant = [list(key[i : i + 4]) for i in range(0, 32, 4)], 1
        for i in range(8, 60):
            word = words[-1]
            if i % 8 == 0:
                word = [SBOX[b] for b in word[1:] + word[:1]]
                word[0] ^= constant
                constant = double(constant)
            elif i % 8 == 4:
                word = [SBOX[b] for b in word]
            words.append([a ^ b for a, b in zip(word, words[i - 8])])
        self.rounds = [sum(words[i : i + 4], []) for i in range(0, 60, 4)]

    def encrypt(self, block):
        state = [a ^ b for a, b in zip(block, self.rounds[0])]
        for index, key in enumerate(self.rounds[1:], 1):
            state = [SBOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
            if index < 14:
                mixed = []
                for column in range(0, 16, 4):
                    a = state[column : column + 4]
                    whole = a[0] ^ a[1] ^ a[2] ^ a[3]
                    mixed += [a[i] ^ whole ^ double(a[i] ^ a[(i + 1) % 4]) for i in range(4)]
                state = mixed
            state = [a ^ b for a, b in zip(state, key)]
        return bytes(state)


# AES-256-GCM-SIV, RFC 8452.


def field_product(a, b):
    """a * b * x^-128 in the field of POLYVAL, x^128 + x^127 + x^126 + x^121 + 1."""
    product = 0
    for bit in range(128):
        if b >> bit & 1:
            product ^= a << bit
    for _ in range(128):
        if product & 1:
            product ^= 1 << 128 | 1 << 127 | 1 << 126 | 1 << 121 | 1
        product >>= 1
    return product


def polyval(key, message):
    key, total = int.from_bytes(key, "little"), 0
    for at in range(0, len(message), 16):
        total = field_product(total ^ int.from_bytes(message[at : at + 16], "little"), key)
    return total.to_bytes(16, "little")


def padded(data):
    return data + bytes(-len(data) % 16)


def siv_open(key, nonce, sealed, tag, associated):
    """The plain text, or None when the tag does not fit."""
    generator = AES256(key)
    derived = b"".join(generator.encrypt(struct.pack("<I", i) + nonce)[:8] for i in range(6))
    authentication, cipher = derived[:16], AES256(derived[16:])
    counter, plain = bytearray(tag), bytearray()
    counter[15] |= 0x80
    number = int.from_bytes(counter[:4], "little")
    for at in range(0, len(sealed), 16):
        stream = cipher.encrypt(struct.pack("<I", number) + bytes(counter[4:]))
        plain += bytes(a ^ b for a, b in zip(sealed[at : at + 16], stream))
        number = (number + 1) & 0xFFFFFFFF
    lengths = struct.pack("<QQ", 8 * len(associated), 8 * len(plain))
    sum_ = bytearray(polyval(authentication, padded(associated) + padded(bytes(plain)) + lengths))
    for i in range(12):
        sum_[i] ^= nonce[i]
    sum_[15] &= 0x7F
    return bytes(plain) if hmac.compare_digest(cipher.encrypt(sum_), tag) else None


# AES-CMAC, NIST SP 800-38B.


class CMAC:
    def __init__(self, key):
        self.cipher = AES256(key)
        self.whole = self.doubled(self.cipher.encrypt(bytes(16)))
        self.part = self.doubled(self.whole)

    @staticmethod
    def doubled(block):
        number = int.from_bytes(block, "big") << 1
        return ((number ^ (0x87 if number >> 128 else 0)) & ((1 << 128) - 1)).to_bytes(16, "big")

    def of(self, message):
        blocks = [message[at : at + 16] for at in range(0, len(message), 16)]
        last, key = blocks.pop(), self.whole
        if len(last) < 16:
            last, key = last + b"\x80" + bytes(15 - len(last)), self.part
        state = bytes(16)
        for block in blocks + [bytes(a ^ b for a, b in zip(last, key))]:
            state = self.cipher.encrypt(bytes(a ^ b for a, b in zip(state, block)))
        return state


# The file.

KINDS = {1: "passphrase", 2: "keyFile", 3: "rawKey", 4: "storeKey"}
TARGETS = {1: "store", 2: "whenUnlocked", 3: "afterFirstUnlock"}


def demand(condition, message):
    if not condition:
        sys.exit(f"decode.py: {message}")


def derive(key, label, *parts):
    return hmac.new(key, label + b"".join(parts), hashlib.sha256).digest()


def read_page(page):
    """The fields of a header page, or None when it is not whole."""
    if page[:8] != bytes.fromhex("89504b45590d0a1a") or hashlib.sha256(page[:4064]).digest() != page[4064:]:
        return None
    names = ("version", "pageSize", "store", "generation", "fileGeneration", "salt", "firstSequence")
    header = dict(zip(names, struct.unpack_from("<II16sQQ16sQ", page, 8)))
    header["nextSlot"], header["epoch"], count = struct.unpack_from("<III", page, 72)
    demand(header["version"] in (1, 0x80000001), "another version of the format")
    demand(header["pageSize"] == 4096 and count <= 32, "the header makes no sense")
    used = 96 + 96 * count
    demand(not any(page[84:96] + page[used:4032]), "what should be zero is not")
    header["slots"] = [page[at : at + 96] for at in range(96, used, 96)]
    header["page"] = page
    return header


def open_slot(header, kind, target, key):
    for slot in header["slots"]:
        if (slot[0], slot[1]) == (kind, target):
            wrapping = derive(key, b"portcullis slot", bytes([kind]), slot[20:36])
            found = siv_open(wrapping, slot[36:48], slot[48:80], slot[80:96], header["store"] + slot[:36])
            if found is not None:
                return found
    demand(False, f"no slot of kind {KINDS[kind]} opens the key {TARGETS[target]}")


def read_records(directory, values_at, frame):
    count, at = struct.unpack_from("<I", directory)[0], 4
    for _ in range(count):
        if directory[at] == 3:
            generation, mac, last = struct.unpack_from("<Q32sQ", directory, at + 1)
            yield {"op": 3, "generation": generation, "mac": mac, "last": last}
            at += 49
            continue
        op, kind, space, name, size, version = struct.unpack_from("<BBBHIQ", directory, at)
        demand(op in (1, 2), "an unknown record")
        at += 17
        record = {"op": op, "class": kind, "version": version}
        record["namespace"], record["name"] = directory[at : at + space], directory[at + space : at + space + name]
        at += space + name
        if op == 1:
            record["sealed"] = frame[values_at : values_at + 12 + size + 16]
            values_at += 12 + size + 16
        yield record
    demand(not any(directory[at:]), "what should be zero behind the records is not")
    demand(values_at == len(frame) - 16, "there is more than the values")


def decode(data, key):
    pages = [page for page in (read_page(data[:4096]), read_page(data[4096:8192])) if page]
    demand(pages, "neither header page is whole")
    header = max(pages, key=lambda page: page["generation"])
    store = header["store"]
    store_key = open_slot(header, 2, 1, key)
    mac = header["page"][4032:4064]
    demand(derive(derive(store_key, b"portcullis header", store), header["page"][:4032]) == mac, "the header's MAC")

    context = store + struct.pack("<Q", header["fileGeneration"]) + header["salt"]
    frame_key = derive(store_key, b"portcullis frames", context)
    heads = CMAC(derive(store_key, b"portcullis heads", context))
    at, sequence, previous, items, witnessed, frames = 8192, header["firstSequence"], bytes(16), {}, None, 0
    # What is left behind the frames is room for others.
    while any(data[at:]):
        demand(len(data) - at >= 32, f"the frame at {at}")
        number, total, masked = struct.unpack_from("<QII", data, at)
        head_mac = data[at + 16 : at + 32]
        size = masked ^ struct.unpack_from("<I", heads.of(head_mac + b"D"))[0]
        demand(heads.of(struct.pack("<QII", number, total, size)) == head_mac, f"the head at {at}")
        demand(number == sequence and total % 64 == 0 and at + total <= len(data), f"the frame at {at}")
        frame = data[at : at + total]
        values = frame[44 + size : -16]
        associated = store + struct.pack("<QQ", header["fileGeneration"], sequence) + previous + values
        directory = siv_open(frame_key, frame[32:44], frame[44 : 44 + size], frame[-16:], associated)
        demand(directory is not None, f"the tag of the frame at {at}")
        for record in read_records(directory, 44 + size, frame):
            if record["op"] == 3:
                witnessed = (record["generation"], record["mac"])
            elif record["op"] == 1:
                items[record["namespace"], record["name"]] = record
            else:
                items.pop((record["namespace"], record["name"]), None)
        at, sequence, previous, frames = at + total, sequence + 1, frame[-16:], frames + 1
    demand(witnessed == (header["generation"], mac), "the log witnesses another header page")

    class_keys = {1: open_slot(header, 4, 2, store_key), 2: open_slot(header, 4, 3, store_key)}
    found = []
    for (space, name), record in sorted(items.items()):
        sealed = record["sealed"]
        associated = store + struct.pack("<QBB", record["version"], record["class"], len(space)) + space + name
        value = siv_open(class_keys[record["class"] & 0x7F], sealed[:12], sealed[12:-16], sealed[-16:], associated)
        demand(value is not None, f"the value of {name!r}")
        found.append(
            {
                "namespace": space.decode(),
                "name": name.decode(),
                "availability": TARGETS[1 + (record["class"] & 0x7F)],
                "thisDeviceOnly": bool(record["class"] & 0x80),
                "version": record["version"],
                "value": base64.b64encode(value).decode(),
            }
        )
    slots = [{"id": struct.unpack_from("<I", s, 4)[0], "kind": KINDS[s[0]], "wraps": TARGETS[s[1]]} for s in header["slots"]]
    names = ("version", "generation", "fileGeneration", "firstSequence")
    return {name: header[name] for name in names} | {"frames": frames, "slots": slots, "items": found}


def main():
    demand(len(sys.argv) == 3, "usage: decode.py STORE KEYFILE")
    with open(sys.argv[1], "rb") as store, open(sys.argv[2], "rb") as key:
        print(json.dumps(decode(store.read(), key.read())))


if __name__ == "__main__":
    main()
