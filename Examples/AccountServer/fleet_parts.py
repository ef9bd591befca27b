"""What a fleet on one machine is made of: etcd nodes, account servers, a proxy, and clients. Used by `fleet`, `faults`, `failures` and `growth`."""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent.parent


def need(*programs):
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        sys.exit(f"{', '.join(missing)} missing: apt-get install etcd-server etcd-client haproxy")


def built(product):
    """Builds a program of the examples, and tells where it is."""
    command = ["swift", "build", "--package-path", str(root / "Examples")]
    subprocess.run([*command, "--product", product], check=True, stdout=sys.stderr)
    place = subprocess.run([*command, "--show-bin-path"], check=True, capture_output=True, text=True).stdout.strip()
    return pathlib.Path(place) / product


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Network:
    """A network namespace for each node, with one link to the clients and one to the other nodes, which can be cut. Wants root."""

    @staticmethod
    def is_possible():
        return os.geteuid() == 0 and shutil.which("ip") is not None

    def __init__(self, size):
        self.name = f"fl{os.getpid() % 100000}"
        self.part = os.getpid() % 250 + 1
        self.size = size
        try:
            for net in "cp":
                self._ip("link", "add", f"{self.name}{net}", "type", "bridge")
                self._ip("link", "set", f"{self.name}{net}", "up")
            self._ip("addr", "add", f"10.231.{self.part}.1/24", "dev", f"{self.name}c")
            for node in range(size):
                space = f"{self.name}n{node}"
                self._ip("netns", "add", space)
                self._ip("-n", space, "link", "set", "lo", "up")
                for net, address in (("c", self.client(node)), ("p", self.peer(node))):
                    outer = f"{self.name}{net}{node}"
                    self._ip("link", "add", outer, "type", "veth", "peer", "name", f"in{net}", "netns", space)
                    self._ip("link", "set", outer, "master", f"{self.name}{net}", "up")
                    self._ip("-n", space, "addr", "add", f"{address}/24", "dev", f"in{net}")
                    self._ip("-n", space, "link", "set", f"in{net}", "up")
        except BaseException:
            self.remove()
            raise

    def _ip(self, *arguments, check=True):
        subprocess.run(["ip", *arguments], check=check, stderr=None if check else subprocess.DEVNULL)

    def client(self, node):
        return f"10.231.{self.part}.{node + 10}"

    def peer(self, node):
        return f"10.232.{self.part}.{node + 10}"

    def inside(self, node, command):
        return ["ip", "netns", "exec", f"{self.name}n{node}", *command]

    def cut(self, node, is_cut=True):
        """Cuts a node off from the other nodes, or ends that; clients reach it all the same."""
        self._ip("link", "set", f"{self.name}p{node}", "down" if is_cut else "up")

    def slow(self, node, delay):
        """Has what a node sends to the others take longer by so many milliseconds; 0: no longer. False where the kernel cannot."""
        device = f"{self.name}p{node}"
        if delay == 0:
            subprocess.run(["tc", "qdisc", "del", "dev", device, "root"], stderr=subprocess.DEVNULL)
            return True
        command = ["tc", "qdisc", "add", "dev", device, "root", "netem", "delay", f"{delay}ms"]
        return subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0

    def remove(self):
        for node in range(self.size):
            self._ip("netns", "del", f"{self.name}n{node}", check=False)
        for net in "cp":
            self._ip("link", "del", f"{self.name}{net}", check=False)


