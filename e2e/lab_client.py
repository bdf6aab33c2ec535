"""A client of a hub in Python, written from docs/protocol.md alone: no library but Python's own.

    python3 lab_client.py http://127.0.0.1:7171/?token=TOKEN DIR

puts the bundle in DIR on the hub, has it compiled, follows the job over two connections, looks it up in the history,
and prints one JSON document of what it saw.
"""

import base64
import hashlib
import json
import os
import socket
import struct
import sys
from urllib.parse import parse_qs, urlsplit


class Hub:
    """A websocket (RFC 6455) to a hub, after hello."""

    def __init__(self, url):
        parts = urlsplit(url)
        token = parse_qs(parts.query)["token"][0]
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            (
                f"GET /ws HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer {token}\r\n\r\n"
            ).encode()
        )
        self.reader = self.socket.makefile("rb")
        status = self.reader.readline()
        if b"101" not in status:
            raise SystemExit(f"no websocket: {status!r}")
        accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        headers = b"".join(iter(self.reader.readline, b"\r\n"))
        assert accept in headers
        self.say(type="hello", version=1, client="lab_client.py/1.0")
        self.welcome = self.hear()

    def frame(self, opcode, payload):
        mask = os.urandom(4)
        length = len(payload)
        if length < 126:
            head = struct.pack("!BB", 0x80 | opcode, 0x80 | length)
        elif length < 1 << 16:
            head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, length)
        else:
            head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, length)
        repeated = mask * (length // 4 + 1)
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(repeated[:length], "big")).to_bytes(length, "big")
        self.socket.sendall(head + mask + masked)

    def say(self, **message):
        self.frame(1, json.dumps(message).encode())

    def send(self, channel, offset, payload):
        self.frame(2, struct.pack("<IQ", channel, offset) + payload)

    def hear(self):
        text = b""
        while True:
            first, second = self.reader.read(2)
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack("!H", self.reader.read(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", self.reader.read(8))
            payload = self.reader.read(length)
            opcode = first & 0x0F
            if opcode == 9:
                self.frame(10, payload)
            elif opcode == 8:
                raise SystemExit(f"the hub closed: {payload[2:].decode()}")
            elif opcode in (0, 1):
                text += payload
                if first & 0x80:
                    message = json.loads(text)
                    if message["type"] == "error":
                        raise SystemExit(json.dumps(message))
                    return message

    def upload(self, channel, path):
        """Sends a file and gives its hash, which the hub tells: `upload_finish` needs none where all was sent now."""
        with open(path, "rb") as file:
            content = file.read()
        key = "sha256-" + hashlib.sha256(content).hexdigest()
        self.say(type="upload_open", channel=channel, key=key, size_bytes=len(content))
        state = self.hear()
        sent = 0
        if "artifact" not in state:
            offset = state["received_bytes"]
            assert offset == 0
            while offset < len(content):
                part = content[offset : offset + (1 << 20)]
                self.send(channel, offset, part)
                offset += len(part)
                sent += len(part)
                assert self.hear() == {"type": "upload_ack", "channel": channel, "received_bytes": offset}
            self.say(type="upload_finish", channel=channel)
            state = self.hear()
        return state["artifact"]["blake3"], sent

    def follow(self, job, after, until=lambda event: event["event"] == "finished"):
        """A job's events after one, up to and including that which `until` says."""
        self.say(type="job_watch", job=job, after=after)
        events = []
        while True:
            message = self.hear()
            if message["type"] == "job_event" and message["job"] == job and message["seq"] == after + len(events) + 1:
                events.append(message["event"])
                if until(message["event"]):
                    return events


def main():
    url, folder = sys.argv[1:]
    hub = Hub(url)
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        files = [entry["name"] for entry in json.load(file)["files"]]
    sent = [0, 0]
    for turn in range(2):
        for number, name in enumerate([*files, "manifest.json"]):
            bundle, count = hub.upload(100 * turn + number, os.path.join(folder, name))
            sent[turn] += count
    hub.say(type="job_submit", request=1, group="python", spec={"kind": "compile", "bundle": bundle, "target": "host"})
    accepted = hub.hear()
    job = accepted["job"]
    first = hub.follow(job, 0, until=lambda event: True)
    again = Hub(url)
    events = first + again.follow(job, len(first))
    again.say(type="jobs_list", request=2, group="python")
    listed = next(message for message in iter(again.hear, None) if message["type"] == "jobs")
    print(
        json.dumps(
            {
                "version": hub.welcome["version"],
                "runners": [runner["name"] for runner in hub.welcome["runners"]],
                "sent_bytes": sent,
                "events": [event["event"] for event in events],
                "outcome": events[-1]["outcome"],
                "listed": [[record["job"] == job, record["state"]] for record in listed["jobs"]],
            }
        )
    )


main()
