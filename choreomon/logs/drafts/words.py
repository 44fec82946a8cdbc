"""Names that fields of logs often have, and words that programs often use for what they do.

Names are in small letters, without what joins their words: `messageid` is `message_id`, too.
"""

from __future__ import annotations

from typing import Final

PROCESS: Final = (
    *("process", "service", "servicename", "svc", "actor", "node", "nodeid", "component"),
    *("app", "application", "host", "hostname", "container", "pod", "unit", "pid", "logger"),
)
KIND: Final = ("kind", "event", "direction", "dir", "op", "operation", "type", "action", "verb")
NAME: Final = (
    *("messagename", "messagetype", "msgtype", "name", "message", "msg", "what", "topic"),
    *("subject", "command", "type", "event", "method", "queue", "channel"),
)
TO: Final = ("to", "receiver", "dst", "dest", "destination", "target", "recipient")
FROM: Final = ("from", "sender", "src", "source", "origin")
PEER: Final = ("peer", "remote", "other", "partner", *TO, *FROM)
MESSAGE_ID: Final = (
    *("messageid", "msgid", "mid", "messageuuid", "id", "uuid", "deliveryid", "correlationid"),
)
NUMBER: Final = ("seq", "seqno", "sequence", "sequencenumber", "number", "count", "index")
SESSION: Final = ("session", "sessionid", "traceid", "run", "runid")
TIME: Final = ("time", "timestamp", "ts", "at", "datetime", "date")
TEXT: Final = ("message", "msg", "text", "log", "event", "body")

SENDS: Final = frozenset(
    (
        *("send", "sends", "sent", "sending", "out", "outgoing", "outbound", "publish"),
        *("published", "emit", "emitted", "emission", "produce", "produced", "tx", "!", "post"),
        *("write", "enqueue", "dispatch", "dispatched"),
    )
)
HANDLES: Final = frozenset(
    (
        *("handle", "handles", "handled", "handling", "receive", "receives", "received"),
        *("receiving", "recv", "reception", "in", "incoming", "inbound", "consume", "consumed"),
        *("process", "processed", "deliver", "delivered", "rx", "?", "got", "read", "dequeue"),
    )
)

_THING: Final = r"(?:(?:an?|the|message|msg)\s+)?(?<name>[\w.-]+)"

SEND_TEXTS: Final = (
    rf"(?i)\b(?:send|sends|sending|sent|publish(?:es|ing|ed)?|emit(?:s|ting|ted)?)\s+{_THING}"
    r"(?:\s+\w+)*?\s+to\s+(?<peer>[\w-]+)",
    r"(?i)\b(?:send|sends|sending|sent)\s+to\s+(?<peer>[\w-]+)\s*[:,]\s*(?<name>[\w.-]+)",
)
HANDLE_TEXTS: Final = (
    rf"(?i)\b(?:receiv(?:e|es|ing|ed)|got|get(?:s|ting)?|handl(?:e|es|ing|ed)|consum(?:e|es|ing|ed))\s+{_THING}"
    r"(?:\s+\w+)*?\s+from\s+(?<peer>[\w-]+)",
    r"(?i)\b(?:receiv(?:e|es|ing|ed)|got)\s+from\s+(?<peer>[\w-]+)\s*[:,]\s*(?<name>[\w.-]+)",
)
"""Expressions of texts that tell of a message, with its name and its other end."""