class Fleet:
    """Three nodes and three servers, with all that they keep in a folder that goes with them."""

    size = 3
    scheme = "http"
    # More of each node's flags.
    node_options = ()

    def __init__(self, server, accounts, options=(), network=None):
        self.network = network
        self.server = server
        self.options = list(options)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fleet."))
        self.processes = {}
        self.read_mail = {}
        ports = free_ports(3 * self.size + 1)
        self.node_ports, self.peer_ports, self.server_ports = (
            ports[start * self.size : (start + 1) * self.size] for start in range(3)
        )
        self.proxy_port = ports[-1]
        (self.folder / "accounts.json").write_text(json.dumps(accounts))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
        for process in self.processes.values():
            process.wait()
        if self.network:
            self.network.remove()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _client_url(self, node):
        host = self.network.client(node) if self.network else "127.0.0.1"
        return f"{self.scheme}://{host}:{self.node_ports[node]}"

    def _peer_url(self, node):
        host = self.network.peer(node) if self.network else "127.0.0.1"
        return f"http://{host}:{self.peer_ports[node]}"

    def _start(self, name, command, out=None):
        log = open(self.folder / f"{name}.log", "ab")
        output = open(self.folder / out, "ab") if out else log
        self.processes[name] = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=log, start_new_session=True
        )

    @property
    def endpoints(self):
        return ",".join(self._client_url(node) for node in range(self.size))

    def start_node(self, number):
        client, peer = self._client_url(number), self._peer_url(number)
        members = ",".join(f"n{node}={self._peer_url(node)}" for node in range(self.size))
        command = [
            "etcd", "--name", f"n{number}", "--data-dir", str(self.folder / f"n{number}"),
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", members, "--logger", "zap", "--log-level", "error",
            # A node that was cut off would depose the leader when it comes back. This is the preset from 3.5 on.
            "--pre-vote", *self.node_options,
        ]
        self._start(f"n{number}", self.network.inside(number, command) if self.network else command)

    def start_server(self, number):
        self._start(
            f"s{number}",
            [str(self.server), "--accounts", str(self.folder / "accounts.json"), "--etcd", self.endpoints,
             "--key-file", str(self.folder / "key"), "--replica", f"server-{number}",
             "--port", str(self.server_ports[number]), *self.options],
            out=f"mail.{number}",
        )

    def start_proxy(self):
        servers = "\n".join(f"    server server-{index} 127.0.0.1:{port}" for index, port in enumerate(self.server_ports))
        (self.folder / "haproxy.cfg").write_text(f"""defaults
    mode http
    timeout connect 1s
    timeout client 30s
    timeout server 30s
    retries 3
    option redispatch 1
frontend accounts
    bind 127.0.0.1:{self.proxy_port}
    acl api path_beg /api/auth/
    http-request deny deny_status 404 unless api
    default_backend servers
backend servers
    balance roundrobin
    option forwardfor
    option httpchk GET /ready
    retry-on conn-failure
    default-server check inter 500ms fall 2 rise 1
{servers}
""")
        self._start("proxy", ["haproxy", "-f", str(self.folder / "haproxy.cfg"), "-db"])

    def kill(self, name, number=signal.SIGKILL):
        self.processes[name].send_signal(number)
        if number in (signal.SIGKILL, signal.SIGTERM):
            self.processes[name].wait()

    def is_ready(self, number):
        try:
            return Client(self.server_ports[number]).get("/ready")[0] == 200
        except OSError:
            return False

    def wait_ready(self, number, seconds=60):
        due = time.monotonic() + seconds
        while not self.is_ready(number):
            if time.monotonic() > due:
                log = (self.folder / f"s{number}.log").read_text().splitlines()[-5:]
                sys.exit(f"server-{number} is not ready; its log ends with:\n" + "\n".join(log))
            time.sleep(0.1)

    def start(self):
        """All at once on an empty cluster: one of the servers makes the key."""
        for number in range(self.size):
            self.start_node(number)
        for number in range(self.size):
            self.start_server(number)
        for number in range(self.size):
            self.wait_ready(number)

    def leader(self):
        """The number of the node that leads; None while there is none."""
        for number in range(self.size):
            found = subprocess.run(
                ["etcdctl", "--endpoints", self._client_url(number), "--command-timeout", "1s", "endpoint", "status", "-w", "json"],
                env={**os.environ, "ETCDCTL_API": "3"}, capture_output=True, text=True,
            )
            if found.returncode == 0 and found.stdout:
                status = json.loads(found.stdout)[0]["Status"]
                # Without a leader the member is left out.
                if status.get("leader") == status["header"]["member_id"]:
                    return number
        return None

    def mails(self, address):
        """The codes that were mailed to an address so far, by whichever server."""
        codes = []
        for number in range(self.size):
            path = self.folder / f"mail.{number}"
            if path.exists():
                codes += re.findall(rf"Mail to {re.escape(address)}: .*?(\d{{6}}) is your code", path.read_text())
        return codes


class Client:
    """A client on one port: a server's, or the proxy's."""

    def __init__(self, port, timeout=15):
        self.port, self.timeout, self.token = port, timeout, None

    def _call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        try:
            headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
            if body is not None:
                headers["Content-Type"] = "application/json"
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text[:1] == b"{" else {}
        except http.client.HTTPException as error:
            raise OSError(str(error)) from error
        finally:
            connection.close()

    def get(self, path):
        return self._call("GET", path)

    def post(self, act, body):
        return self._call("POST", "/api/auth/" + act, body)

    def patient(self, act, body, seconds=30):
        """Asks again while there is no server or no leader: only for acts that may be done twice, or that were certainly not done."""
        due = time.monotonic() + seconds
        while True:
            try:
                status, answer = self.post(act, body)
                if status < 500 or answer.get("mayBeCarriedOut"):
                    return status, answer
            except OSError:
                pass
            if time.monotonic() > due:
                sys.exit(f"{act} was not answered for {seconds} seconds")
            time.sleep(0.1)


def sign_in(fleet, client, account, role="staff"):
    """Asks for a code through one server and signs in with it."""
    address = f"{account}@example.com"
    known = len(fleet.mails(address))
    status, answer = client.patient("request-sign-in", {"email": address, "role": role})
    due = time.monotonic() + 30
    while len(codes := fleet.mails(address)) <= known:
        if time.monotonic() > due:
            sys.exit(f"no code was mailed to {account}: {status} {answer}")
        time.sleep(0.05)
    body = {"email": address, "role": role, "code": codes[-1], "request": answer["request"]}
    status, answer = client.patient("sign-in", body)
    if "token" not in answer:
        sys.exit(f"{account} was not signed in: {status} {answer}")
    client.token = answer["token"]
