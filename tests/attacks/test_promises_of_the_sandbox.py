"""Each promise about isolated programs, attacked in suites that root runs, and that a user runs."""

from __future__ import annotations

import os
import platform
import socket
import tempfile
import time
from pathlib import Path

import pytest

from suitecase_evaluators.targets.sandbox.system_calls import filter_of
from support.system.sandboxed_attacker import Attacker
from support.system.sandboxed_programs import isolated_only

pytestmark = isolated_only
BOTH_LEVELS = pytest.mark.parametrize("level", ["isolated", "networked"])

#: Opens files for writing, and writes nothing: what is opened may belong to the whole machine.
OPENS = """
import json, os
found = []
def attempt(path, flags):
    try:
        os.close(os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY))
    except (OSError, ValueError):
        return
    found.append(path)
"""
#: Devices that have no memory, and those of the sandbox's own terminals.
HARMLESS = {
    *("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"),
    *("/dev/ptmx", "/dev/pts/ptmx"),
}


@BOTH_LEVELS
def test_no_file_of_the_system_is_opened_for_writing(attacker: Attacker, level: str) -> None:
    found = attacker.run(
        OPENS
        + "for root in ('/proc', '/sys', '/dev', '/etc', '/run', '/boot', '/var/lib', '/root'):\n"
        "    for folder, folders, files in os.walk(root):\n"
        "        parts = folder.split('/')\n"
        "        if 'fd' in parts or 'map_files' in parts or 'task' in parts[3:]:\n"
        "            folders.clear()\n            continue\n"
        "        if root == '/root' and len(parts) > 4:\n"
        "            folders.clear()  # a home may have any number of files\n"
        "        for name in files:\n"
        "            path = os.path.join(folder, name)\n"
        "            if not os.path.islink(path):\n"
        "                attempt(path, os.O_WRONLY)\n"
        "print(json.dumps(found))\n",
        level,
    )
    assert set(found) <= HARMLESS


@BOTH_LEVELS
def test_nothing_is_made_outside_of_the_workspace(attacker: Attacker, level: str) -> None:
    places = ["/", "/bin", "/dev", "/etc", "/home", "/opt", "/proc", "/srv", "/sys", "/usr", "/var"]
    beside = Path(tempfile.mkdtemp(dir="/var", prefix="attack-")) if os.getuid() == 0 else None
    if beside is not None:
        beside.chmod(0o777)
        places.append(str(beside))
    try:
        found = attacker.run(
            OPENS + f"for place in {places!r}:\n"
            "    attempt(place + '/suitecase-attack', os.O_WRONLY | os.O_CREAT)\n"
            "attempt('own.txt', os.O_WRONLY | os.O_CREAT)\n"
            "attempt('/tmp/own.txt', os.O_WRONLY | os.O_CREAT)\n"
            "print(json.dumps(found))\n",
            level,
        )
    finally:
        if beside is not None:
            beside.rmdir()
    assert found == ["own.txt", "/tmp/own.txt"]
    assert not Path("/tmp/own.txt").exists()


@BOTH_LEVELS
def test_settings_of_the_kernel_are_out_of_reach_of_further_namespaces(
    attacker: Attacker, level: str
) -> None:
    found = attacker.run(
        OPENS + "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "NEW_USER, NEW_MOUNTS, NEW_PROCESSES = 0x10000000, 0x20000, 0x20000000\n"
        "READ_ONLY, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 32, 4096, 16384, 1 << 18\n"
        "libc.unshare(NEW_USER | NEW_MOUNTS | NEW_PROCESSES)\n"
        "reader, writer = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    libc.mount(None, b'/', None, RECURSIVE | PRIVATE, None)\n"
        "    for flags in (0, READ_ONLY):\n"
        "        libc.mount(b'proc', b'/mnt', b'proc', flags, None)\n"
        "    for place in (b'/mnt', b'/proc'):\n"
        "        libc.mount(None, place, None, REMOUNT | BIND, None)\n"
        "    libc.umount2(b'/proc', 2)\n"
        "    libc.mount(b'/proc', b'/srv', None, BIND | RECURSIVE, None)\n"
        "    libc.mount(None, b'/srv', None, REMOUNT | BIND, None)\n"
        "    for place in ('/proc', '/mnt', '/srv'):\n"
        "        for name in ('sys/kernel/core_pattern', 'sysrq-trigger', 'sys/kernel/hostname'):\n"
        "            attempt(f'{place}/{name}', os.O_WRONLY)\n"
        "    os.write(writer, json.dumps(found).encode())\n"
        "    os._exit(0)\n"
        "os.wait()\nos.close(writer)\nprint(os.read(reader, 10000).decode())\n",
        level,
    )
    assert found == []


