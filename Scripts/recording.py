#!/usr/bin/env python3
"""Records the README's session on a terminal as an asciicast, which termtosvg draws.

Each command is really run, on a pseudo-terminal of its own; only the typing and the pauses between commands are made
up, so that the pace is the same each time.

usage: recording.py TOOL LIBRARY CAST
"""

import json
import os
import pathlib
import pty
import shutil
import struct
import sys
import tempfile
from fcntl import ioctl
from termios import TIOCSWINSZ

COLUMNS, ROWS = 92, 32
COMMANDS = [
    ("tracks-migrate Library.sqlite", 4.0),
    ("clear; tracks-migrate artists Library.sqlite --sort -tracks --limit 4 --fields name,tracks,id", 3.0),
    ("tracks-migrate artists Library.sqlite --where 'tracks.@count > 15' --format csv", 3.0),
    ("tracks-migrate verify Library.sqlite", 2.5),
    ("tracks-migrate report Library.sqlite", 4.0),
]


def run(command: str, folder: str) -> str:
    """Returns what a command writes to a terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(TERM="xterm-256color", PATH=f"{folder}/bin:{os.environ['PATH']}")
        os.environ.pop("NO_COLOR", None)
        os.execvp("sh", ["sh", "-c", f"sleep 0.1; {command}"])
    ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    output = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        output += part
    _, status = os.waitpid(pid, 0)
    if status:
        raise SystemExit(f"recording.py: '{command}' failed:\n{output.decode()}")
    return output.decode()


def main() -> None:
    tool, library, cast = sys.argv[1:]
    time = 0.5
    events = []

    def show(text: str, pause: float) -> None:
        nonlocal time
        events.append([round(time, 3), "o", text])
        time += pause

    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "bin").mkdir()
        pathlib.Path(folder, "bin", "tracks-migrate").symlink_to(pathlib.Path(tool).resolve())
        shutil.copy(library, pathlib.Path(folder, "Library.sqlite"))
        for command, pause in COMMANDS:
            show("\x1b[32m$\x1b[0m ", 0.4)
            for letter in command:
                show(letter, 0.03)
            show("\r\n", 0.2)
            show(run(command, folder), pause)
    header = {"version": 2, "width": COLUMNS, "height": ROWS, "env": {"TERM": "xterm-256color"}}
    lines = [json.dumps(line, ensure_ascii=False) for line in [header, *events]]
    pathlib.Path(cast).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
