"""Keys of agents as files: `NAME.key` is the secret of process NAME, `NAME.pub` its public half.

    # a comment
    process = shop
    public-key = rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7
    secret-key = D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs

UTF-8, one field a line, blanks around `=` do not count, and a line that starts with `#` is a
comment; `secret-key` stands in `.key` files only. A name that is not plain is in double quotes.

Keys are CURVE keys in Z85 (https://rfc.zeromq.org/spec/32/), 40 characters for 32 bytes. A `.pub`
file may have several lines `public-key`, while a process gets another key: it is known by each of
them.

A form of our own, for two reasons. The certificates of `zmq.auth` do not name their owner, and who
may ask what depends on just that. And there `.key` is the file to give away, where `.key` is the
file to keep nearly everywhere else: a mistake that would cost the secret. Still, what
`zmq.auth.load_certificate` looks for in a file, it finds in these.

The name within must be that of the file, so that whoever looks at a directory of public keys sees
who is let in; that of a slot of a role has a full stop in place of the slash, and where no file
should be called so, that of `choreomon.core.names.short`. Errors are `DocumentError`s with file and
line, and never show what a line holds: it may be a secret.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from choreomon.core.errors import DocumentError, Problem
from choreomon.core.names import is_plain, name_defect, short, unwritten, written
from choreomon.core.roles import slot_parts

SECRET_SUFFIX: Final = ".key"
PUBLIC_SUFFIX: Final = ".pub"

MAX_BYTES: Final = 4096
"""Most bytes of a file. Ours have below 600; the rest is room for comments."""

MOST_KEYS: Final = 4
"""Most keys of one process: the present one, the next one, and some to spare."""

_Z85: Final = {
    character: digit
    for digit, character in enumerate(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    )
}
_WHO: Final = "each process that may connect"
_OTHERS: Final = stat.S_IRWXO | stat.S_IWGRP


@dataclass(frozen=True, slots=True)
class PublicKey:
    """Public keys of `process`: the key is Z85, 40 characters. `others` are further keys by which
    it is known for a while."""

    process: str
    public: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyPair:
    """The keys of `process` for its own agent. The secret is not in its `repr`."""

    process: str
    public: str
    secret: str = field(repr=False)


def secret_file(process: str) -> str:
    """The name of the file `NAME.key` of a process, as `shop.key`, or `shop.2.key` of a slot."""
    return f"{_stem(process)}{SECRET_SUFFIX}"


def public_file(process: str) -> str:
    """The name of the file `NAME.pub` of a process."""
    return f"{_stem(process)}{PUBLIC_SUFFIX}"


def _stem(process: str) -> str:
    """A full stop for the slash of a slot: Secrets of Kubernetes may be called so, and not with the
    `~` of `short`. A process whose name is just that cannot stand beside such a slot."""
    slot = slot_parts(process)
    dotted = "" if slot is None else f"{slot[0]}.{slot[1]}"
    return dotted if is_plain(dotted) else short(process)


def write_public_key(key: PublicKey) -> str:
    """The text of `NAME.pub`."""
    return (
        f"# Public key of the process {key.process} of choreomon. Not a secret, but who can put\n"
        "# another key into its place can take the place of the process.\n"
        f"process = {written(key.process)}\n"
        + "".join(f"public-key = {public}\n" for public in (key.public, *key.others))
    )


def write_key_pair(pair: KeyPair) -> str:
    """The text of `NAME.key`."""
    return (
        f"# Secret key of the process {pair.process} of choreomon. Who can read this file can\n"
        "# speak in the name of the process: it belongs to its agent, and nowhere else.\n"
        f"process = {written(pair.process)}\n"
        f"public-key = {pair.public}\n"
        f"secret-key = {pair.secret}\n"
    )


def load_public_key(path: str | Path) -> PublicKey:
    """The key in the file `NAME.pub`. Raises `DocumentError`."""
    file = Path(path)
    if file.suffix == SECRET_SUFFIX:
        raise _wrong(file, f"is a secret key: here stands the file NAME{PUBLIC_SUFFIX} beside it")
    fields = _fields(file, _read(file), ("process", "public-key"))
    public, *others = fields["public-key"]
    return PublicKey(fields["process"][0], public, tuple(others))


def load_key_pair(path: str | Path) -> KeyPair:
    """The keys in the file `NAME.key`. Raises `DocumentError`, also where others than the owner
    and its group may read the file, or others than the owner write it.

    Whether secret and public key belong together is not checked here.
    """
    file = Path(path)
    if file.suffix == PUBLIC_SUFFIX:
        raise _wrong(file, f"is a public key: here stands the secret one, NAME{SECRET_SUFFIX}")
    content = _read(file, secret=True)
    fields = _fields(file, content, ("process", "public-key", "secret-key"))
    return KeyPair(*(fields[name][0] for name in ("process", "public-key", "secret-key")))


def load_public_keys(directory: str | Path) -> Mapping[str, tuple[str, ...]]:
    """The public keys of each process that has a file `NAME.pub` in the directory, one or more.

    Other files are passed over. Raises `DocumentError` with all that is wrong: with any of the
    files, where there is none, or where two processes have the same key.
    """
    folder = Path(directory)
    try:
        files = sorted(file for file in folder.iterdir() if file.suffix == PUBLIC_SUFFIX)
    except FileNotFoundError:
        told = f"there is no such folder: make it, with the NAME{PUBLIC_SUFFIX} of {_WHO}"
        raise _wrong(folder, told) from None
    except NotADirectoryError:
        told = f"is no folder: name one with the NAME{PUBLIC_SUFFIX} of {_WHO}"
        raise _wrong(folder, told) from None
    except OSError as error:
        raise _wrong(folder, f"cannot be read: {error.strerror}: let this user read it") from None
    problems: list[Problem] = []
    owners: dict[str, str] = {}
    known: dict[str, tuple[str, ...]] = {}
    for file in files:
        try:
            key = load_public_key(file)
        except DocumentError as error:
            problems += error.problems
            continue
        known[key.process] = (key.public, *key.others)
        for public in known[key.process]:
            owner = owners.setdefault(public, key.process)
            if owner != key.process:
                message = f"has the key of {owner}, too: make one with `choreomon keygen`"
                problems.append(Problem(str(file), 0, "public-key", message))
    if not files:
        message = f"has no file NAME{PUBLIC_SUFFIX}: copy that of {_WHO} there"
        problems.append(Problem(str(folder), 0, "", message))
    if problems:
        raise DocumentError(tuple(problems))
    return known


def is_key(text: str) -> bool:
    """Return whether the text is 32 bytes in Z85."""
    return len(text) == 40 and all(
        _number(text[start : start + 5]) < 1 << 32 for start in range(0, 40, 5)
    )


def _number(group: str) -> int:
    number = 0
    for character in group:
        number = number * 85 + _Z85.get(character, 1 << 32)
    return number


def _read(file: Path, *, secret: bool = False) -> bytes:
    try:
        with file.open("rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            content = opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        name = file.stem if is_plain(file.stem) else "NAME"
        told = f"cannot be read: there is no such file: `choreomon keygen {name}` makes one"
        raise _wrong(file, told) from None
    except IsADirectoryError:
        raise _wrong(file, "is a folder: name a file in it") from None
    except OSError as error:
        raise _wrong(file, f"cannot be read: {error.strerror}: let this user read it") from None
    if secret and os.name == "posix" and mode & _OTHERS:
        raise _wrong(
            file,
            f"has mode {stat.S_IMODE(mode):04o}, so that others than its owner may read or change "
            f"this secret: `chmod 600 {file}`",
        )
    if len(content) > MAX_BYTES:
        raise _wrong(file, f"is no key: more than {MAX_BYTES} bytes")
    return content


def _fields(file: Path, content: bytes, wanted: tuple[str, ...]) -> dict[str, list[str]]:
    """The values of the fields that are wanted, all there and right; of public keys without a
    secret one there may be several. Raises `DocumentError` with all that is wrong."""
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise _wrong(file, "is no key: not UTF-8") from None
    problems: list[Problem] = []
    found: dict[str, list[str]] = {}
    repeated = "public-key" if "secret-key" not in wanted else ""
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        wrong = ""
        if not equals or name not in ("process", "public-key", "secret-key"):
            wrong = f"not understood: the fields are {', '.join(wanted)}, each as `field = value`"
            name = ""
        elif name not in wanted:
            wrong = f"a secret does not belong into a {PUBLIC_SUFFIX} file: make new keys"
        elif name in found and (name != repeated or value in found[name]):
            wrong = "is there twice"
        elif len(found.get(name, ())) == MOST_KEYS:
            wrong = f"is one of more than {MOST_KEYS}: take old ones out"
        elif name != "process" and not is_key(value):
            wrong = "is no key: 40 characters of Z85"
        elif name == "process":
            value, wrong = _process(value, file)
        found.setdefault(name, []).append(value)
        if wrong:
            problems.append(Problem(str(file), number, name, wrong))
    problems += [Problem(str(file), 0, name, "is missing") for name in wanted if name not in found]
    if problems:
        raise DocumentError(tuple(problems))
    return found


def _process(written_name: str, file: Path) -> tuple[str, str]:
    """The name of the process, and what is wrong with it."""
    name = unwritten(written_name)
    if name is None:
        defect = name_defect(written_name) or "has a quote too many or too few"
        return written_name, f"is no name of a process: it {defect}"
    if _stem(name) != file.stem:
        return name, f"the key of {name} belongs into a file {_stem(name)}{file.suffix}"
    return name, ""


def _wrong(path: Path, message: str) -> DocumentError:
    return DocumentError((Problem(str(path), 0, "", message),))