#: Families of sockets by their number: what is outside of namespaces, or needs no network here.
FAMILIES = {
    "AF_VSOCK": (40, 1, 0),
    "AF_VSOCK, datagrams": (40, 2, 0),
    "AF_ALG": (38, 5, 0),
    "AF_PACKET": (17, 3, 0),
    "AF_BLUETOOTH": (31, 3, 1),
    "AF_XDP": (44, 3, 0),
    "AF_TIPC": (30, 5, 0),
    "AF_CAN": (29, 3, 1),
    "AF_RDS": (21, 5, 0),
    "AF_KEY": (15, 3, 2),
    "AF_NFC": (39, 5, 1),
    "AF_QIPCRTR": (42, 2, 0),
    "AF_RXRPC": (33, 2, 2),
    "AF_SMC": (43, 1, 0),
    "netlink: audit": (16, 3, 9),
    "netlink: events of the kernel": (16, 3, 15),
    "netlink: generic": (16, 3, 16),
    "netlink: cryptography": (16, 3, 21),
    "higher bits": ((1 << 33) | 40, 1, 0),
}


@BOTH_LEVELS
def test_only_sockets_of_networks_and_unix_are_made(attacker: Attacker, level: str) -> None:
    found = attacker.run(
        "import ctypes, json, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "NUMBER = {'x86_64': 41, 'aarch64': 198, 'riscv64': 198}[os.uname().machine]\n"
        "def made(family, kind, protocol):\n"
        "    number = libc.syscall(NUMBER, ctypes.c_ulong(family), kind, protocol)\n"
        "    return 'open' if number >= 0 else os.strerror(ctypes.get_errno())\n"
        f"found = {{name: made(*it) for name, it in {FAMILIES!r}.items()}}\n"
        "for name, it in {'unix': (1, 1, 0), 'inet': (2, 1, 0), 'route': (16, 3, 0)}.items():\n"
        "    found[name] = made(*it)\n"
        "print(json.dumps(found))\n",
        level,
    )
    needed = {name: found.pop(name) for name in ("unix", "inet", "route")}
    assert set(needed.values()) == {"open"}
    assert set(found.values()) == {"Address family not supported by protocol"}, found


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86-64")
@BOTH_LEVELS
def test_no_other_way_leads_to_sockets_and_no_keys_are_seen(attacker: Attacker, level: str) -> None:
    found = attacker.run(
        "import ctypes, json, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "def called(number, *arguments):\n"
        "    result = libc.syscall(ctypes.c_long(number), *arguments)\n"
        "    return 'done' if result >= 0 else os.strerror(ctypes.get_errno())\n"
        "print(json.dumps([\n"
        "    called(425, 1, ctypes.create_string_buffer(120)),\n"
        "    called(250, 0, -3, 0),\n"
        "    called(248, b'user', b'x', b'y', 1, -2),\n"
        "    called(249, b'user', b'x', None, 0),\n"
        "    called(0x40000000 + 41, 40, 1, 0),\n"
        "    called(0x40000000 + 39),\n"
        "]))\n",
        level,
    )
    assert set(found) == {"Function not implemented"}, found


@BOTH_LEVELS
def test_no_key_of_the_user_is_described(attacker: Attacker, level: str) -> None:
    found = attacker.run(
        "import json\ndef described(place):\n"
        "    try:\n        with open(place) as file:\n            return file.read()\n"
        "    except OSError:\n        return ''\n"
        "print(json.dumps([described('/proc/keys'), described('/proc/key-users')]))\n",
        level,
    )
    assert found == ["", ""]


#: Gives files modes with which they run as their owner or group, in every way that there is.
MODES = """
import ctypes, json, os, stat
libc = ctypes.CDLL(None, use_errno=True)
here = os.open('.', os.O_RDONLY)
def raw(number, *arguments):
    if libc.syscall(ctypes.c_long(number), *arguments) < 0:
        raise OSError(ctypes.get_errno(), 'refused')
def creat(name):
    if libc.creat(name.encode(), 0o4755) < 0:
        raise OSError(ctypes.get_errno(), 'refused')
WAYS = {
    'chmod': lambda name: os.chmod(name, 0o4755),
    'chmod: group': lambda name: os.chmod(name, 0o2755),
    'fchmod': lambda name: os.fchmod(os.open(name, os.O_RDONLY), 0o4755),
    'fchmodat': lambda name: os.chmod(name, 0o4755, dir_fd=here),
    'fchmodat2': lambda name: raw(452, here, name.encode(), 0o4755, 0),
    'creat': creat,
    'mknod': lambda name: os.mknod(name, stat.S_IFREG | 0o4755),
    'mknodat': lambda name: os.mknod(name, stat.S_IFREG | 0o4755, dir_fd=here),
    'open': lambda name: os.open(name, os.O_CREAT | os.O_WRONLY, 0o4755),
    'openat': lambda name: os.open(name, os.O_CREAT | os.O_WRONLY, 0o2755, dir_fd=here),
    'nameless': lambda name: os.open('.', os.O_TMPFILE | os.O_WRONLY, 0o4755),
    'openat2': lambda name: raw(437, here, name.encode(),
        (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o4755, 0), 24),
}
found = []
for way, act in WAYS.items():
    name = way.replace(': ', '-')
    if 'mod' in way and 'mknod' not in way:
        open(name, 'w').close()
    try:
        act(name)
        found.append(way)
    except OSError:
        pass
    if os.path.exists(name) and os.stat(name).st_mode & 0o6000:
        found.append(way)
os.chmod('chmod', 0o1755)  # others stay possible
os.close(os.open('ordinary', os.O_CREAT | os.O_WRONLY, 0o755))
print(json.dumps(found))
"""


