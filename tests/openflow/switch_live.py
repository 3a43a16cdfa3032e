"""Open vSwitch in user space, in the network namespace that this process is in."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
DAEMON = "/usr/lib/openvswitch-switch/ovs-vswitchd"
BRIDGE = "br0"
OFFLOADS = [word for name in ("tx", "rx", "tso", "gso", "gro") for word in (name, "off")]


def run(*words: str, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(words, check=False, capture_output=True, text=True, env=env)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"
    return done.stdout


class OpenVSwitch:
    """A bridge `br0` that fails secure; `start` and `kill` are of the switch itself, not of its database."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        names = ("OVS_RUNDIR", "OVS_LOGDIR", "OVS_DBDIR", "OVS_SYSCONFDIR")
        self._env = {**os.environ, **dict.fromkeys(names, str(folder))}
        self._database = f"unix:{folder}/db.sock"

    def start_database(self) -> None:
        run("ovsdb-tool", "create", f"{self._folder}/conf.db", SCHEMA, env=self._env)
        run(
            "ovsdb-server", f"{self._folder}/conf.db", f"--remote=punix:{self._folder}/db.sock",
            *self._as_daemon("ovsdb-server"), env=self._env,
        )  # fmt: skip
        self.configure("--no-wait", "init")

    def start(self) -> None:
        run(DAEMON, self._database, *self._as_daemon("ovs-vswitchd"), env=self._env)

    def _as_daemon(self, name: str) -> list[str]:
        files = {"pidfile": "pid", "log-file": "log", "unixctl": "ctl"}
        return [*(f"--{o}={self._folder}/{name}.{end}" for o, end in files.items()), "--detach", "--no-chdir"]

    def kill(self, name: str = "ovs-vswitchd", how: signal.Signals = signal.SIGTERM) -> None:
        path = self._folder / f"{name}.pid"
        if path.exists():
            pid = int(path.read_text())
            os.kill(pid, how)
            while Path(f"/proc/{pid}").exists():
                time.sleep(0.01)
            path.unlink(missing_ok=True)

    def configure(self, *words: str) -> str:
        return run("ovs-vsctl", f"--db={self._database}", *words, env=self._env)

    def add_bridge(self, *devices: str, protocols: str = "OpenFlow13,OpenFlow14") -> None:
        self.configure(
            "add-br", BRIDGE, "--", "set", "bridge", BRIDGE, "datapath_type=netdev", "fail_mode=secure",
            f"protocols={protocols}",
        )  # fmt: skip
        for number, device in enumerate(devices, start=1):
            self.configure(
                "add-port", BRIDGE, device, "--", "set", "interface", device, f"ofport_request={number}"
            )
        self.configure("set-controller", BRIDGE, "ptcp:6654:127.0.0.1")
        self.configure("set", "controller", BRIDGE, "connection_mode=out-of-band")

    def ofctl(self, *words: str) -> str:
        return run("ovs-ofctl", "-O", "OpenFlow14", *words, env=self._env)

    def flows(self) -> list[str]:
        """The table as ovs-ofctl shows it, without ages."""
        shown = self.ofctl("--no-stats", "dump-flows", f"{self._folder}/{BRIDGE}.mgmt")
        return [line.strip() for line in shown.splitlines() if "priority" in line]

    def add_flow(self, flow: str) -> None:
        self.ofctl("add-flow", f"{self._folder}/{BRIDGE}.mgmt", flow)


@contextmanager
def open_vswitch(folder: Path) -> Iterator[OpenVSwitch]:
    run("ip", "link", "set", "lo", "up")
    switch = OpenVSwitch(folder)
    try:
        switch.start_database()
        switch.start()
        yield switch
    finally:
        switch.kill()
        switch.kill("ovsdb-server")


def make_pair(name: str) -> str:
    """Make a veth whose one end is `name`, the other `<name>_sw` for the switch; return the latter."""
    run("ip", "link", "add", name, "type", "veth", "peer", "name", f"{name}_sw")
    for end in (name, f"{name}_sw"):
        Path(f"/proc/sys/net/ipv6/conf/{end}/disable_ipv6").write_text("1")
        run("ethtool", "-K", end, *OFFLOADS)
        run("ip", "link", "set", end, "up", "mtu", "1504")
    return f"{name}_sw"