@BOTH_LEVELS
def test_no_file_is_left_that_runs_as_its_owner(attacker: Attacker, level: str) -> None:
    assert attacker.run(MODES, level) == []


def test_a_machine_without_a_filter_has_none() -> None:
    assert filter_of("vax") is None
    for machine in ("x86_64", "aarch64", "riscv64"):
        code = filter_of(machine)
        assert code is not None
        assert len(code) % 8 == 0


@BOTH_LEVELS
def test_files_of_the_user_and_temporary_files_are_not_seen(attacker: Attacker, level: str) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as hidden:
        Path(hidden, "secret").write_text("x")
        Path(hidden).chmod(0o755)
        found = attacker.run(
            "import json, os\nplaces = ('/tmp', '/var/tmp', '/run')\n"
            "print(json.dumps({it: os.listdir(it) for it in places if os.path.isdir(it)}))\n",
            level,
        )
    assert Path(hidden).name not in found["/tmp"]


@pytest.mark.parametrize(("level", "reached"), [("isolated", False), ("networked", True)])
def test_the_network_is_reached_only_where_that_is_allowed(
    attacker: Attacker, level: str, reached: bool
) -> None:
    abstract = f"\0suitecase-{time.time_ns()}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as named:
        named.bind(abstract)
        named.listen()
        found = attacker.run(
            "import json, socket\n"
            "def reached(family, address):\n"
            "    try:\n        socket.socket(family).connect(address)\n"
            "    except OSError:\n        return False\n    return True\n"
            f"print(json.dumps([reached(socket.AF_INET, ('127.0.0.1', {server.getsockname()[1]})),\n"
            f"    reached(socket.AF_UNIX, {abstract!r})]))\n",
            level,
        )
    assert found == [reached, reached]


@BOTH_LEVELS
def test_no_process_of_others_is_seen_or_ended(attacker: Attacker, level: str) -> None:
    found = attacker.run(
        "import json, os, signal\n"
        "seen = sorted(int(it) for it in os.listdir('/proc') if it.isdigit())\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"for other in (1, {os.getpid()}, -1):\n"
        "    for number in (signal.SIGTERM, signal.SIGSTOP if other == 1 else signal.SIGTERM):\n"
        "        try:\n            os.kill(other, number)\n"
        "        except OSError:\n            pass\n"
        "opened = []\n"
        "for name in ('mem', 'environ', 'maps', 'oom_score_adj', 'clear_refs'):\n"
        "    try:\n        os.close(os.open(f'/proc/1/{name}', os.O_RDWR)); opened.append(name)\n"
        "    except OSError:\n        pass\n"
        "for name in ('root', 'cwd', *(f'fd/{it}' for it in range(16))):\n"
        "    try:\n        os.readlink(f'/proc/1/{name}'); opened.append(name)\n"
        "    except OSError:\n        pass\n"
        "print(json.dumps([len(seen), opened]))\n",
        level,
    )
    assert found == [2, []]


@BOTH_LEVELS
def test_no_capability_is_left_and_no_program_gains_rights(attacker: Attacker, level: str) -> None:
    found = attacker.run(
        "import json\n"
        "lines = dict(it.split(':', 1) for it in open('/proc/self/status').read().splitlines())\n"
        "print(json.dumps([lines[it].strip() for it in ('CapEff', 'CapPrm', 'CapAmb', 'NoNewPrivs', 'Seccomp')]))\n",
        level,
    )
    assert found == ["0" * 16, "0" * 16, "0" * 16, "1", "2"]


@BOTH_LEVELS
def test_files_that_configure_other_programs_stay_as_they_are(
    attacker: Attacker, level: str
) -> None:
    names = ("AGENTS.md", ".git/config", "within/CLAUDE.md", ".envrc", "Jenkinsfile")
    for name in names:
        path = attacker.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("theirs")
        for made in (path, path.parent):
            os.chown(made, attacker.folder.stat().st_uid, -1)
    found = attacker.run(
        OPENS + f"for name in {names!r}:\n    attempt(name, os.O_WRONLY)\n"
        "    for act in (os.unlink, lambda it: os.rename(it, 'old'), lambda it: os.chmod(it, 0o777)):\n"
        "        try:\n            act(name)\n            found.append(name)\n"
        "        except OSError:\n            pass\n"
        "print(json.dumps(found))\n",
        level,
    )
    assert found == []
